import type {ExecSession} from '../api/exec.js';
import type {ChangeState, NodeState} from '../node/state.js';
import type {NodePlans} from '../plans/node-plans.js';
import type {KeptSnapshot} from './kept.js';

/** A node as a program on it sees it. */
export interface HelperNode {
  state: NodeState;
  /** Takes over the state that steps have left, now or later. Connections break when the node's address has moved. */
  save(state: NodeState): void;
  /** Has every change of the state made elsewhere from now on; with nothing, in the simulation again. */
  keepStateIn(elsewhere: ChangeState | undefined): void;
  host: string;
}

/** One exec of the helper. */
export interface ProgramRun extends HelperNode {
  /** What the helper of this pod has read by itself; undefined: it has no schedule, or has not read yet. */
  kept: KeptSnapshot | undefined;
  /** The plans of the node, for a program that has no disk of its own. */
  plans: NodePlans;
  stdin: AsyncIterable<Uint8Array>;
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(bytes: Uint8Array): Promise<void>;
  /** SHA-256 of the script that is mounted into the pod. */
  scriptHash: string;
  /** The script itself, for a program that runs it. */
  script: string;
  signal: AbortSignal;
}

/** What answers helper requests on a simulated node. Another one can stand in, such as a real PowerShell. */
export interface HelperProgram {
  run(run: ProgramRun): Promise<number>;
  /** A person's PowerShell on the node, as `kubectl win shell` starts it; where it is missing, the simulation has one. */
  shell?(node: HelperNode, command: readonly string[], session: ExecSession): Promise<number>;
  /** The node loses its power: what the program runs on it ends there and then. */
  powerOff?(host: string): void;
  /** It has booted. */
  powerOn?(node: HelperNode): void;
}
