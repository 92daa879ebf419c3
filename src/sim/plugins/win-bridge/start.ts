import {HnsFactory} from '../../node/hns.js';
import {networkNamed} from '../../node/switch.js';
import {exhausted, freeAddress, lease} from '../host-local.js';
import {nodeAddress, startKubeProxy} from '../kube-proxy.js';
import type {Added, Started, Starting, WaitingPod} from '../plugin.js';
import {attach, sandboxOf} from '../start.js';
import {podEndpoint} from './hns.js';
import {networkName, noNetwork} from './names.js';

/** win-bridge never creates the network: a user or a script must create it (containernetworking plugins). */
export function addWinBridgePod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  const network = networkNamed(state, networkName);
  if (!network) return {ready: false, why: noNetwork};
  if (!/^l2(bridge|tunnel)$/i.test(String(network.Type)))
    return {ready: false, why: `plugin type="win-bridge" failed (add): network "${networkName}" is of unexpected type`};
  const pod = sandboxOf(starting, waiting, () => freeAddress(state, networkName, node, 3));
  if (!pod) return {ready: false, why: exhausted('win-bridge', networkName, node.podCIDR)};
  const factory = new HnsFactory(node.release, random.for(pod.sandbox));
  attach(starting, factory.endpoint(now, network, podEndpoint(cluster, node, pod)), 1500);
  lease(state, networkName, pod);
  return {ready: true, pod};
}

export const winBridgeProxyStart = (starting: Starting): Started =>
  startKubeProxy(starting, {network: networkName, sourceVip: nodeAddress});
