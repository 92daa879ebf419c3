import {problems} from '../../diagnose/failures.js';
import type {DoctorReport} from '../../diagnose/report.js';
import type {InspectOptions} from '../../session/inspection.js';
import {cleanup} from '../cleanup/cleanup.js';
import type {CleanupPorts} from '../cleanup/cleanup-ports.js';
import type {CleanupResult} from '../cleanup/cleanup-result.js';

/** The ids of problems, by node. */
type Findings = ReadonlyMap<string, ReadonlySet<string>>;

/** `doctor --fix`: repairs the findings that can be repaired automatically. */
export function fixFindings(
  fixes: Findings,
  options: InspectOptions & {readonly yes: boolean},
  ports: CleanupPorts,
  signal: AbortSignal,
): Promise<CleanupResult> {
  return cleanup(
    {
      ...options,
      names: [...fixes.keys()],
      selector: undefined,
      fixes,
      level: 'auto',
      force: false,
      drain: false,
      maxUnavailable: 1,
      verifyTimeout: 5 * 60_000,
    },
    ports,
    signal,
  );
}

export function findingsOf({nodes}: DoctorReport): Findings {
  return new Map(
    nodes
      .map(({name, results}) => [name, new Set<string>(problems(results).map(({id}) => id))] as const)
      .filter(([, ids]) => ids.size > 0),
  );
}
