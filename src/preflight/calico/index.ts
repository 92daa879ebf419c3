import type {Check} from '../../checks/check.js';
import {calico} from '../../cni/calico/index.js';
import type {Target} from '../prerequisite.js';
import {openPorts} from '../shared/firewall.js';
import {hostProcessPods, linuxNodes} from '../shared/kubernetes.js';
import {withKubeProxy} from '../shared/network.js';
import {apiServerReachable, ipv4Address, joined} from '../shared/node.js';
import {firstConf, noOtherPlugin, onLinux} from '../shared/other-plugins.js';
import {sameSubnet} from '../shared/routes.js';
import {hostProcessRuntime} from '../shared/runtime.js';
import {containersFeature, windowsServer} from '../shared/windows.js';
import {bgpOff, calicoVersion, installOnLinux, port, serviceCidrs, servicesEndpoint, vni} from './cluster.js';
import {remoteAccess, windowsBuild} from './node.js';
import {encapsulation, onePoolType, strictAffinity} from './pools.js';

const target: Target = {
  name: 'calico',
  title: calico.title,
  guide: 'https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/requirements',
};

export function calicoPrerequisites(mode: string | undefined): readonly Check[] {
  const overlay = mode !== 'bgp';
  return [
    linuxNodes(target),
    onLinux(target, installOnLinux),
    calicoVersion(target),
    strictAffinity(target),
    encapsulation(target, overlay ? 'vxlan' : 'bgp'),
    onePoolType(target),
    ...(overlay ? [bgpOff(target), vni(target), port(target)] : []),
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
