import {shellText} from '../lib/quote.js';
import type {Level} from './level.js';

/** What to do about a finding: a command of this tool, or the exact steps manually. */
export type Remedy =
  | {
      readonly kind: 'command';
      readonly command: string;
      /** What has to be done before, or the command repairs nothing for long. */
      readonly first?: string;
      /** An alternative command: the user chooses. */
      readonly or?: string;
      readonly cutsNetwork: boolean;
      /** Of a cleanup, as it would be planned for the node now. */
      readonly level?: Level;
    }
  | {readonly kind: 'manual'; readonly steps: readonly string[]; readonly cutsNetwork: boolean};

interface Named {
  readonly name: string;
}

/** The tool's own repair. `cuts` where it takes down the node's network on its way. */
export function cleanupRemedy(
  node: Named,
  {cuts = false, first}: {cuts?: boolean; first?: string | undefined} = {},
): Remedy {
  const command = `kubectl win cleanup ${shellText(node.name)}`;
  return {kind: 'command', command, ...(first !== undefined && {first}), cutsNetwork: cuts};
}

/** Writes the annotation that names a node's tunnel adapter; without an adapter, one is picked in the terminal. */
export function annotateTunnelRemedy(node: Named, adapter?: string): Remedy {
  const value = adapter === undefined ? '' : ` ${shellText(adapter)}`;
  return {
    kind: 'command',
    command: `kubectl win annotate-tunnel ${shellText(node.name)}${value} --overwrite`,
    cutsNetwork: false,
  };
}

/** Steps for a person: commands to type (PowerShell on the node, or kubectl), or a sentence. */
export function manual(...steps: string[]): Remedy {
  return {kind: 'manual', steps, cutsNetwork: false};
}

/** The same for steps that cut the node's network: a console or a second way in is needed. */
export function manualCutting(...steps: string[]): Remedy {
  return {kind: 'manual', steps, cutsNetwork: true};
}

/** What a person types or does, one line each. */
export function remedySteps(remedy: Remedy | undefined): readonly string[] {
  if (remedy === undefined) return [];
  if (remedy.kind === 'manual') return remedy.steps;
  const {first, command, or} = remedy;
  return [...(first === undefined ? [] : [first]), command, ...(or === undefined ? [] : [`or: ${or}`])];
}
