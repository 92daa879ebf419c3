import {linuxNodes, serverVersionAtLeast} from '../../../checks/prerequisites/kubernetes.js';
import {
  apiServerReachable,
  ipv4Address,
  joined,
  matchingNodeName,
} from '../../../checks/prerequisites/node-identity.js';
import {openPorts} from '../../../checks/prerequisites/open-ports.js';
import {firstConf, noOtherPlugin, onLinux} from '../../../checks/prerequisites/other-plugins.js';
import {driverSigning, noStaleBridge} from '../../../checks/prerequisites/ovs-needs.js';
import {freeUplink, noKubeProxy} from '../../../checks/prerequisites/pod-network-needs.js';
import {containersFeature, hyperV, overlayUpdate, windowsServer} from '../../../checks/prerequisites/windows.js';
import type {Check} from '../../../model/check.js';
import type {Installation, Preflight} from '../../../model/plugin-preflight.js';
import {
  installOnLinux,
  ipv4Only,
  kubeOvnVersion,
  noQos,
  noServices,
  providerNetwork,
  sslOff,
  subnetsBeforehand,
} from './cluster-needs.js';
import {
  installSteps,
  installWithName,
  ovsDriver,
  ovsServices,
  providerInterface,
  supportedArchitecture,
  tunnelAnnotationFits,
  tunnelUnchanged,
  windows2019,
} from './node-needs.js';
import {dockerEngine} from './runtime-needs.js';

export const kubeOvnPreflight: Preflight = {
  guide: 'https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md',
  modes: [],
  modeIn: () => undefined,
  variantOf: () => undefined,
  prerequisites,
  install: installSteps,
};

function prerequisites(target: Installation): readonly Check[] {
  return [
    serverVersionAtLeast(target, '1.17'),
    linuxNodes(target),
    onLinux(target, installOnLinux),
    kubeOvnVersion(target),
    sslOff(target),
    ipv4Only(target),
    providerNetwork(target),
    subnetsBeforehand(target),
    noQos(target),
    noServices(target),
    windowsServer(target),
    windows2019(target),
    supportedArchitecture(target),
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
    tunnelAnnotationFits(target),
    tunnelUnchanged(target),
    providerInterface(target),
    noKubeProxy(target),
    noOtherPlugin(target),
    firstConf(target, '01-kube-ovn.conflist'),
    openPorts(target),
    matchingNodeName(target, installWithName),
  ];
}
