import {randomBytes} from 'node:crypto';
import {Access, everythingRule, type Rule} from './api/access.js';
import {makeCertificate} from './api/certificate.js';
import type {ApiObject} from './api/object.js';
import {builtInTypes, configMapType, namespaceType, serviceAccountType} from './api/resource-types.js';
import {ApiServer} from './api/server.js';
import {Store, type StoreEvent} from './api/store.js';
import {clusterObjects, pluginsOf} from './cluster/build.js';
import {DaemonSets} from './controllers/daemon-sets.js';
import {happen} from './events/happen.js';
import {ExecRunner} from './exec-runner.js';
import {collectProgram} from './helper/collect.js';
import type {HelperProgram} from './helper/program.js';
import {kubeconfig} from './kubeconfig.js';
import {Kubelets} from './kubelet/kubelets.js';
import {removeHyperV} from './node/hyper-v.js';
import {SimNode} from './node/sim-node.js';
import {rows} from './node/state.js';
import {planCluster} from './plan.js';
import {pluginNamed} from './plugins/registry.js';
import {podLog} from './pod-log.js';
import type {Scenario, ScenarioAccess, ScenarioEvent} from './scenario.js';

export interface SimulationOptions {
  scenario: Scenario;
  /** The same seed gives the same names, addresses and ids. */
  seed?: string;
  /** What answers helper requests: the TypeScript program, where nothing else is given. */
  helper?: HelperProgram;
  /** How long a pod takes to run, and to end. */
  podStartMs?: number;
  podStopMs?: number;
  /** Whether DaemonSets get their pods, and get them back. Else pods come and go only as clients say. */
  controllers?: boolean;
}

export interface Simulation {
  /** YAML text: a token user, the authority's certificate inside. */
  kubeconfig: string;
  url: string;
  token: string;
  store: Store;
  nodes: ReadonlyMap<string, SimNode>;
  /** Makes lists slow from now on. */
  slowList(milliseconds: number): void;
  /** Lets something happen to a node, such as a reboot, in the state and in the cluster. */
  happen(node: string, event: ScenarioEvent): void;
  /** Breaks every open connection to a node. */
  disconnect(node: string): void;
  close(): Promise<void>;
}

/** Starts a cluster on loopback. It keeps no process alive, and ends with `close`. */
export async function startSimulation(options: SimulationOptions): Promise<Simulation> {
  const {
    scenario,
    seed = '1',
    helper = collectProgram,
    podStartMs = 150,
    podStopMs = 100,
    controllers = false,
  } = options;
  const certificate = makeCertificate();
  const cluster = planCluster(scenario, seed, new Date());
  const store = new Store([...builtInTypes, ...pluginsOf(cluster).flatMap(plugin => plugin.types)]);
  store.seed(clusterObjects(cluster));
  const nodes = new Map(
    cluster.nodes.map(plan => {
      const node = new SimNode(plan, () => pluginNamed(plan.plugin).nodeState(cluster, plan));
      if (!plan.entry.hyperV) node.change(removeHyperV);
      return [plan.name, node] as const;
    }),
  );
  for (const plan of cluster.nodes) {
    for (const event of plan.entry.events) happen({cluster, store, nodes}, plan.name, event);
  }
  store.compact();

  const kubelets = new Kubelets({store, nodes, startMs: podStartMs, stopMs: podStopMs, becomesReady});
  const daemonSets = controllers ? new DaemonSets(store) : undefined;
  const stopNamespaces = store.subscribe(event => fillNamespace(store, event));
  const runner = new ExecRunner({store, nodes, kubelets, helper, version: scenario.kubernetes});
  const token = randomBytes(24).toString('base64url');
  const access = accessOf(scenario.access);
  let listDelay = scenario.faults.slowList;
  const server = new ApiServer({
    store,
    certificate: await certificate,
    version: scenario.kubernetes,
    authenticate(given, as) {
      if (given !== token) return undefined;
      return as ? access.impersonate(as, othersOf(scenario.access)[as.user] ?? []) : access;
    },
    logOf: request => podLog(store, request),
    exec: (...args) => runner.exec(...args),
    listDelay: () => listDelay,
  });
  const url = await server.listen();
  return {
    kubeconfig: kubeconfig(url, (await certificate).ca, access.user, token, scenario.name),
    url,
    token,
    store,
    nodes,
    slowList(milliseconds) {
      listDelay = milliseconds;
    },
    happen: (node, event) => happen({cluster, store, nodes}, node, event),
    disconnect: node => runner.disconnect(node),
    async close() {
      kubelets.close();
      daemonSets?.close();
      stopNamespaces();
      await server.close();
    },
  };
}

/** An agent is not ready as long as its network is not there. */
function becomesReady(node: SimNode, {metadata}: ApiObject): boolean {
  const {agentSet, network} = pluginNamed(node.plugin);
  const isAgent = metadata.ownerReferences?.some(({kind, name}) => kind === 'DaemonSet' && name === agentSet);
  if (node.os !== 'windows' || !isAgent) return true;
  return rows(node.state, 'hnsNetworks').some(({Name}) => Name === network);
}

const viewerRules: readonly Rule[] = [
  {verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*']},
  {verbs: ['get'], nonResourceURLs: ['*']},
];

function accessOf(access: ScenarioAccess): Access {
  if (access === 'admin') return new Access('demo', [everythingRule], ['system:masters']);
  if (access === 'viewer') return new Access('demo-viewer', viewerRules);
  return new Access(access.user, access.rules);
}

const othersOf = (access: ScenarioAccess) => (typeof access === 'string' ? {} : access.others);

/** What the controllers put into every new namespace. */
function fillNamespace(store: Store, {type, resource, object}: StoreEvent): void {
  if (resource !== namespaceType || type !== 'ADDED') return;
  const namespace = object.metadata.name;
  store.create(serviceAccountType, {apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name: 'default', namespace}});
  const metadata = {name: 'kube-root-ca.crt', namespace};
  store.create(configMapType, {apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {'ca.crt': ''}});
}
