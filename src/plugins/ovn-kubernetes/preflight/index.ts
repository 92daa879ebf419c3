import {linuxNodes, serverVersionAtLeast} from '../../../checks/prerequisites/kubernetes.js';
import {apiServerReachable, ipv4Address, joined} from '../../../checks/prerequisites/node-identity.js';
import {openPorts} from '../../../checks/prerequisites/open-ports.js';
import {firstConf, noOtherPlugin, onLinux} from '../../../checks/prerequisites/other-plugins.js';
import {imagesFit, withKubeProxy} from '../../../checks/prerequisites/pod-network-needs.js';
import {anyRuntime} from '../../../checks/prerequisites/runtime.js';
import {
  containersFeature,
  overlayUpdate,
  windowsServer,
  windowsVersion,
} from '../../../checks/prerequisites/windows.js';
import type {Check} from '../../../model/check.js';
import type {Installation, Preflight} from '../../../model/plugin-preflight.js';
import {hybridNetwork, installOnLinux, nodeSubnet, vxlanPort} from './cluster-needs.js';

/** Only the hybrid overlay: OVN itself has not supported Windows since July 2020. */
export const ovnKubernetesPreflight: Preflight = {
  guide: 'https://github.com/ovn-kubernetes/ovn-kubernetes/tree/master/go-controller/hybrid-overlay',
  modes: [],
  modeIn: () => undefined,
  variantOf: () => 'hybrid-overlay',
  prerequisites,
  install: ({node, cluster}) =>
    cluster?.known('Namespace').some(({metadata}) => metadata.name === 'openshift-windows-machine-config-operator')
      ? []
      : [`hybrid-overlay-node.exe --node ${node.name} --k8s-kubeconfig C:\\k\\config --windows-service`],
};

function prerequisites(target: Installation): readonly Check[] {
  return [
    serverVersionAtLeast(target, '1.14'),
    linuxNodes(target),
    onLinux(target, installOnLinux),
    hybridNetwork(target),
    windowsServer(target),
    windowsVersion(target),
    overlayUpdate(target),
    vxlanPort(target),
    containersFeature(target),
    anyRuntime(target),
    imagesFit(target),
    joined(target),
    apiServerReachable(target),
    ipv4Address(target),
    nodeSubnet(target),
    openPorts(target),
    noOtherPlugin(target),
    firstConf(target, 'cni.conf'),
    withKubeProxy(target),
  ];
}
