import type {Result} from '../model/result.js';

export function isFailure(result: Result, severity: 'error' | 'warning'): boolean {
  return result.outcome === 'fail' && result.severity === severity;
}

/** What a person should see to: failures that are more than information. */
export function problems(results: readonly Result[]): Result[] {
  return results.filter(result => isFailure(result, 'error') || isFailure(result, 'warning'));
}
