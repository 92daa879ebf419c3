import type {Check} from '../../checks/check.js';
import {kubeOvn} from '../../cni/kube-ovn/index.js';
import type {Target} from '../prerequisite.js';
import {openPorts} from '../shared/firewall.js';
import {linuxNodes, serverVersion} from '../shared/kubernetes.js';
import {freeUplink, noKubeProxy} from '../shared/network.js';
import {apiServerReachable, ipv4Address, joined, nodeName} from '../shared/node.js';
import {firstConf, noOtherPlugin, onLinux} from '../shared/other-plugins.js';
import {driverSigning, noStaleBridge} from '../shared/ovs.js';
import {dockerEngine} from '../shared/runtime.js';
import {containersFeature, hyperV, overlayUpdate, windowsServer} from '../shared/windows.js';
import {
  installOnLinux,
  ipv4Only,
  kubeOvnVersion,
  noQos,
  providerNetwork,
  sslOff,
  subnetsBeforehand,
} from './cluster.js';
import {
  architecture,
  installWithName,
  ovsDriver,
  ovsServices,
  providerInterface,
  tunnelAnnotation,
  tunnelUnchanged,
  windows2019,
} from './node.js';

const target: Target = {
  name: 'kube-ovn',
  title: kubeOvn.title,
  guide: 'https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md',
};

export function kubeOvnPrerequisites(): readonly Check[] {
  return [
    serverVersion(target, '1.17'),
    linuxNodes(target),
    onLinux(target, installOnLinux),
    kubeOvnVersion(target),
    sslOff(target),
    ipv4Only(target),
    providerNetwork(target),
    subnetsBeforehand(target),
    noQos(target),
    windowsServer(target),
    windows2019(target),
    architecture(target),
    overlayUpdate(target),
    containersFeature(target),
    hyperV(target),
    dockerEngine(target),
    joined(target),
    apiServerReachable(target),
    ipv4Address(target),
    driverSigning(target, {required: true}),
    ovsDriver(target),
    ovsServices(target),
    noStaleBridge(target),
    freeUplink(target),
    tunnelAnnotation(target),
    tunnelUnchanged(target),
    providerInterface(target),
    noKubeProxy(target),
    noOtherPlugin(target),
    firstConf(target, '01-kube-ovn.conflist'),
    openPorts(target),
    nodeName(target, installWithName),
  ];
}
