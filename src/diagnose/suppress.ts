import {existsSync} from 'node:fs';
import type {Result} from '../model/result.js';
import type {Suppression} from './suppressions.js';

const usualFile = '.kubectl-win.yaml';

/** Reads the given file, or the default file if it exists. The parser is imported only if there is a file. */
export async function readSuppressions(path: string | undefined): Promise<readonly Suppression[]> {
  if (path === undefined && !existsSync(usualFile)) return [];
  const {suppressionsIn} = await import('./suppressions.js');
  return suppressionsIn(path ?? usualFile);
}

/** Suppresses accepted findings. They stay in the report as skipped, with the reason. */
export function suppress(
  results: readonly Result[],
  suppressions: readonly Suppression[],
  labels: Readonly<Record<string, string>> | undefined,
): Result[] {
  return results.map(result => {
    if (result.outcome !== 'fail') return result;
    const found = suppressions.find(
      ({check, nodes}) =>
        (result.id === check || result.id.startsWith(`${check}/`)) &&
        (nodes === undefined || (labels !== undefined && nodes(labels))),
    );
    if (!found) return result;
    return {
      ...result,
      outcome: 'skipped',
      severity: 'info',
      message: `Suppressed (${found.reason}): ${result.message}`,
      suppressed: found.reason,
    };
  });
}
