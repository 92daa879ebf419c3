import {removeRows} from '../node/edit.js';
import type {SimNode} from '../node/sim-node.js';
import {addressOwner, type NodeState, rows} from '../node/state.js';
import {NodePlans} from '../plans/node-plans.js';
import type {StepPace} from '../plans/running.js';
import type {Host} from '../plans/step.js';
import {Random} from '../random.js';
import {Leases} from './leases.js';
import {unreachable} from './reach.js';

export interface LiveNodeOptions extends StepPace {
  /** How long the network is interrupted after the node's address moves. */
  cutMs: number;
  /** Called when the node's network is interrupted and when it is restored. */
  onLink(node: SimNode): void;
  /** Called with Windows services that have a new process. */
  onServices(node: SimNode, names: readonly string[]): void;
}

const noConnection = 'No connection within 5000 ms.';

/** A running Windows node: applies state changes and their effects on its connections. */
export class LiveNode {
  readonly node: SimNode;
  readonly plans: NodePlans;
  readonly #options: LiveNodeOptions;
  readonly #leases = new Leases();
  readonly #random: Random;
  #changes = 0;
  /** The adapter that had the address when the node lost its uplink. */
  #home: unknown;
  /** Whether an undo has started since then. */
  #undone = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(node: SimNode, options: LiveNodeOptions) {
    this.node = node;
    this.#options = options;
    this.#random = new Random(`live/${node.name}/${Date.now()}`);
    this.plans = new NodePlans({
      node: node.name,
      stepMs: options.stepMs,
      timeScale: options.timeScale,
      look: () => this.#host(node.state, undefined),
      onBootTask: there => this.change(state => setTask(state, 'kubectl-win-boot', there)),
      onGuardTask: (plan, there) => this.change(state => setTask(state, `kubectl-win-guard-${plan}`, there)),
      target: {
        look: folder => this.#host(node.state, folder),
        change: (folder, change) => this.change(state => change(this.#host(state, folder))),
        failingStep: () => node.faults.failStep,
        onUndo: () => {
          this.#undone = true;
          this.#relink(false);
        },
      },
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.plans.powerOff();
  }

  powerOff(): void {
    this.plans.powerOff();
  }

  /** The node has booted: its state is now in effect. */
  powerOn(): void {
    this.#relink(false);
    this.plans.powerOn();
  }

  /** Random values, different for every change. */
  random(): Random {
    this.#changes += 1;
    return this.#random.for(String(this.#changes));
  }

  /** Applies a change completely or, if it throws, not at all. */
  change<Result>(change: (state: NodeState) => Result): Result {
    let found = this.node.state;
    let result!: Result;
    const next = this.node.edit(state => {
      found = state;
      const next = structuredClone(state);
      result = change(next);
      return next;
    });
    // Services that another process started in the meantime are not part of this change.
    const others = startedServices(this.node.state, found);
    if (others.length > 0) setImmediate(() => this.#tell(others));
    this.#take(next);
    this.#tell(startedServices(found, next));
    return result;
  }

  /** Replaces the state with one derived from it elsewhere. */
  replace(next: NodeState): void {
    const before = this.node.state;
    this.#take(next);
    this.#tell(startedServices(before, next));
  }

  #take(next: NodeState): void {
    const before = this.node.state;
    const owner = addressOwner(before, this.node.address);
    this.#leases.learn(before);
    this.#loseUplink(owner, next);
    this.node.state = next;
    this.#relink(addressOwner(next, this.node.address) !== owner);
  }

  #tell(started: readonly string[]): void {
    if (started.length > 0) this.#options.onServices(this.node, started);
  }

  #host(state: NodeState, folder: Host['folder']): Host {
    return {
      state,
      folder,
      now: new Date(),
      random: this.random(),
      leaseFor: (adapter, mac) => (this.#isLost(adapter) ? undefined : this.#leases.of(mac)),
      unreachable: () => (this.node.cut ? (this.#fault() ?? noConnection) : undefined),
      silent: this.node.faults.silent,
    };
  }

  #fault(): string | undefined {
    const {state, address} = this.node;
    return unreachable(state, address) ?? (this.#isLost(addressOwner(state, address)) ? noConnection : undefined);
  }

  #isLost(adapter: unknown): boolean {
    return this.node.faults.uplinkLost && !this.#undone && this.#home !== undefined && adapter !== this.#home;
  }

  /** With this fault, once the address has moved only its original adapter can get it. */
  #loseUplink(before: unknown, next: NodeState): void {
    const {faults, address} = this.node;
    if (!faults.uplinkLost) {
      this.#home = undefined;
      this.#undone = false;
    }
    const after = addressOwner(next, address);
    if (faults.uplinkLost && before !== undefined && before !== after) this.#home ??= before;
    if (this.#isLost(after)) {
      removeRows(next, 'netIPAddresses', row => row.IPAddress === address && row.PrefixOrigin === 'Dhcp');
    }
  }

  #relink(moved: boolean): void {
    const {node} = this;
    const isDown = this.#fault() !== undefined;
    if ((isDown || moved) && !node.cut) {
      node.cut = true;
      this.#options.onLink(node);
    }
    if (!node.cut) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!isDown) this.#timer = setTimeout(() => this.#join(), this.#options.cutMs).unref();
  }

  #join(): void {
    if (this.#fault() !== undefined) return;
    this.node.cut = false;
    this.#options.onLink(this.node);
  }
}

function startedServices(before: NodeState, after: NodeState): string[] {
  const known = new Map(rows(before, 'services').map(({Name, ProcessId}) => [Name, ProcessId]));
  return rows(after, 'services')
    .filter(({Name, ProcessId, State}) => State === 'Running' && ProcessId !== 0 && known.get(Name) !== ProcessId)
    .map(({Name}) => String(Name));
}

/** Adds or removes a task, as Task Scheduler lists it. */
function setTask(state: NodeState, name: string, there: boolean): void {
  removeRows(state, 'scheduledTasks', ({TaskName}) => TaskName === name);
  if (!there) return;
  const task = {TaskName: name, State: 'Ready', LastRunTime: null, LastTaskResult: 267011};
  state.sections.scheduledTasks = [...rows(state, 'scheduledTasks'), task];
}
