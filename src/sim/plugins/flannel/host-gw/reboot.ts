import {addRows, removeRows} from '../../../node/edit.js';
import {writeLog} from '../../../node/files.js';
import type {NodeState} from '../../../node/state.js';
import {log} from '../../../node/windows.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../../plan.js';
import {after, klogTime, minute, second} from '../../../time.js';
import {nodesOf} from '../../plugin.js';
import {podsAfterBoot, startingAfterBoot} from '../../start.js';
import {writtenAtStart} from '../files.js';
import {agentLog} from '../names.js';
import {hostGwHns} from './hns.js';
import {hostEndpointName, name, networkName} from './names.js';
import {addHostGwPod, hostGwProxyStart} from './start.js';

const podsAt = (bootedAt: Date) => after(bootedAt, 6 * minute);

/** The bridge network survives a reboot, so win-bridge finds it and pods start again. */
export const hostGwPodsAfterReboot = (node: NodePlan, bootedAt: Date): PodPlan[] =>
  podsAfterBoot(node, podsAt(bootedAt));

/**
 * The host endpoint has lost its adapter: flanneld finds it by name and waits forever to attach it
 * (flannel-io/flannel#1423). flanneld adds the routes to other nodes later, so they are missing.
 */
export function hostGwAfterReboot(cluster: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void {
  const at = (seconds: number) => klogTime(after(bootedAt, seconds * second));
  const peers = new Set(nodesOf(cluster, name).map(peer => peer.podCIDR));
  removeRows(state, 'netRoutes', route => peers.has(String(route.DestinationPrefix)));
  for (const pod of node.pods) addHostGwPod(startingAfterBoot(cluster, node, state, podsAt(bootedAt)), pod);
  hostGwProxyStart(startingAfterBoot(cluster, node, state, after(bootedAt, 4 * minute)));
  const [{CompartmentId: _, ...own} = {}] = hostGwHns(cluster, node).hnsEndpoints;
  addRows(state, 'hnsEndpoints', {...own, State: 4});
  writtenAtStart(state, after(bootedAt, 191 * second));
  writeLog(
    state,
    log(agentLog(cluster), 459_114, after(bootedAt, 200 * second), [
      `${at(145)}    2760 hostgw_windows.go:117] Found existing HNSNetwork ${networkName}`,
      `${at(145)}    2760 hostgw_windows.go:195] Found existing bridge HNSEndpoint ${hostEndpointName}`,
      `${at(152).replace('I', 'E')}    2760 main.go:359] Error registering network: failed to hot attach bridge HNSEndpoint ${hostEndpointName} to host compartment: hnsCall failed in Win32: This endpoint is already attached to the switch. (0x803b0014)`,
      `${at(199)}    4912 hostgw_windows.go:195] Found existing bridge HNSEndpoint ${hostEndpointName}`,
      `${at(200)}    4912 hostgw_windows.go:220] Waiting to attach bridge endpoint ${hostEndpointName} to host`,
    ]),
  );
}
