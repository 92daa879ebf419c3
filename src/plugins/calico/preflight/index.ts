import {hostProcessPods, linuxNodes} from '../../../checks/prerequisites/kubernetes.js';
import {apiServerReachable, ipv4Address, joined} from '../../../checks/prerequisites/node-identity.js';
import {openPorts} from '../../../checks/prerequisites/open-ports.js';
import {firstConf, noOtherPlugin, onLinux} from '../../../checks/prerequisites/other-plugins.js';
import {sameSubnet} from '../../../checks/prerequisites/plain-routes.js';
import {withKubeProxy} from '../../../checks/prerequisites/pod-network-needs.js';
import {hostProcessRuntime} from '../../../checks/prerequisites/runtime.js';
import {containersFeature, windowsServer} from '../../../checks/prerequisites/windows.js';
import type {Check} from '../../../model/check.js';
import type {Installation, Preflight} from '../../../model/plugin-preflight.js';
import {unreadNode} from '../../../snapshot/node.js';
import {recognise} from '../recognise.js';
import {
  bgpOff,
  calicoVersion,
  installOnLinux,
  serviceCidrs,
  servicesEndpoint,
  vxlanPort,
  vxlanVni,
} from './cluster-needs.js';
import {remoteAccess, windowsBuild} from './node-needs.js';
import {encapsulation, onePoolType, strictAffinity} from './pools.js';

export const calicoPreflight: Preflight = {
  guide: 'https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/requirements',
  modes: ['vxlan', 'bgp'],
  modeIn: cluster =>
    recognise({cluster, object: undefined, node: unreadNode('')})?.variant === 'bgp' ? 'bgp' : 'vxlan',
  variantOf: mode => mode,
  prerequisites,
  // The operator installs it on every Windows node.
  install: () => [],
};

function prerequisites(target: Installation, mode: string | undefined): readonly Check[] {
  const overlay = mode !== 'bgp';
  return [
    linuxNodes(target),
    onLinux(target, installOnLinux),
    calicoVersion(target),
    strictAffinity(target),
    encapsulation(target, overlay ? 'vxlan' : 'bgp'),
    onePoolType(target),
    ...(overlay ? [bgpOff(target), vxlanVni(target), vxlanPort(target)] : []),
    servicesEndpoint(target),
    serviceCidrs(target),
    windowsServer(target),
    windowsBuild(target),
    containersFeature(target),
    hostProcessRuntime(target),
    hostProcessPods(target),
    joined(target),
    apiServerReachable(target),
    ipv4Address(target),
    ...(overlay ? [] : [remoteAccess(target), sameSubnet(target, {advised: true})]),
    openPorts(target, {itself: overlay}),
    noOtherPlugin(target),
    firstConf(target, '10-calico.conf'),
    withKubeProxy(target),
  ];
}
