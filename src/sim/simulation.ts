import {builtInTypes, configMapType, namespaceType, serviceAccountType} from './api/resource-types.js';
import {ObjectStore, type StoreEvent} from './api/store.js';
import {clusterObjects, pluginsOf} from './cluster/build.js';
import {taintNodes} from './controllers/node-taints.js';
import {startControllers} from './controllers/start.js';
import {happen} from './events/happen.js';
import {onRequest} from './events/on-request.js';
import {ExecRunner} from './exec-runner.js';
import {type ApiFront, type Served, simulatedApi} from './front.js';
import type {HelperNode, HelperProgram} from './helper/program.js';
import {simulatedHelper} from './helper/simulated.js';
import {Kubelets} from './kubelet/kubelets.js';
import {kubeletAnswer} from './kubelet/proxy.js';
import {Daemons} from './live/daemons.js';
import {LiveNode} from './live/live-node.js';
import {SimulatedPodNetwork} from './live/pod-network.js';
import {withDerived} from './node/derived.js';
import {removeHyperV} from './node/hyper-v.js';
import {SimNode} from './node/sim-node.js';
import {planCluster} from './plan-cluster.js';
import type {NodePlans} from './plans/node-plans.js';
import {pluginNamed} from './plugins/registry.js';
import {podLog} from './pod-log.js';
import type {Scenario, ScenarioEvent} from './scenario.js';

export interface SimulationOptions {
  scenario: Scenario;
  seed?: string;
  /** What answers helper requests. Defaults to the TypeScript implementation. */
  helper?: HelperProgram;
  /** How long a pod takes to start, and to stop. */
  podStartMs?: number;
  podStopMs?: number;
  /** Whether DaemonSets and ReplicaSets create and replace their pods. If not, only clients create and delete pods. */
  controllers?: boolean;
  /** What clients connect to. Defaults to the simulated API server. */
  api?: ApiFront;
  pace?: Partial<SimulationPace>;
}

/** Durations on nodes. The defaults keep tests fast. */
export interface SimulationPace {
  /** Duration of one plan step. */
  stepMs: number;
  /** Multiplies the time limits of plans and the time until a silent kubelet makes its node NotReady. */
  timeScale: number;
  /** How long the network is interrupted when the node's address moves to another adapter. */
  cutMs: number;
  /** Retry interval of a stuck agent or of a pod without network. */
  retryMs: number;
}

const usualPace: SimulationPace = {stepMs: 100, timeScale: 0.05, cutMs: 300, retryMs: 1000};
const kubeletSilence = 40_000;

export interface Simulation extends Served {
  /** The Kubernetes version that the API reports. */
  version: string;
  store: ObjectStore;
  nodes: ReadonlyMap<string, SimNode>;
  /** Triggers an event on a node, such as a reboot, in its state and in the cluster. */
  happen(node: string, event: ScenarioEvent): void;
  /** Breaks every open connection to a node. */
  disconnect(node: string): void;
  /** The plans of a Windows node, with the process that runs one and the disk that stores them. */
  plansOf(node: string): NodePlans | undefined;
  /** The node as seen by a program that a user starts on it manually. */
  helperNodeOf(node: string): HelperNode | undefined;
}

