import {isVirtual} from '../../checks/net/adapters.js';
import type {NodeSubject} from '../../model/check.js';
import {type NodeStep, stepParameters} from '../../model/step.js';
import {type Endpoint, type Network, same} from '../../snapshot/hns.js';
import {localEndpoints, mayBeAttached, ownerOf} from '../node/endpoint-owners.js';
import {isOwnNetwork} from '../node/ownership.js';
import {endpointDependency} from './dependency.js';

export const hnsRemoveNetwork: NodeStep<'hns.removeNetwork'> = {
  name: 'hns.removeNetwork',
  parameters: stepParameters['hns.removeNetwork'],
  words: ({name, endpoints}) => ({
    changes: `Removes HNS network ${name}${endpoints ? ` with ${countOf(endpoints.length, 'attached endpoint')}` : ''}.`,
    requires: 'It has this id and name, and no attached endpoint that the plan does not name.',
    verifies: 'HNS has no network with this id.',
  }),
  undo: 'Recreates the network, without its endpoints. On OVS: restores the NIC without a switch.',
  cuts: ({id}, network) => network.removeNetwork(id),
  dependsOn: ({id}, subject) => endpointsOn(subject, id).map(endpoint => endpointDependency(subject, endpoint)),
  refuses({id, name}, subject) {
    const {node, plugin} = subject;
    const network = node.hnsNetworks?.find(its => same(its.id, id));
    if (!network) return `HNS network ${name} with id ${id} does not exist on ${node.name}.`;
    if (isOwnNetwork(subject, network) && same(network.name, name)) return undefined;
    return `HNS network ${network.name} does not belong to ${plugin.title} and is not removed.`;
  },
  losesEndpoints: ({id}, subject) => endpointsOn(subject, id),
  // Its id changes at every boot.
  atBoot: () => false,
};

export const hnsCreateExternal: NodeStep<'hns.createExternal'> = {
  name: 'hns.createExternal',
  parameters: stepParameters['hns.createExternal'],
  words: ({adapter}) => ({
    changes: `Creates HNS network External (Overlay, 192.168.255.0/30) on ${adapter}.`,
    requires: 'The adapter exists and is physical.',
    verifies: 'HNS has a network External.',
  }),
  undo: 'Removes it, if it did not exist before.',
  cuts: ({adapter}, network) => network.createNetwork(adapter),
  // Every plan depends on all networks on NICs anyway.
  dependsOn: () => [],
  refuses({adapter}, {node, plugin}) {
    if (plugin.profile.switchKeeper === undefined)
      return `${plugin.title} on ${node.name} does not use a network External.`;
    const found = node.netAdapters?.find(({name}) => same(name, adapter));
    if (!found) return `Adapter ${adapter} does not exist on ${node.name}.`;
    return isVirtual(found) ? `Adapter ${adapter} is virtual: the network requires a physical adapter.` : undefined;
  },
  losesEndpoints: () => [],
  atBoot: () => false,
};

export const hnsRemoveEndpoint: NodeStep<'hns.removeEndpoint'> = {
  name: 'hns.removeEndpoint',
  parameters: stepParameters['hns.removeEndpoint'],
  words: ({id}) => ({
    changes: `Removes HNS endpoint ${id}.`,
    requires: 'HNS responds.',
    verifies: 'HNS has no endpoint with this id.',
  }),
  undo: 'Recreates the endpoint, not attached.',
  // The node's own address is on an adapter, and the step refuses endpoints that the node uses.
  cuts: () => false,
  dependsOn: ({id}, subject) => endpointsWith(subject, id).map(endpoint => endpointDependency(subject, endpoint)),
  refuses: ({id}, subject, left) => whyEndpointStays(subject, id, left),
  losesEndpoints: ({id}, subject) => endpointsWith(subject, id),
  atBoot: () => false,
};

export const hnsRemovePolicyLists: NodeStep<'hns.removePolicyLists'> = {
  name: 'hns.removePolicyLists',
  parameters: stepParameters['hns.removePolicyLists'],
  words: ({ids}) => ({
    changes: ids ? `Removes ${countOf(ids.length, 'load balancer')} from HNS.` : 'Removes all load balancers from HNS.',
    requires: 'HNS responds.',
    verifies: 'HNS has none of them.',
  }),
  undo: 'Recreates those whose endpoints still exist.',
  cuts: () => false,
  // kube-proxy adds and removes load balancers all the time; one that no longer exists is not an obstacle.
  dependsOn: () => [],
  // kube-proxy owns them and recreates them when it starts.
  refuses: () => undefined,
  losesEndpoints: () => [],
  atBoot: ({ids}) => ids === undefined,
};

const countOf = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

function endpointsOn(subject: NodeSubject, networkId: string): readonly Endpoint[] {
  return localEndpoints(
    subject,
    (subject.node.hnsNetworks ?? []).filter(({id}) => same(id, networkId)),
  );
}

function endpointsWith({node}: NodeSubject, id: string): readonly Endpoint[] {
  return (node.hnsEndpoints ?? []).filter(its => same(its.id, id));
}

/** An endpoint of the node itself may be removed only if it is unused, or with its network. */
function whyEndpointStays(subject: NodeSubject, id: string, left: readonly Network[]): string | undefined {
  const {node} = subject;
  const endpoint = node.hnsEndpoints?.find(candidate => same(candidate.id, id));
  if (!endpoint) return `HNS endpoint ${id} does not exist on ${node.name}.`;
  const network = left.find(({id: its}) => its === endpoint.networkId);
  if (!network) return undefined;
  if (!isOwnNetwork(subject, network))
    return `HNS endpoint ${endpoint.name} is on ${network.name}, which does not belong to ${subject.plugin.title}.`;
  const isUsed = mayBeAttached(endpoint) && node.netIPAddresses?.some(({ip}) => ip === endpoint.ip);
  if (endpoint.remote || (ownerOf(subject, endpoint).kind === 'host' && isUsed))
    return `HNS endpoint ${endpoint.name} is in use by ${node.name} itself and is not removed.`;
  return undefined;
}
