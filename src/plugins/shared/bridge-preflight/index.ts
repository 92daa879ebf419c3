import {podRanges} from '../../../checks/cluster-network.js';
import {linuxNodes, serverVersionAtLeast} from '../../../checks/prerequisites/kubernetes.js';
import {apiServerReachable, joined, podSubnet} from '../../../checks/prerequisites/node-identity.js';
import {openPorts} from '../../../checks/prerequisites/open-ports.js';
import {firstConf, noOtherPlugin} from '../../../checks/prerequisites/other-plugins.js';
import {peerRoutesMade} from '../../../checks/prerequisites/plain-routes.js';
import {imagesFit, macSpoofing, nodeServices, withKubeProxy} from '../../../checks/prerequisites/pod-network-needs.js';
import {anyRuntime} from '../../../checks/prerequisites/runtime.js';
import {containersFeature, windowsServer, windowsVersion} from '../../../checks/prerequisites/windows.js';
import {powerShellText} from '../../../lib/quote.js';
import type {Check} from '../../../model/check.js';
import type {Installation, Preflight} from '../../../model/plugin-preflight.js';
import {forwarding, hnsNetwork, hostEndpoint, routedPods} from './bridge-network.js';
import {bridgeConfiguration, bridgeProgram, confDns, confMaster, confSubnet, outboundNat} from './configuration.js';

const guide = 'https://github.com/feiskyer/kubernetes-handbook/blob/master/setup/cluster/windows.md';

export function bridgePreflight(name: 'win-bridge' | 'wincni'): Preflight {
  return {
    guide,
    modes: [],
    modeIn: () => undefined,
    variantOf: () => undefined,
    prerequisites: target => prerequisites(name, target),
    // win-bridge needs only its CNI configuration.
    install: ({cluster}) =>
      name === 'wincni'
        ? [
            `C:\\k\\start-kubelet.ps1 -ClusterCidr ${powerShellText(podRanges(cluster)[0] ?? 'CLUSTER-CIDR')}`,
            'C:\\k\\start-kubeproxy.ps1',
            'C:\\k\\AddRoutes.ps1 (or the routes in your routers)',
          ]
        : [],
  };
}

function prerequisites(name: 'win-bridge' | 'wincni', target: Installation): readonly Check[] {
  return [
    serverVersionAtLeast(target, '1.9'),
    linuxNodes(target),
    routedPods(target),
    windowsServer(target),
    windowsVersion(target),
    containersFeature(target),
    anyRuntime(target),
    imagesFit(target),
    joined(target),
    apiServerReachable(target),
    podSubnet(target),
    bridgeConfiguration(target, name),
    confSubnet(target, name),
    ...(name === 'wincni' ? [confMaster(target)] : []),
    confDns(target, name),
    outboundNat(target, name),
    bridgeProgram(target, name),
    firstConf(target, '10-l2bridge.conf'),
    hnsNetwork(target),
    hostEndpoint(target),
    forwarding(target),
    peerRoutesMade(target),
    macSpoofing(target),
    openPorts(target),
    // Both use the network `l2bridge`: only the CNI configuration distinguishes them.
    noOtherPlugin(target, {besides: ['win-bridge', 'wincni']}),
    withKubeProxy(target),
    nodeServices(target),
  ];
}
