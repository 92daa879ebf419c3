import type {NodeSubject} from '../../model/check.js';
import {type Endpoint, same} from '../../snapshot/hns.js';

/** Whether a plugin uses this name for an endpoint of the node itself. */
export function isNamedAsHost({plugin}: NodeSubject, {name}: Endpoint): boolean {
  return (
    same(plugin.profile.hostEndpoint?.name ?? '', name) ||
    plugin.known.some(({footprint}) => footprint.hostEndpoints.some(own => same(own, name)))
  );
}

/**
 * Whether it is an endpoint of the node itself: by its name, its compartment, or an adapter of the host with its
 * address.
 */
export function isHostEndpoint(subject: NodeSubject, endpoint: Endpoint): boolean {
  if (isNamedAsHost(subject, endpoint) || endpoint.compartment === 1) return true;
  return subject.node.netIPAddresses?.some(address => address.ip === endpoint.ip) ?? false;
}
