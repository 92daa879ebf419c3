import type {Check} from '../../checks/check.js';
import {flannel} from '../../cni/flannel/index.js';
import type {Target} from '../prerequisite.js';
import {openPorts} from '../shared/firewall.js';
import {linuxNodes, serverVersion} from '../shared/kubernetes.js';
import {imagesFit, linuxSelectors, macSpoofing, withKubeProxy} from '../shared/network.js';
import {apiServerReachable, ipv4Address, joined, podSubnet} from '../shared/node.js';
import {firstConf, noOtherPlugin, onLinux} from '../shared/other-plugins.js';
import {sameSubnet} from '../shared/routes.js';
import {anyRuntime} from '../shared/runtime.js';
import {containersFeature, overlayUpdate, windowsServer, windowsVersion} from '../shared/windows.js';
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
