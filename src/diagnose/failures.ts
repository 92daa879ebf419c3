import type {Result} from '../model/result.js';

export function isFailure(result: Result, severity: 'error' | 'warning'): boolean {
  return result.outcome === 'fail' && result.severity === severity;
}

/** Failures that need attention: errors and warnings. */
export function problems(results: readonly Result[]): Result[] {
  return results.filter(result => isFailure(result, 'error') || isFailure(result, 'warning'));
}
