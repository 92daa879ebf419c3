import {ExitCode, WinError} from '../../lib/errors.js';
import type {Decision} from './decide-annotation.js';
import type {OtherPlugin} from './plugin-settings.js';
import type {TunnelStatus} from './tunnel-status.js';

/** The outcome for one node. */
export interface AnnotationResult {
  readonly decision: Decision;
  readonly outcome: 'annotated' | 'removed' | 'unchanged' | 'translated' | 'refused' | 'not inspected' | 'not written';
  /** Why it was refused, not inspected, or not written. */
  readonly error?: WinError;
}

/** The result of a decision that writes nothing. */
export function withoutWriting(decision: Decision): AnnotationResult {
  const {action, node, reason} = decision;
  if (action === 'keep') return {decision, outcome: 'unchanged'};
  const error = (text: string, exit: ExitCode) => new WinError(`${node}: ${text}`, {exit});
  return action === 'refuse'
    ? {decision, outcome: 'refused', error: error(`${reason}.`, ExitCode.usage)}
    : {decision, outcome: 'not inspected', error: error(`not inspected: ${reason}`, ExitCode.uninspected)};
}

export function written(decision: Decision): AnnotationResult {
  return {decision, outcome: decision.after === undefined ? 'removed' : 'annotated'};
}

/** The setting of another plugin was changed instead. */
export function translated(decision: Decision): AnnotationResult {
  return {decision, outcome: 'translated'};
}

export function notWritten(decision: Decision, error: unknown): AnnotationResult {
  if (error instanceof WinError) return {decision, outcome: 'not written', error};
  throw error;
}

/** The result of `annotate-tunnel`. */
export type TunnelResult =
  | {readonly kind: 'shown'; readonly nodes: readonly TunnelStatus[]}
  | {
      readonly kind: 'annotated';
      readonly results: readonly AnnotationResult[];
      readonly errors: readonly WinError[];
      readonly others: readonly OtherPlugin[];
      readonly dryRun: 'none' | 'client' | 'server';
    };

export function tunnelExitCode(result: TunnelResult): ExitCode {
  if (result.kind === 'annotated') return errorsExitCode(result.errors);
  const has = (wanted: TunnelStatus['verdict']) => result.nodes.some(({verdict}) => verdict === wanted);
  if (has('unknown')) return ExitCode.uninspected;
  return has('disagree') ? ExitCode.problems : ExitCode.ok;
}

/** Uninspected takes precedence over denied, and denied over refused. */
function errorsExitCode(errors: readonly WinError[]): ExitCode {
  const codes = errors.map(({exit}) => exit);
  if (codes.includes(ExitCode.uninspected)) return ExitCode.uninspected;
  if (codes.includes(ExitCode.denied)) return ExitCode.denied;
  return codes.length > 0 ? ExitCode.usage : ExitCode.ok;
}
