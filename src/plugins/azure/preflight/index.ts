import {linuxNodes, serverVersionAtLeast} from '../../../checks/prerequisites/kubernetes.js';
import {apiServerReachable, joined} from '../../../checks/prerequisites/node-identity.js';
import {openPorts} from '../../../checks/prerequisites/open-ports.js';
import {firstConf, noOtherPlugin} from '../../../checks/prerequisites/other-plugins.js';
import {imagesFit, nodeServices, withKubeProxy} from '../../../checks/prerequisites/pod-network-needs.js';
import {anyRuntime} from '../../../checks/prerequisites/runtime.js';
import {containersFeature, windowsServer, windowsVersion} from '../../../checks/prerequisites/windows.js';
import type {Check} from '../../../model/check.js';
import type {Installation, Preflight} from '../../../model/plugin-preflight.js';
import {cleanState, cniConfiguration, cniProgram, externalNetwork} from './node-needs.js';

export const azurePreflight: Preflight = {
  guide: 'https://github.com/Azure/azure-container-networking/blob/master/docs/cni.md',
  modes: [],
  modeIn: () => undefined,
  variantOf: () => undefined,
  prerequisites,
  // On AKS it is part of the node image; elsewhere only the files of the release have to be installed.
  install: () => [],
};

function prerequisites(target: Installation): readonly Check[] {
  return [
    serverVersionAtLeast(target, '1.9'),
    linuxNodes(target),
    windowsServer(target),
    windowsVersion(target),
    containersFeature(target),
    anyRuntime(target),
    imagesFit(target),
    joined(target),
    apiServerReachable(target),
    externalNetwork(target),
    cniConfiguration(target),
    cniProgram(target),
    cleanState(target),
    firstConf(target, '10-azure.conflist'),
    noOtherPlugin(target),
    openPorts(target),
    withKubeProxy(target),
    nodeServices(target),
  ];
}
