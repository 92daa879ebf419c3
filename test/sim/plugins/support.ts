import {expect} from 'vitest';
import {builtInTypes, nodeType, podType} from '../../../src/sim/api/resource-types.js';
import {ObjectStore} from '../../../src/sim/api/store.js';
import {clusterObjects, pluginsOf} from '../../../src/sim/cluster/build.js';
import {podConditions} from '../../../src/sim/cluster/pod-status.js';
import {servicesOf} from '../../../src/sim/cluster/service-table.js';
import {recount} from '../../../src/sim/events/counts.js';
import {happen} from '../../../src/sim/events/happen.js';
import type {World} from '../../../src/sim/events/world.js';
import {isObject, listAt, textAt} from '../../../src/sim/json.js';
import {removeHyperV} from '../../../src/sim/node/hyper-v.js';
import {SimNode} from '../../../src/sim/node/sim-node.js';
import {type NodeState, rows, setRows} from '../../../src/sim/node/state.js';
import type {NodePlan} from '../../../src/sim/plan.js';
import {planCluster} from '../../../src/sim/plan-cluster.js';
import type {SimPlugin, Started, Starting, WaitingPod} from '../../../src/sim/plugins/plugin.js';
import {pluginNamed} from '../../../src/sim/plugins/registry.js';
import {loadScenario} from '../../../src/sim/scenarios.js';
import {nodeTime} from '../../../src/sim/time.js';
import {snapshotDocument} from '../../../src/snapshot/document.js';
import {readSnapshot} from '../../../src/snapshot/snapshot.js';
import {diagnose, type Finding} from '../../checks/support.js';

const minute = 60_000;

/** A simulated cluster without a server, with its agents and kubelets under control of the test. */
export class Lab {
  readonly world: World;
  /** Time passes only when a test says so. */
  now: Date;

  constructor(scenario: string) {
    const cluster = planCluster(loadScenario(scenario), 'test', new Date());
    const store = new ObjectStore([...builtInTypes, ...pluginsOf(cluster).flatMap(plugin => plugin.types)]);
    store.seed(clusterObjects(cluster));
    const nodes = new Map(
      cluster.nodes.map(plan => {
        const node = new SimNode(plan, () => pluginNamed(plan.plugin).nodeState(cluster, plan));
        if (!plan.entry.hyperV) node.change(removeHyperV);
        return [plan.name, node] as const;
      }),
    );
    this.world = {cluster, store, nodes};
    this.now = new Date();
    for (const plan of cluster.nodes) {
      for (const event of plan.entry.events) happen(this.world, plan.name, event);
    }
  }

  /** The Windows nodes with an event, and the others. */
  get rebooted(): string[] {
    return this.world.cluster.nodes.filter(plan => plan.entry.events.includes('reboot')).map(({name}) => name);
  }

  get others(): string[] {
    const windows = this.world.cluster.nodes.filter(plan => plan.os === 'windows').map(({name}) => name);
    return windows.filter(name => !this.rebooted.includes(name));
  }

  plan(name: string): NodePlan {
    const found = this.world.cluster.nodes.find(plan => plan.name === name);
    if (!found) throw new Error(`no node ${name}`);
    return found;
  }

  plugin(name: string): SimPlugin {
    return pluginNamed(this.plan(name).plugin);
  }

  state(name: string): NodeState {
    const node = this.world.nodes.get(name);
    if (!node) throw new Error(`no node ${name}`);
    return node.state;
  }

  starting(name: string): Starting {
    const {cluster, store} = this.world;
    const node = this.plan(name);
    const annotations = new Map(
      [...store.all(nodeType)].map(({metadata}) => [metadata.name, metadata.annotations ?? {}] as const),
    );
    const random = node.random.for(`start/${this.now.getTime()}`);
    return {cluster, node, state: this.state(name), now: this.now, random, services: servicesOf(cluster), annotations};
  }

  /** Starts the agent on a node, and applies its marks on its neighbours. */
  startAgent(name: string): Started {
    const plugin = this.plugin(name);
    const started = plugin.agentStart?.(this.starting(name)) ?? {ready: true};
    if (started.ready && started.marks) {
      const {store} = this.world;
      const object = store.get(nodeType, undefined, name);
      const annotations = {...object.metadata.annotations, ...started.marks.annotations};
      store.update(nodeType, {...object, metadata: {...object.metadata, annotations}});
      for (const other of [...this.others, ...this.rebooted]) {
        if (other !== name) plugin.followPeer?.(this.state(other), this.plan(name), started.marks);
      }
    }
    this.#setReady(name, plugin.agentSet, started.ready);
    return started;
  }

  startKubeProxy(name: string): Started {
    return this.plugin(name).kubeProxyStart?.(this.starting(name)) ?? {ready: true};
  }

