import {shellText} from '../lib/quote.js';
import type {Level} from './level.js';

/** How to resolve a finding: a command of this tool, or the exact manual steps. */
export type Remedy =
  | {
      readonly kind: 'command';
      readonly command: string;
      /** What has to be done before the command for the repair to last. */
      readonly first?: string;
      /** An alternative command: the user chooses. */
      readonly or?: string;
      readonly cutsNetwork: boolean;
      /** The level of a cleanup, as it would be planned for the node now. */
      readonly level?: Level;
    }
  | {readonly kind: 'manual'; readonly steps: readonly string[]; readonly cutsNetwork: boolean};

interface Named {
  readonly name: string;
}

/** The tool's own repair. `cuts`: it interrupts the node's network. */
export function cleanupRemedy(
  node: Named,
  {cuts = false, first}: {cuts?: boolean; first?: string | undefined} = {},
): Remedy {
  const command = `kubectl win cleanup ${shellText(node.name)}`;
  return {kind: 'command', command, ...(first !== undefined && {first}), cutsNetwork: cuts};
}

/**
 * Writes the annotation that names a node's tunnel adapter; without an adapter, the user selects one in the terminal.
 */
export function annotateTunnelRemedy(node: Named, adapter?: string): Remedy {
  const value = adapter === undefined ? '' : ` ${shellText(adapter)}`;
  return {
    kind: 'command',
    command: `kubectl win annotate-tunnel ${shellText(node.name)}${value} --overwrite`,
    cutsNetwork: false,
  };
}

/** Manual steps: commands to type (PowerShell on the node, or kubectl), or a sentence. */
export function manual(...steps: string[]): Remedy {
  return {kind: 'manual', steps, cutsNetwork: false};
}

/** Manual steps that cut the node's network: they require console or out-of-band access. */
export function manualCutting(...steps: string[]): Remedy {
  return {kind: 'manual', steps, cutsNetwork: true};
}

/** What the user types or does, one line each. */
export function remedySteps(remedy: Remedy | undefined): readonly string[] {
  if (remedy === undefined) return [];
  if (remedy.kind === 'manual') return remedy.steps;
  const {first, command, or} = remedy;
  return [...(first === undefined ? [] : [first]), command, ...(or === undefined ? [] : [`or: ${or}`])];
}
