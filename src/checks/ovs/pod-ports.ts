import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped} from '../../model/verdict.js';
import type {Pod} from '../../snapshot/cluster.js';
import {type Endpoint, type Network, same} from '../../snapshot/hns.js';
import {restartAgent} from '../agent.js';
import {podNetwork} from '../pod-network.js';

/** The agent creates the endpoint first and then the port. */
const startTime = 60_000;

export const podPortChecks: readonly Check[] = [
  check({
    id: 'ovs/pod-ports',
    title: 'Every pod has a port on the OVS bridge',
    failure: 'Pod has no port on the OVS bridge',
    severity: 'error',
    repair: {level: 'soft', effect: 'uncertain', restarts: 'agent'},
    plugins: 'Antrea, Kube-OVN',
    needs: ['ovs', 'hnsNetworks', 'hnsEndpoints'],
    consequenceOf: ['ovs/bridges', 'ovs/stale-bridge', 'ovs/services'],
    // In both plugins, a pod's endpoint and its port have the same name.
    appliesTo: ({plugin}) => plugin.profile.ovs !== undefined,
    run(subject) {
      const {node, plugin} = subject;
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      const bridges = node.ovs.bridges.filter(({name}) => plugin.profile.bridges.includes(name));
      if (bridges.length === 0) return skipped(`OVS has no bridge ${plugin.profile.bridges.join(' or ')}.`);
      const ports = bridges.flatMap(bridge => bridge.ports.map(({name}) => name));
      const portless = node.hnsEndpoints
        .filter(endpoint => !endpoint.remote && isOn(endpoint, network))
        .filter(({name}) => !ports.some(port => same(port, name)))
        .filter(endpoint => isInUse(endpoint, subject));
      if (portless.length === 0) return undefined;
      const names = portless.map(({name, ip}) => `${name} (${ip ?? 'no address'})`).join(', ');
      return fail(`No OVS port has the name of HNS endpoint ${names}: the traffic of its pod is dropped.`)
        .because(
          ...portless.map(({name, ip}) => ({
            section: 'hnsEndpoints',
            object: name,
            field: 'IPAddress',
            seen: ip ?? null,
          })),
          {
            section: 'ovs',
            object: plugin.profile.bridges.join(', '),
            field: 'ports',
            seen: ports,
            expected: portless.map(({name}) => name),
          },
        )
        .fixedBy(
          manual(
            restartAgent(subject),
            'If it affects pods with hostNetwork that are not HostProcess pods, upgrade Antrea to a release with the fix (2.1.1, 2.2.1, 2.3 or newer).',
          ),
        );
    },
    explain: {
      meaning:
        'Every pod has an HNS endpoint and an OVS port of the same name. This endpoint has no OVS port, so OVS drops the traffic of the pod.',
      why: 'A restart of the agent removed the ports of pods with hostNetwork that are not HostProcess pods: on Windows these still have their own address. Or the agent stopped after it created the endpoint and before it created the port.',
      see: ['Get-HnsEndpoint | Select-Object Name, IPAddress, State', 'ovs-vsctl.exe --timeout=5 list-ports br-int'],
      fix: ['Delete the pod. Its replacement gets a port.', 'Restart the agent on this node.', 'Upgrade Antrea.'],
      sources: ['https://github.com/antrea-io/antrea/issues/6943', 'https://github.com/antrea-io/antrea/pull/6944'],
    },
  }),
];

function isOn({networkId, networkName}: Endpoint, {id, name}: Network): boolean {
  return networkId === undefined ? networkName !== undefined && same(networkName, name) : networkId === id;
}

/**
 * Whether a pod that is not just starting uses the endpoint. Endpoints of deleted pods are reported by another check.
 */
function isInUse(endpoint: Endpoint, {node, cluster, now}: NodeSubject): boolean {
  if (!cluster) return endpoint.state === undefined ? endpoint.containers.length > 0 : [2, 3].includes(endpoint.state);
  const pod = cluster.podsOn(node.name).find(candidate => isOf(endpoint, candidate));
  if (!pod || pod.metadata.deletionTimestamp !== undefined) return false;
  const started = pod.status?.startTime ?? pod.metadata.creationTimestamp;
  return started === undefined || now - started >= startTime;
}

/** By address, or by name prefix for pods with hostNetwork, which are listed with the node's address. */
function isOf({name, ip}: Endpoint, {metadata, spec, status}: Pod): boolean {
  if (spec.securityContext?.windowsOptions?.hostProcess) return false;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  if (ip !== undefined && status?.podIP === ip) return true;
  const start = /^(.+)-[0-9a-f]{6}$/.exec(name)?.[1];
  return spec.hostNetwork === true && start !== undefined && metadata.name.startsWith(start);
}
