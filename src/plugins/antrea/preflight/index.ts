import {hostProcessPods, linuxNodes} from '../../../checks/prerequisites/kubernetes.js';
import {
  apiServerReachable,
  ipv4Address,
  joined,
  matchingNodeName,
  podSubnet,
} from '../../../checks/prerequisites/node-identity.js';
import {openPorts} from '../../../checks/prerequisites/open-ports.js';
import {firstConf, noOtherPlugin, onLinux} from '../../../checks/prerequisites/other-plugins.js';
import {driverSigning, noStaleBridge} from '../../../checks/prerequisites/ovs-needs.js';
import {freeUplink, noKubeProxy} from '../../../checks/prerequisites/pod-network-needs.js';
import {anyRuntime, hostProcessRuntime} from '../../../checks/prerequisites/runtime.js';
import {
  containersFeature,
  hyperV,
  windowsServer,
  windowsUpdates,
  windowsVersion,
} from '../../../checks/prerequisites/windows.js';
import type {Check} from '../../../model/check.js';
import type {Installation, Preflight} from '../../../model/plugin-preflight.js';
import {apiServerOverrideSet, installOnLinux} from './cluster-needs.js';
import {
  agentKubeconfigs,
  bootHook,
  ovsDriver,
  ovsRunDir,
  ovsServices,
  serviceSteps,
  setNodeName,
} from './node-needs.js';
import {containerdForKubernetes} from './runtime-needs.js';

export const antreaPreflight: Preflight = {
  guide: 'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
  // Without a mode, it is determined per node where OVS runs.
  modes: ['container', 'service'],
  modeIn: () => undefined,
  variantOf: () => undefined,
  prerequisites,
  install: (subject, mode) => (mode === 'service' ? serviceSteps(subject) : []),
};

/** `container`: OVS in the agent pod; `service`: OVS, and optionally the agent, as Windows services. */
function prerequisites(target: Installation, mode: string | undefined): readonly Check[] {
  const asService = mode === 'service';
  return [
    linuxNodes(target),
    onLinux(target, installOnLinux),
    // An agent that runs as a service has its own kubeconfig and needs no HostProcess pod.
    ...(asService ? [] : [apiServerOverrideSet(target)]),
    windowsServer(target),
    windowsVersion(target),
    windowsUpdates(target),
    containersFeature(target),
    hyperV(target),
    ...(asService
      ? [anyRuntime(target)]
      : [hostProcessRuntime(target), containerdForKubernetes(target), hostProcessPods(target)]),
    joined(target),
    apiServerReachable(target),
    podSubnet(target),
    ipv4Address(target),
    driverSigning(target, {required: false}),
    ovsServices(target, mode),
    ...(asService
      ? [ovsDriver(target), ovsRunDir(target), agentKubeconfigs(target), matchingNodeName(target, setNodeName)]
      : []),
    noStaleBridge(target),
    freeUplink(target),
    noOtherPlugin(target),
    firstConf(target, '10-antrea.conflist'),
    noKubeProxy(target),
    openPorts(target),
    bootHook(target),
  ];
}
