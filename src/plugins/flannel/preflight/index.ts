import {openPorts} from '../../../checks/prerequisites/firewall.js';
import {linuxNodes, serverVersion} from '../../../checks/prerequisites/kubernetes.js';
import {imagesFit, linuxSelectors, macSpoofing, withKubeProxy} from '../../../checks/prerequisites/network.js';
import {apiServerReachable, ipv4Address, joined, podSubnet} from '../../../checks/prerequisites/node.js';
import {firstConf, noOtherPlugin, onLinux} from '../../../checks/prerequisites/other-plugins.js';
import type {Target} from '../../../checks/prerequisites/prerequisite.js';
import {sameSubnet} from '../../../checks/prerequisites/routes.js';
import {anyRuntime} from '../../../checks/prerequisites/runtime.js';
import {
  containersFeature,
  overlayUpdate,
  windowsServer,
  windowsVersion,
} from '../../../checks/prerequisites/windows.js';
import type {Check} from '../../../model/check.js';
import {flannel} from '../index.js';
import {backendType, clusterCidr, port, vni} from './backend.js';
import {bridgeNetfilter, flannelVersion, installOnLinux, networkName, serviceHost} from './cluster.js';
import {baseFolder, networkInterface} from './node.js';

const target: Target = {
  name: 'flannel',
  title: flannel.title,
  guide: 'https://github.com/swapnil-nirmata/windows-nodes/blob/HEAD/README.md',
};

export function flannelPrerequisites(mode: string | undefined): readonly Check[] {
  const overlay = mode !== 'host-gw';
  const type = overlay ? 'vxlan' : 'host-gw';
  return [
    serverVersion(target, '1.9'),
    linuxNodes(target),
    onLinux(target, installOnLinux),
    flannelVersion(target),
    backendType(target, type),
    ...(overlay ? [vni(target), port(target)] : []),
    clusterCidr(target),
    networkName(target, type),
    linuxSelectors(target, /flannel/i),
    serviceHost(target),
    bridgeNetfilter(target),
    windowsServer(target),
    windowsVersion(target),
    ...(overlay ? [overlayUpdate(target)] : []),
    containersFeature(target),
    anyRuntime(target),
    imagesFit(target),
    joined(target),
    apiServerReachable(target),
    podSubnet(target),
    ipv4Address(target),
    networkInterface(target),
    ...(overlay ? [] : [sameSubnet(target), macSpoofing(target)]),
    baseFolder(target),
    openPorts(target),
    noOtherPlugin(target),
    firstConf(target, '10-flannel.conf'),
    withKubeProxy(target),
  ];
}
