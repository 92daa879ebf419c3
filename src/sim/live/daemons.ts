import type {ApiObject} from '../api/object.js';
import {nodeType} from '../api/resource-types.js';
import type {SimNode} from '../node/sim-node.js';
import {type NodeState, rows} from '../node/state.js';
import type {NodePlan} from '../plan.js';
import type {NodeMarks} from '../plugins/plugin.js';
import {pluginNamed} from '../plugins/registry.js';
import {planOf, type Surroundings, starting} from './starting.js';

type Program = 'agent' | 'kube-proxy';

export interface DaemonOptions extends Surroundings {
  /** How long a service takes to start working, and the retry interval of a stuck one. */
  agentMs: number;
  retryMs: number;
}

/** The agents of network plugins and kube-proxy on Windows nodes, in pods or as services. */
export class Daemons {
  readonly #options: DaemonOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Set while an agent changes services, so that this does not start agents. */
  #acting = false;

  constructor(options: DaemonOptions) {
    this.#options = options;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** The program that a pod runs. */
  programOf(node: SimNode, {metadata}: ApiObject): Program | undefined {
    if (node.os !== 'windows') return undefined;
    const {agentSet, kubeProxy} = pluginNamed(node.plugin);
    const set = metadata.ownerReferences?.find(({kind}) => kind === 'DaemonSet')?.name;
    if (set === undefined) return undefined;
    if (set === agentSet) return 'agent';
    return kubeProxy && 'set' in kubeProxy && set === kubeProxy.set ? 'kube-proxy' : undefined;
  }

  /** Starts a program on a node. Returns whether it is running. */
  start(node: SimNode, program: Program): boolean {
    const {lives} = this.#options;
    const live = lives.get(node.name);
    const plan = planOf(this.#options, node.name);
    if (!live || !plan || (program === 'agent' && node.faults.agentStuck)) return false;
    const plugin = pluginNamed(node.plugin);
    const begin = program === 'agent' ? plugin.agentStart : plugin.kubeProxyStart;
    if (!begin) return program !== 'agent' || rows(node.state, 'hnsNetworks').some(({Name}) => Name === plugin.network);
    this.#acting = true;
    try {
      const started = live.change(state => begin(starting(this.#options, plan, live, state)));
      if (started.ready && started.marks) this.#mark(plan, started.marks);
      return started.ready;
    } finally {
      this.#acting = false;
    }
  }

  /** Continues a waiting agent; changes nothing if it still cannot start. Undefined: the agent does not wait. */
  waiting(node: SimNode, pod: ApiObject): (() => boolean) | undefined {
    if (this.programOf(node, pod) !== 'agent' || !pluginNamed(node.plugin).agentWaits) return undefined;
    return () => this.#wouldStart(node, structuredClone(node.state)) && this.start(node, 'agent');
  }

  #wouldStart(node: SimNode, state: NodeState): boolean {
    const live = this.#options.lives.get(node.name);
    const plan = planOf(this.#options, node.name);
    const begin = pluginNamed(node.plugin).agentStart;
    return live && plan && begin ? begin(starting(this.#options, plan, live, state)).ready : false;
  }

  /** Windows services have started: those of the plugin start working after a delay. */
  servicesStarted(node: SimNode, names: readonly string[]): void {
    if (this.#acting) return;
    const {agentServices = [], kubeProxy} = pluginNamed(node.plugin);
    const proxy = kubeProxy && 'service' in kubeProxy ? kubeProxy.service : undefined;
    for (const name of names) {
      if (agentServices.includes(name)) this.#work(node, name, 'agent', this.#options.agentMs);
      if (name === proxy) this.#work(node, name, 'kube-proxy', this.#options.agentMs);
    }
  }

  #work(node: SimNode, service: string, program: Program, wait: number): void {
    const processId = () => rows(node.state, 'services').find(({Name}) => Name === service)?.ProcessId;
    const process = processId();
    this.#later(wait, () => {
      if (processId() !== process) return;
      if (!this.start(node, program)) this.#work(node, service, program, this.#options.retryMs);
    });
  }

  #later(milliseconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, milliseconds).unref();
    this.#timers.add(timer);
  }

  /** Writes the marks of an agent to its Node, and notifies the agents of other nodes. */
  #mark(plan: NodePlan, marks: NodeMarks): void {
    const {store, lives, cluster} = this.#options;
    const object = store.get(nodeType, undefined, plan.name);
    const {annotations, labels} = object.metadata;
    const metadata = {
      ...object.metadata,
      annotations: {...annotations, ...marks.annotations},
      labels: {...labels, ...marks.labels},
    };
    store.update(nodeType, {...object, metadata});
    const {followPeer} = pluginNamed(plan.plugin);
    for (const peer of cluster.nodes) {
      if (peer.name === plan.name || peer.plugin !== plan.plugin) continue;
      lives.get(peer.name)?.node.change(state => followPeer?.(state, plan, marks));
    }
  }
}
