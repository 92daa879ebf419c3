import {existsSync} from 'node:fs';
import type {Result} from '../model/result.js';
import type {Suppression} from './suppressions.js';

const usualFile = '.kubectl-win.yaml';

/** Those of the file that was named, or of the usual one where it is there. What reads it loads with it. */
export async function readSuppressions(path: string | undefined): Promise<readonly Suppression[]> {
  if (path === undefined && !existsSync(usualFile)) return [];
  const {suppressionsIn} = await import('./suppressions.js');
  return suppressionsIn(path ?? usualFile);
}

/** Takes back what a team has decided to live with. It stays in the report, with the reason. */
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
