import {shellText} from '../lib/quote.js';

/** What to do about a finding: a command of this tool, or the exact steps by hand. */
export type Remedy =
  | {readonly kind: 'command'; readonly command: string; readonly cutsNetwork: boolean}
  | {readonly kind: 'manual'; readonly steps: readonly string[]; readonly cutsNetwork: boolean};

interface Named {
  readonly name: string;
}

/** The tool's own repair. `cuts` where it takes down the node's network on its way. */
export function cleanup(node: Named, {cuts = false} = {}): Remedy {
  return {kind: 'command', command: `kubectl win cleanup ${shellText(node.name)}`, cutsNetwork: cuts};
}

/** Writes the annotation that names a node's tunnel adapter; without an adapter, one is picked in the terminal. */
export function annotateTunnel(node: Named, adapter?: string): Remedy {
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
