import {setTimeout as delay} from 'node:timers/promises';
import type {RepairPlan} from '../../../src/model/repair-plan.js';
import {nodePlan} from '../../../src/model/repair-plan.js';
import type {JsonObject} from '../../../src/sim/json.js';
import {LiveNode} from '../../../src/sim/live/live-node.js';
import {unreachable} from '../../../src/sim/live/reach.js';
import {removeRows} from '../../../src/sim/node/edit.js';
import {nodeFaults} from '../../../src/sim/node/faults.js';
import {rebootState} from '../../../src/sim/node/reboot.js';
import {SimNode} from '../../../src/sim/node/sim-node.js';
import {addressOwner, type NodeState, rows} from '../../../src/sim/node/state.js';
import type {NodePlan} from '../../../src/sim/plan.js';
import type {PlanFolder} from '../../../src/sim/plans/folder.js';

/** Three hundred seconds are 60 ms here: a guard starts every 24 ms. */
const pace = {stepMs: 0, timeScale: 0.0002, cutMs: 0};

/** What the agent creates when it starts: the whole network, as it was. */
const ofAgent = [
  'hnsNetworks',
  'vmSwitches',
  'vmSwitchExtensions',
  'netAdapters',
  'netIPAddresses',
  'netIPInterfaces',
  'netRoutes',
  'dnsServers',
  'adapterBindings',
  'ovs',
];

/** Windows may lose an address that moves between adapters (microsoft/SDN#498): here it always does. */
function loseAddress(state: NodeState, adapter: unknown): void {
  const isLost = (row: JsonObject) =>
    row.InterfaceAlias === adapter && row.AddressFamily !== 'IPv6' && row.NextHop !== '0.0.0.0';
  for (const section of ['netIPAddresses', 'netRoutes', 'dnsServers']) removeRows(state, section, isLost);
}

/** An isolated simulated Windows node on which a plan runs and is interrupted. */
export class Bench {
  readonly live: LiveNode;
  readonly node: SimNode;
  readonly #healthy: NodeState;
  readonly #address: string;
  /** Networks that the plan waits for the agent to create. */
  readonly #awaited: readonly string[];
  /** An agent or a boot moves the address. */
  #movesAddress = false;
  /** Changes of the node so far. */
  changes = 0;
  /** Called right after a change, before it can be recorded. */
  onChange: (state: NodeState) => void = () => {};
  /** The agent is stopped: only the guard acts from then on. */
  agentIsDead = false;

  constructor(state: NodeState, {plugin, node, deadMan, steps}: RepairPlan) {
    this.#awaited = steps.flatMap(step =>
      step.do === 'wait.until' && step.with.until === 'hnsNetwork' ? step.with.name : [],
    );
    this.#healthy = structuredClone(state);
    this.#address = deadMan?.address ?? '';
    const plan = {name: node, os: 'windows', address: this.#address, plugin, entry: {faults: nodeFaults.parse({})}};
    this.node = new SimNode(plan as unknown as NodePlan, () => structuredClone(state));
    this.node.edit = change => {
      const before = addressOwner(this.node.state, this.#address);
      const next = change(this.node.state);
      const after = addressOwner(next, this.#address);
      if (!this.#movesAddress && before !== undefined && after !== undefined && before !== after)
        loseAddress(next, after);
      this.changes += 1;
      this.onChange(next);
      return next;
    };
    this.live = new LiveNode(this.node, {...pace, onLink() {}, onServices: (_, names) => this.#startAgent(names)});
  }

  start(plan: RepairPlan): PlanFolder {
    const text = JSON.stringify(nodePlan(plan));
    const folder = this.live.plans.disk.store(plan.id, text, '0'.repeat(64));
    this.live.plans.start(folder, 'run');
    return folder;
  }

  get fault(): string | undefined {
    return this.#address === '' ? undefined : unreachable(this.node.state, this.#address);
  }

  get hasGuard(): boolean {
    return rows(this.node.state, 'scheduledTasks').some(({TaskName}) => /guard/.test(String(TaskName)));
  }

  /** Kills the plan. Returns whether it left the node cut off. */
  async kill(reboots: boolean): Promise<boolean> {
    this.agentIsDead = true;
    this.onChange = () => {};
    const {plans} = this.live;
    if (reboots) this.live.powerOff();
    else plans.kill();
    // Pending actions of the killed process do not happen.
    await delay(2);
    this.#movesAddress = true;
    if (reboots) this.live.change(state => rebootState(state, new Date()));
    this.#movesAddress = false;
    const wasCutOff = this.fault !== undefined;
    if (reboots) this.live.powerOn();
    return wasCutOff;
  }

  /** Whether the node is finally reachable, and nothing works on it. */
  async settled(): Promise<boolean> {
    for (const until = Date.now() + 5000; Date.now() < until; await delay(2)) {
      if (!this.hasGuard && this.live.plans.disk.running === undefined) break;
    }
    const isSettled = !this.hasGuard && this.fault === undefined;
    this.live.close();
    return isSettled;
  }

  #startAgent(names: readonly string[]): void {
    if (!names.some(name => /^(kube-ovn|antrea-agent|hybrid-overlay-node|flanneld)$/.test(name))) return;
    setImmediate(() => {
      if (this.agentIsDead) return;
      const counted = this.changes;
      this.#movesAddress = true;
      this.live.change(state => {
        for (const section of ofAgent) {
          const value = structuredClone(this.#healthy.sections[section]);
          if (value !== undefined) state.sections[section] = value;
        }
        const [other] = rows(state, 'hnsNetworks');
        const made = this.#awaited.filter(name => !rows(state, 'hnsNetworks').some(({Name}) => Name === name));
        state.sections.hnsNetworks = [...rows(state, 'hnsNetworks'), ...made.map(Name => ({...other, Name}))];
      });
      this.#movesAddress = false;
      this.changes = counted;
    });
  }
}
