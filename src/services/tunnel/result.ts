import {ExitCode, WinError} from '../../lib/errors.js';
import {tunnelAnnotation} from '../../plugins/kube-ovn/tunnel-interface.js';
import type {Decision} from './decide.js';
import type {OtherPlugin} from './others.js';
import {patchOf} from './write.js';

/** What became of one node. */
export interface Result {
  readonly decision: Decision;
  readonly outcome: 'annotated' | 'removed' | 'unchanged' | 'translated' | 'refused' | 'not inspected' | 'not written';
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

/** The setting of another plugin was changed instead. */
export function translated(decision: Decision): Result {
  return {decision, outcome: 'translated'};
}

export function notWritten(decision: Decision, error: unknown): Result {
  if (error instanceof WinError) return {decision, outcome: 'not written', error};
  throw error;
}

/** What could not be looked at outweighs what was denied, and that what was refused. */
export function exitCodeOf(errors: readonly WinError[]): ExitCode {
  const codes = errors.map(({exit}) => exit);
  if (codes.includes(ExitCode.uninspected)) return ExitCode.uninspected;
  if (codes.includes(ExitCode.denied)) return ExitCode.denied;
  return codes.length > 0 ? ExitCode.usage : ExitCode.ok;
}

/** The document of `-o json` and `-o yaml`. */
export function documentOf(results: readonly Result[], others: readonly OtherPlugin[], dryRun: string): object {
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
    ...(others.length > 0 && {
      otherPlugins: others.map(({nodes, unsafe, translation}) => {
        const {title, settings, reach, change, notes} = translation;
        return {
          plugin: title,
          nodes,
          reach,
          settings: settings.map(({name, where, now}) => ({name, where, now: now ?? null})),
          ...(change && {
            change: {object: change.object, type: change.type, patch: change.patch, command: change.command},
          }),
          notes,
          ...(unsafe !== undefined && {notAppliedBecause: unsafe}),
        };
      }),
    }),
  };
}
