import {isForbidden} from '../cluster/api-errors.js';
import {tunnelAnnotation} from '../cni/kube-ovn/tunnel-interface.js';
import {ExitCode, WinError} from '../errors.js';
import type {Decision} from './decide.js';
import {patchOf} from './write.js';

/** What became of one node. */
export interface Result {
  readonly decision: Decision;
  readonly outcome: 'annotated' | 'removed' | 'unchanged' | 'refused' | 'not inspected' | 'not written';
  /** Why it was refused, not inspected, or not written. */
  readonly error?: WinError;
}

/** The result of a decision that leads to no writing. */
export function withoutWriting(decision: Decision): Result {
  const {action, node, reason} = decision;
  if (action === 'keep') return {decision, outcome: 'unchanged'};
  const error = (text: string, exit: ExitCode) => new WinError(`${node}: ${text}`, {exit});
  return action === 'refuse'
    ? {decision, outcome: 'refused', error: error(`${reason}.`, ExitCode.usage)}
    : {decision, outcome: 'not inspected', error: error(`not inspected: ${reason}`, ExitCode.uninspected)};
}

export function written(decision: Decision): Result {
  return {decision, outcome: decision.after === undefined ? 'removed' : 'annotated'};
}

export function notWritten(decision: Decision, error: unknown): Result {
  if (error instanceof WinError) return {decision, outcome: 'not written', error};
  throw error;
}

/** What could not be looked at outweighs what was denied, and that what was refused. */
export function exitCodeOf(results: readonly Result[]): ExitCode {
  const codes = results.flatMap(({error}) => error?.exit ?? []);
  const denied = results.some(({error}) => isForbidden(error));
  if (codes.includes(ExitCode.uninspected)) return ExitCode.uninspected;
  if (denied || codes.includes(ExitCode.denied)) return ExitCode.denied;
  return codes.length > 0 ? ExitCode.usage : ExitCode.ok;
}

/** The document of `-o json` and `-o yaml`. */
export function documentOf(results: readonly Result[], dryRun: string): object {
  return {
    apiVersion: 'kubectl-win/v1',
    kind: 'TunnelInterfaceList',
    dryRun,
    items: results.map(({decision, outcome, error}) => {
      const {node, before, after, candidate, action, warnings} = decision;
      return {
        node,
        outcome,
        ...(error && {reason: error.message}),
        annotation: {
          name: tunnelAnnotation,
          before: before ?? null,
          after: (action === 'write' ? after : before) ?? null,
        },
        ...(candidate && {
          adapter: {
            name: candidate.name,
            address: candidate.tunnelAddress,
            mac: candidate.mac,
            mtu: candidate.mtu,
            speed: candidate.speed,
          },
        }),
        ...(action === 'write' && {patch: patchOf({after})}),
        warnings,
      };
    }),
  };
}
