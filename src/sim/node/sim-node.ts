import type {NodePlan} from '../plan.js';
import {type NodeFaults, nodeFaults} from './faults.js';
import type {ChangeState, NodeState} from './state.js';

/** A simulated node with its faults. Its state is created on first use. */
export class SimNode {
  readonly name: string;
  readonly os: 'linux' | 'windows';
  readonly address: string;
  readonly plugin: string;
  faults: NodeFaults;
  /** Whether its network is interrupted in both directions. */
  cut = false;
  /** Called after faults change at run time. */
  onFault: (before: NodeFaults) => void = () => {};
  /** The owner of the state while another process also changes it. */
  keptIn: ChangeState | undefined;
  readonly #make: () => NodeState;
  #changes: ((state: NodeState) => void)[] = [];
  #state: NodeState | undefined;

  constructor(plan: NodePlan, make: () => NodeState) {
    this.name = plan.name;
    this.os = plan.os;
    this.address = plan.address;
    this.plugin = plan.plugin;
    this.faults = structuredClone(plan.entry.faults);
    this.#make = make;
  }

  get state(): NodeState {
    if (!this.#state) {
      this.#state = this.#make();
      for (const change of this.#changes) change(this.#state);
      this.#changes = [];
    }
    return this.#state;
  }

  set state(state: NodeState) {
    this.#state = state;
    this.#changes = [];
  }

  /** Derives a new state from the current one, without storing it. */
  edit: ChangeState = change => (this.keptIn ? this.keptIn(change) : change(this.state));

  /** Changes the state, or queues the change until the state is created. */
  change(change: (state: NodeState) => void): void {
    if (this.keptIn) this.#state = this.keptIn(state => changed(state, change));
    else if (this.#state) change(this.#state);
    else this.#changes.push(change);
  }

  /** Sets faults at run time, in the format of a scenario. Other faults stay unchanged. */
  fault(faults: Partial<Parameters<typeof nodeFaults.parse>[0] & object>): void {
    const before = this.faults;
    this.faults = nodeFaults.parse({...before, ...faults});
    this.onFault(before);
  }
}

function changed(state: NodeState, change: (state: NodeState) => void): NodeState {
  const next = structuredClone(state);
  change(next);
  return next;
}
