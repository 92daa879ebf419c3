import type {NodeSubject} from '../../model/check.js';
import {type Endpoint, same} from '../../snapshot/hns.js';

/** Whether some plugin gives this name to an endpoint of the node itself. */
export function isNamedAsHost({plugin}: NodeSubject, {name}: Endpoint): boolean {
  return [
    plugin.profile.hostEndpoint?.name ?? '',
    ...plugin.known.flatMap(({footprint}) => footprint.hostEndpoints),
  ].some(own => same(own, name));
}

/** What plugins make for the node itself: by name, by where it is attached, or by the host's adapter that has its address. */
export function isHostEndpoint(subject: NodeSubject, endpoint: Endpoint): boolean {
  if (isNamedAsHost(subject, endpoint) || endpoint.compartment === 1) return true;
  return subject.node.netIPAddresses?.some(address => address.ip === endpoint.ip) ?? false;
}
