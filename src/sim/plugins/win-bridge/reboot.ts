import type {JsonObject} from '../../json.js';
import {addRows, editRows, removeRows} from '../../node/edit.js';
import {writeFile} from '../../node/files.js';
import {HnsFactory} from '../../node/hns.js';
import {HostNetwork} from '../../node/host-network.js';
import {type NodeState, rows} from '../../node/state.js';
import {countEndpoints, networkNamed} from '../../node/switch.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {after, before, hour, minute, nodeTime, second} from '../../time.js';
import {leaseFile} from '../host-local.js';
import {nodesOf} from '../plugin.js';
import {freeOf, podsAfterBoot, startingAfterBoot} from '../start.js';
import {hostEndpoint, hostMac, podEndpoint} from './hns.js';
import {name, networkName, routesTask} from './names.js';
import {addHostAdapter} from './node.js';
import {addWinBridgePod, winBridgeProxyStart} from './start.js';

const podsAt = (bootedAt: Date) => after(bootedAt, 5 * minute);

/** The bridge network survives a reboot, so win-bridge finds it and pods start again. */
export const winBridgePodsAfterReboot = (node: NodePlan, bootedAt: Date): PodPlan[] =>
  podsAfterBoot(node, podsAt(bootedAt));

/**
 * The route script ran before its adapter existed, and gave up. Pods that moved while the node was down left leases and
 * an endpoint behind, and HNS did not release old load balancers when kube-proxy removed them
 * (kubernetes/kubernetes#113524).
 */
export function winBridgeAfterReboot(cluster: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void {
  const peers = new Set(nodesOf(cluster, name).map(peer => peer.podCIDR));
  removeRows(state, 'netRoutes', route => peers.has(String(route.DestinationPrefix)));
  const [leaked, ...leased] = podsBefore(node, state, bootedAt);
  const left = leftLists(state);
  makeHostEndpoint(node, state, after(bootedAt, 2 * minute));
  for (const pod of node.pods) addWinBridgePod(startingAfterBoot(cluster, node, state, podsAt(bootedAt)), pod);
  winBridgeProxyStart(startingAfterBoot(cluster, node, state, after(bootedAt, 154 * second)));
  addRows(state, 'hnsPolicyLists', ...left);
  for (const {address, startedAt, sandbox} of leased) {
    writeFile(state, leaseFile(networkName, address, startedAt, sandbox));
  }
  const bridge = networkNamed(state, networkName);
  if (leaked && bridge) {
    const factory = new HnsFactory(node.release, node.random.for('leaked'));
    const endpoint = factory.endpoint(leaked.startedAt, bridge, podEndpoint(cluster, node, leaked));
    addRows(state, 'hnsEndpoints', {...endpoint, SharedContainers: [], State: 4});
  }
  countEndpoints(state);
  editRows(
    state,
    'scheduledTasks',
    task => task.TaskName === routesTask,
    () => ({LastRunTime: nodeTime(after(bootedAt, 31 * second)), LastTaskResult: 1}),
  );
}

/** Pods that the node no longer has. */
function podsBefore(node: NodePlan, state: NodeState, bootedAt: Date): PodPlan[] {
  const pods: PodPlan[] = [];
  for (const part of ['one', 'two', 'three']) {
    const random = node.random.for(`gone/${part}`);
    const address = freeOf(state, {...node, pods: [...node.pods, ...pods]}, node.podCIDR, 40);
    pods.push({
      name: `batch-${random.suffix(5)}`,
      namespace: node.pods[0]?.namespace ?? 'default',
      app: 'batch',
      replicaSet: '',
      number: node.pods.length,
      overall: 0,
      address: address ?? '',
      sandbox: random.hex(64),
      startedAt: before(bootedAt, random.int(4, 40) * hour),
      targetPort: 80,
      random,
    });
  }
  return pods;
}

/** Load balancers whose endpoints were lost at boot. */
function leftLists(state: NodeState): JsonObject[] {
  const known = new Set(rows(state, 'hnsEndpoints').map(({ID}) => `/endpoints/${String(ID).toLowerCase()}`));
  return rows(state, 'hnsPolicyLists').filter(
    ({References}) => Array.isArray(References) && References.some(reference => !known.has(String(reference))),
  );
}

/** start-kubelet.ps1 creates and attaches it at every boot. */
function makeHostEndpoint(node: NodePlan, state: NodeState, at: Date): void {
  const bridge = networkNamed(state, networkName);
  if (!bridge) return;
  const random = node.random.for('host after boot');
  addRows(state, 'hnsEndpoints', hostEndpoint(new HnsFactory(node.release, random), node, bridge, at, hostMac(node)));
  const host = new HostNetwork(random, state);
  addHostAdapter(host, node, host.nextIndex());
  Object.assign(state.sections, host.sections());
}