  /** Creates the sandboxes of waiting pods as the kubelet does; returns why it could not. */
  startPods(name: string): string[] {
    const {store} = this.world;
    const failures: string[] = [];
    for (const pod of [...store.all(podType)]) {
      if (textAt(pod, 'spec', 'nodeName') !== name || !isWaiting(pod)) continue;
      const waiting: WaitingPod = {name: pod.metadata.name, namespace: pod.metadata.namespace ?? ''};
      const added = this.plugin(name).addPod?.(this.starting(name), waiting);
      if (!added?.ready) {
        failures.push(added?.why ?? 'no addPod');
        continue;
      }
      const {address} = added.pod;
      store.update(podType, {
        ...pod,
        status: {...running(pod.status, this.now), podIP: address, podIPs: [{ip: address}]},
      });
    }
    recount(store);
    return failures;
  }

  /** Lets time pass until nothing is settling. */
  wait(minutes = 10): void {
    this.now = new Date(this.now.getTime() + minutes * minute);
    for (const {os, state} of this.world.nodes.values()) {
      if (os === 'windows') state.sections.os = {...(state.sections.os as object), SystemTime: nodeTime(this.now)};
    }
  }

  /** Every finding of doctor, as for a snapshot of all. */
  doctor(): Finding[] {
    const {store, nodes, cluster} = this.world;
    const windows = [...nodes.values()].filter(node => node.os === 'windows');
    const document = {
      apiVersion: 'kubectl-win/v1',
      kind: 'Snapshot',
      collectedAt: this.now.toISOString(),
      cluster: {version: cluster.version, objects: store.types.flatMap(type => [...store.all(type)])},
      nodes: Object.fromEntries(windows.map(({name, state}) => [name, state])),
    };
    return diagnose(readSnapshot(snapshotDocument.parse(structuredClone(document)))).findings;
  }

  /** The findings of a node, or of the cluster, as ID and message. */
  problems(name?: string): string[] {
    return this.doctor()
      .filter(({outcome, node, severity}) => outcome === 'fail' && severity !== 'info' && (!name || node === name))
      .map(({id, message}) => `${id}: ${message}`);
  }

  #setReady(name: string, set: string | undefined, ready: boolean): void {
    const {store} = this.world;
    for (const pod of [...store.all(podType)]) {
      const isAgent = pod.metadata.ownerReferences?.some(owner => owner.kind === 'DaemonSet' && owner.name === set);
      if (!isAgent || textAt(pod, 'spec', 'nodeName') !== name) continue;
      store.update(podType, {...pod, status: ready ? running(pod.status, this.now) : pod.status});
    }
    recount(store);
  }
}

const isWaiting = (pod: unknown): boolean =>
  listAt(pod, 'status', 'containerStatuses').some(
    status => textAt(status, 'state', 'waiting', 'reason') === 'ContainerCreating',
  );

function running(status: unknown, now: Date): Record<string, unknown> {
  return {
    ...(isObject(status) && status),
    phase: 'Running',
    conditions: podConditions(now, now, true),
    containerStatuses: listAt(status, 'containerStatuses').map(container => ({
      ...(isObject(container) && container),
      ready: true,
      started: true,
      restartCount: 0,
      state: {running: {startedAt: now.toISOString()}},
      lastState: {},
    })),
  };
}

/** Starts Windows services, as a step of a repair does. */
export function runServices(state: NodeState, now: Date, ...services: string[]): void {
  setRows(
    state,
    'services',
    rows(state, 'services').map(row =>
      services.includes(String(row.Name))
        ? {...row, State: 'Running', ExitCode: 0, ProcessId: 4242, StartedAt: nodeTime(now)}
        : row,
    ),
  );
}

/** Removes rows of a state, as a step of a repair does. */
export function remove(state: NodeState, section: string, picks: (row: Record<string, unknown>) => boolean): void {
  setRows(
    state,
    section,
    rows(state, section).filter(row => !picks(row)),
  );
}

export const names = (state: NodeState, section: string): unknown[] => rows(state, section).map(row => row.Name);

/** A rebooted node of a scenario, some time later. */
export function rebooted(scenario: string): Scene {
  const lab = new Lab(scenario);
  const [node = ''] = lab.rebooted;
  lab.wait();
  return {lab, node, state: lab.state(node)};
}

export interface Scene {
  lab: Lab;
  node: string;
  state: NodeState;
}

/** What a cleanup leaves to the user, or what only the real start of a service writes. */
const leftToOthers = /antrea-boot-hook|azure-reset-task|ovs-vswitchd\.pid/;

/** Starts agent, pods and kube-proxy; returns what doctor still finds when everything has settled. */
export function bringUp({lab, node}: Scene): string[] {
  expect(lab.startAgent(node)).toMatchObject({ready: true});
  expect(lab.startPods(node)).toEqual([]);
  expect(lab.startKubeProxy(node)).toMatchObject({ready: true});
  lab.wait();
  return lab.problems().filter(problem => !leftToOthers.test(problem));
}

export const removeFiles = (state: NodeState, ...endings: string[]): void =>
  remove(state, 'files', ({Path}) => endings.some(ending => String(Path).endsWith(ending)));
