import {contentOf, fileAt, writeFile, writeLog} from '../../node/files.js';
import {HnsFactory} from '../../node/hns.js';
import {startProgram} from '../../node/programs.js';
import type {NodeState} from '../../node/state.js';
import {addNetwork, networkNamed} from '../../node/switch.js';
import {binary, log} from '../../node/windows.js';
import type {NodePlan} from '../../plan.js';
import {nodeAddress, startKubeProxy} from '../kube-proxy.js';
import type {Added, Started, Starting, WaitingPod} from '../plugin.js';
import {attach, freeOf, sandboxOf} from '../start.js';
import {cniTime} from './files.js';
import {azureNetwork, podEndpoint} from './hns.js';
import {
  cniLog,
  endpointsFile,
  lockFile,
  networkGone,
  networkName,
  placeholderName,
  stateFile,
  version,
} from './names.js';
import {readState, rememberedEndpoint, writeState} from './state-file.js';

/** azure-cns assigns addresses but creates no network: the first pod does. */
export function azureStart({state, now, random}: Starting): Started {
  startProgram(state, 'azure-cns.exe', now, 13, random);
  return {ready: true};
}

const failed = (why: string): Added => ({ready: false, why: `plugin type="azure-vnet" failed (add): ${why}`});

/** Azure CNI relies on its state file: creates the network if the file has none, otherwise opens that network. */
export function addAzurePod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  if (fileAt(state, lockFile)) return failed('timed out locking store');
  const remembered = remember(state, node);
  if (remembered === 'broken')
    return failed('Failed to initialize key-value store of network plugin: invalid character');
  const factory = new HnsFactory(node.release, random.for('hns'));
  const present = networkNamed(state, networkName);
  if (remembered && remembered.network !== present?.ID) return {ready: false, why: networkGone};
  if (!remembered && present)
    return failed('hcnCreateNetwork failed in Win32: The network already exists. (0x803b0010)');
  if (!present) {
    const layer = networkNamed(state, placeholderName)?.LayeredOn;
    addNetwork(state, azureNetwork(factory, cluster, node, now, layer), random);
  }
  const network = networkNamed(state, networkName) ?? {};
  const pod = sandboxOf(starting, waiting, () => freeOf(state, node, node.podCIDR, 4));
  if (!pod) return failed('no IP addresses available');
  const endpoint = new HnsFactory(node.release, random.for(pod.sandbox)).endpoint(
    now,
    network,
    podEndpoint(cluster, node, pod),
  );
  attach(starting, endpoint, 1500);
  const entry = rememberedEndpoint(cluster, pod, String(network.ID), String(endpoint.ID));
  const endpoints = {...remembered?.endpoints, [String(entry.Id)]: entry};
  writeFile(state, writeState(cluster, node, {network: String(network.ID), endpoints}, now));
  writeFile(state, binary(endpointsFile, now, 1_560 * Object.keys(endpoints).length));
  writeLog(
    state,
    log(cniLog, 520_600, now, [
      `${cniTime(now)} [cni-net] Plugin azure-vnet version ${version(cluster)}.`,
      `${cniTime(now)} [cni-net] ADD command completed for pod ${pod.name} with IPs:[{IP:${pod.address} Mask:ffff0000}]`,
    ]),
  );
  return {ready: true, pod};
}

function remember(state: NodeState, node: NodePlan) {
  if (!fileAt(state, stateFile)) return undefined;
  try {
    return readState(contentOf(state, stateFile), node);
  } catch {
    return 'broken';
  }
}

export const azureProxyStart = (starting: Starting): Started =>
  startKubeProxy(starting, {network: networkName, sourceVip: nodeAddress});
