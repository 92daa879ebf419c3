import type {NodeSubject} from '../../model/check.js';
import {hasIp, isHostProcess, type Pod, podIps} from '../../snapshot/cluster.js';
import {type Endpoint, type Network, same} from '../../snapshot/hns.js';
import type {OvsBridge, OvsPort} from '../../snapshot/ovs.js';
import type {Part} from './part.js';
import {type TroubleFinder, withTrouble} from './trouble.js';

const endpointStates = ['uninitialized', 'created', 'attached', 'attached', 'detached', 'degraded', 'destroyed'];

/** The network that the plugin should have; undefined if the plugin could not be determined. */
export const expectedNetwork = ({plugin}: NodeSubject) =>
  plugin.undetermined === undefined ? plugin.profile.network : undefined;

/** An HNS network with the bridges, endpoints and pods on it. */
export function networkPart(subject: NodeSubject, network: Network, trouble: TroubleFinder): Part {
  const {node} = subject;
  const endpoints = (node.hnsEndpoints ?? []).filter(endpoint => isOn(endpoint, network));
  const remote = endpoints.filter(endpoint => endpoint.remote).length;
  const expected = expectedNetwork(subject);
  const isPods = expected !== undefined && same(network.name, expected.name);
  const bridges = isPods ? (node.ovs?.bridges ?? []) : [];
  const local = endpoints.filter(endpoint => !endpoint.remote);
  return {
    kind: 'network',
    name: network.name,
    details: [
      network.type,
      ...network.subnets.map(({prefix, vsid}) => (vsid === undefined ? prefix : `${prefix} VNI ${vsid}`)),
      ...(network.managementIp === undefined ? [] : [`node ${network.managementIp}`]),
      ...(remote > 0 ? [`${remote} remote endpoint${remote === 1 ? '' : 's'}`] : []),
    ].filter(text => text !== ''),
    missing: false,
    ...withTrouble(trouble('hnsNetworks', network.name)),
    parts: [...bridgesAndEndpoints(subject, bridges, local, trouble), ...(isPods ? unwired(subject, trouble) : [])],
  };
}

/** A missing network, with the bridges and pods that depend on it. */
export function missingNetworkPart(subject: NodeSubject, name: string, trouble: TroubleFinder): Part {
  return {
    kind: 'network',
    name,
    details: [expectedNetwork(subject)?.types.join(' or ') ?? ''].filter(text => text !== ''),
    missing: true,
    ...withTrouble(trouble('hnsNetworks', name)),
    parts: [...strayBridges(subject, trouble), ...unwired(subject, trouble)],
  };
}

export function strayBridges(subject: NodeSubject, trouble: TroubleFinder): Part[] {
  return bridgesAndEndpoints(subject, subject.node.ovs?.bridges ?? [], [], trouble);
}

function bridgesAndEndpoints(
  subject: NodeSubject,
  bridges: readonly OvsBridge[],
  endpoints: readonly Endpoint[],
  trouble: TroubleFinder,
): Part[] {
  const ports = bridges.flatMap(bridge => bridge.ports.map(({name}) => name));
  const portless = endpoints.filter(({name}) => !ports.some(port => same(port, name)));
  return [
    ...bridges.map(bridge => bridgePart(subject, bridge, endpoints, trouble)),
    ...portless.map(endpoint => endpointPart(subject, endpoint, trouble)),
  ];
}

function bridgePart(
  subject: NodeSubject,
  bridge: OvsBridge,
  endpoints: readonly Endpoint[],
  trouble: TroubleFinder,
): Part {
  return {
    kind: 'bridge',
    name: bridge.name,
    details: [],
    missing: false,
    ...withTrouble(trouble('ovs', bridge.name)),
    parts: bridge.ports
      .filter(({name}) => name !== bridge.name)
      .map(port => portPart(subject, port, endpoints, trouble)),
  };
}

function portPart(subject: NodeSubject, port: OvsPort, endpoints: readonly Endpoint[], trouble: TroubleFinder): Part {
  const endpoint = endpoints.find(({name}) => same(name, port.name));
  return {
    kind: 'port',
    name: port.name,
    details: port.interfaces.flatMap(({type, options, error}) =>
      [type, remoteText(options.remote_ip), error].filter(text => text !== undefined && text !== ''),
    ) as string[],
    missing: false,
    ...withTrouble(trouble('ovs', port.name)),
    parts: endpoint ? [endpointPart(subject, endpoint, trouble)] : [],
  };
}

/** `flow`: flows set the remote address, as in Antrea. */
function remoteText(remote: string | undefined): string | undefined {
  return remote === undefined || remote === 'flow' ? remote && 'flow based' : `to ${remote}`;
}

function endpointPart(subject: NodeSubject, endpoint: Endpoint, trouble: TroubleFinder): Part {
  const {name, id, ip, state} = endpoint;
  const pod = podsOf(subject).find(candidate => hasIp(candidate, ip));
  return {
    kind: 'endpoint',
    name,
    details: [ip, state === undefined ? undefined : endpointStates[state]].filter(text => text !== undefined),
    missing: false,
    ...withTrouble(trouble('hnsEndpoints', name, id)),
    parts: pod ? [podPart(pod, [], trouble)] : [],
  };
}

/** Pods of the node without an endpoint, and therefore without a network. */
function unwired(subject: NodeSubject, trouble: TroubleFinder): Part[] {
  const {hnsEndpoints} = subject.node;
  if (hnsEndpoints === undefined) return [];
  const wired = new Set(hnsEndpoints.filter(({remote}) => !remote).map(({ip}) => ip));
  return podsOf(subject)
    .filter(pod => !podIps(pod).some(ip => wired.has(ip)))
    .map(pod => {
      const part = podPart(pod, ['no endpoint'], trouble);
      // A running pod without an endpoint is unreachable, even if no check names it.
      return pod.status?.phase === 'Running' && !part.trouble
        ? {...part, ...withTrouble({severity: 'warning', findings: []})}
        : part;
    });
}

/** Pods that have their own network and should be up. */
function podsOf({node, cluster}: NodeSubject): Pod[] {
  return (cluster?.known('Pod') ?? []).filter(
    ({spec, status}) =>
      spec.nodeName === node.name &&
      !spec.hostNetwork &&
      !isHostProcess(spec) &&
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed',
  );
}

function podPart({metadata, status}: Pod, more: readonly string[], trouble: TroubleFinder): Part {
  const name = `${metadata.namespace ?? 'default'}/${metadata.name}`;
  return {
    kind: 'pod',
    name,
    details: [status?.phase, ...more].filter(text => text !== undefined),
    missing: false,
    ...withTrouble(trouble('cluster', name, metadata.name)),
    parts: [],
  };
}

function isOn({networkId, networkName}: Endpoint, {id, name}: Network): boolean {
  return networkId === undefined ? same(networkName ?? '', name) : networkId === id;
}