/** Starts a cluster on loopback. It does not keep the process alive; `close` stops it. */
export async function startSimulation(options: SimulationOptions): Promise<Simulation> {
  const {
    seed = '1',
    helper = simulatedHelper,
    podStartMs = 150,
    podStopMs = 100,
    controllers = false,
    api = simulatedApi(),
  } = options;
  const scenario = api.version ? {...options.scenario, kubernetes: api.version} : options.scenario;
  const cluster = planCluster(scenario, seed, new Date());
  const store = new ObjectStore([...builtInTypes, ...pluginsOf(cluster).flatMap(plugin => plugin.types)]);
  store.seed(clusterObjects(cluster));
  const nodes = new Map(
    cluster.nodes.map(plan => {
      const node = new SimNode(plan, () => withDerived(pluginNamed(plan.plugin).nodeState(cluster, plan)));
      if (!plan.entry.hyperV) node.change(removeHyperV);
      return [plan.name, node] as const;
    }),
  );
  for (const plan of cluster.nodes) {
    for (const event of plan.entry.events) happen({cluster, store, nodes}, plan.name, event);
  }
  store.compact();
  await api.fill?.(store, scenario, nodes);

  const pace = {...usualPace, ...options.pace};
  const lives = new Map(
    [...nodes.values()]
      .filter(({os}) => os === 'windows')
      .map(node => [node.name, new LiveNode(node, {...pace, onLink: linkChanged, onServices})] as const),
  );
  const around = {cluster, store, lives};
  const daemons = new Daemons({...around, agentMs: podStartMs, retryMs: pace.retryMs});
  const network = new SimulatedPodNetwork(around);
  const kubelets = new Kubelets({
    store,
    nodes,
    startMs: podStartMs,
    stopMs: podStopMs,
    retryMs: pace.retryMs,
    silenceMs: kubeletSilence * pace.timeScale,
    runtime: {
      connect: (node, pod) => network.connect(node, pod),
      disconnect: (node, pod) => network.disconnect(node, pod),
      programOf(node, pod) {
        const program = daemons.programOf(node, pod);
        return program && (() => daemons.start(node, program));
      },
      waiting: (node, pod) => daemons.waiting(node, pod),
    },
  });
  const runner = new ExecRunner({store, nodes, kubelets, lives, helper, version: scenario.kubernetes});
  function linkChanged(node: SimNode): void {
    if (node.cut) runner.disconnect(node.name);
    kubelets.linkChanged(node);
  }
  function onServices(node: SimNode, names: readonly string[]): void {
    daemons.servicesStarted(node, names);
  }
  const stopControllers = controllers && !api.hasControllers ? startControllers(store, scenario.podSecurity) : () => {};
  const stopNamespaces = api.hasControllers ? () => {} : store.subscribe(event => fillNamespace(store, event));
  const stopTaints = taintNodes(store);
  const stopRequests = onRequest(store, (name, event) => lives.has(name) && happenNow(name, event));
  function happenNow(name: string, event: ScenarioEvent): void {
    const live = lives.get(name);
    // A reboot stops every process on the node before it changes the state.
    if (event === 'reboot' && live) {
      live.powerOff();
      runner.powerOff(live.node);
    }
    happen({cluster, store, nodes}, name, event);
    if (event !== 'reboot' || !live) return;
    live.powerOn();
    runner.powerOn(live.node);
    runner.disconnect(name);
    kubelets.rebooted(live.node);
  }
  const served = await api.serve({
    store,
    scenario,
    nodes,
    answers: {
      logOf: request => podLog(store, request),
      proxy: request => kubeletAnswer(nodes, cluster, request),
    },
    exec: (...args) => runner.exec(...args),
  });
  return {
    ...served,
    version: scenario.kubernetes,
    store,
    nodes,
    happen: happenNow,
    disconnect: node => runner.disconnect(node),
    plansOf: node => lives.get(node)?.plans,
    helperNodeOf: node => runner.helperNodeOf(node),
    async close() {
      kubelets.close();
      runner.close();
      daemons.close();
      for (const live of lives.values()) live.close();
      stopControllers();
      stopNamespaces();
      stopTaints();
      stopRequests();
      await served.close();
    },
  };
}

/** What the controllers create in every new namespace. */
function fillNamespace(store: ObjectStore, {type, resource, object}: StoreEvent): void {
  if (resource !== namespaceType || type !== 'ADDED') return;
  const namespace = object.metadata.name;
  store.create(serviceAccountType, {apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name: 'default', namespace}});
  const metadata = {name: 'kube-root-ca.crt', namespace};
  store.create(configMapType, {apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {'ca.crt': ''}});
}
