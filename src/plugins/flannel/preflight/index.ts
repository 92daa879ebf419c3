import {linuxNodes, serverVersionAtLeast} from '../../../checks/prerequisites/kubernetes.js';
import {apiServerReachable, ipv4Address, joined, podSubnet} from '../../../checks/prerequisites/node-identity.js';
import {openPorts} from '../../../checks/prerequisites/open-ports.js';
import {firstConf, noOtherPlugin, onLinux} from '../../../checks/prerequisites/other-plugins.js';
import {sameSubnet} from '../../../checks/prerequisites/plain-routes.js';
import {
  imagesFit,
  linuxSelectors,
  macSpoofing,
  nodeServices,
  withKubeProxy,
} from '../../../checks/prerequisites/pod-network-needs.js';
import {anyRuntime} from '../../../checks/prerequisites/runtime.js';
import {
  containersFeature,
  overlayUpdate,
  windowsServer,
  windowsVersion,
} from '../../../checks/prerequisites/windows.js';
import type {Check} from '../../../model/check.js';
import type {Installation, Preflight} from '../../../model/plugin-preflight.js';
import {clusterNetConfs} from '../net-conf.js';
import {backendPort, backendType, backendVni, clusterCidr} from './backend.js';
import {bridgeNetfilter, flannelVersion, installOnLinux, networkName, serviceHost} from './cluster-needs.js';
import {baseFolder, networkInterface, setupSteps} from './node-needs.js';

export const flannelPreflight: Preflight = {
  guide: 'https://github.com/swapnil-nirmata/windows-nodes/blob/HEAD/README.md',
  modes: ['overlay', 'host-gw'],
  modeIn: cluster => (clusterNetConfs(cluster).some(({type}) => type === 'host-gw') ? 'host-gw' : 'overlay'),
  variantOf: mode => (mode === 'host-gw' ? 'host-gw' : 'vxlan'),
  prerequisites,
  install: (subject, mode) => (mode === 'host-gw' ? [] : setupSteps(subject)),
};

function prerequisites(target: Installation, mode: string | undefined): readonly Check[] {
  const overlay = mode !== 'host-gw';
  const type = overlay ? 'vxlan' : 'host-gw';
  return [
    serverVersionAtLeast(target, '1.9'),
    linuxNodes(target),
    onLinux(target, installOnLinux),
    flannelVersion(target),
    backendType(target, type),
    ...(overlay ? [backendVni(target), backendPort(target)] : []),
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
    ...(overlay ? [] : [nodeServices(target)]),
  ];
}
