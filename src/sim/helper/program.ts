import type {ExecSession} from '../api/exec.js';
import type {ChangeState, NodeState} from '../node/state.js';
import type {NodePlans} from '../plans/node-plans.js';
import type {KeptSnapshot} from './kept.js';

/** The node as seen by a program on it. */
export interface HelperNode {
  state: NodeState;
  /** Replaces the state after steps have run. Connections break if the node's address moved. */
  save(state: NodeState): void;
  /** Redirects all state changes to another owner; undefined returns them to the simulation. */
  keepStateIn(elsewhere: ChangeState | undefined): void;
  host: string;
  /** Its name in the cluster, which the pod has in its environment. */
  name: string;
}

/** One exec of the helper. */
export interface ProgramRun extends HelperNode {
  /** What the helper of this pod read on its schedule; undefined if it has none or has not read yet. */
  kept: KeptSnapshot | undefined;
  /** The plans of the node, for a program without its own disk. */
  plans: NodePlans;
  stdin: AsyncIterable<Uint8Array>;
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(bytes: Uint8Array): Promise<void>;
  /** SHA-256 of the script mounted in the pod. */
  scriptHash: string;
  /** The script, for a program that runs it. */
  script: string;
  signal: AbortSignal;
}

/** Answers helper requests on a simulated node: the TypeScript implementation, or a real PowerShell. */
export interface HelperProgram {
  run(run: ProgramRun): Promise<number>;
  /** An interactive PowerShell for `kubectl win shell`. If missing, the simulation provides one. */
  shell?(node: HelperNode, command: readonly string[], session: ExecSession): Promise<number>;
  /** The node loses power: everything that the program runs on it stops immediately. */
  powerOff?(host: string): void;
  powerOn?(node: HelperNode): void;
}
