import {hexAddress} from '../addresses.js';
import type {ServiceBackend, ServiceEntry} from '../cluster/service-table.js';
import type {JsonObject} from '../json.js';
import type {HnsFactory} from '../node/hns.js';

export interface Balancing {
  services: readonly ServiceEntry[];
  factory: HnsFactory;
  network: JsonObject;
  /** The existing endpoints of the network; one may be the endpoint of a backend. */
  endpoints: readonly JsonObject[];
  sourceVip: string;
  /** The node's address if the network is an overlay. Remote endpoints then have the address of their node. */
  overlayOn?: string;
  dsr?: boolean;
  made: Date;
}

/** kube-proxy: a remote endpoint for every remote backend, and a policy list for every Service port. */
export function loadBalancers({services, factory, network, endpoints, made, ...how}: Balancing) {
  const remotes = new Map<string, JsonObject>();
  const endpointOf = ({address, node: home, onHost}: ServiceBackend) => {
    const present = endpoints.find(endpoint => endpoint.IPAddress === address) ?? remotes.get(address);
    if (present) return present;
    const remote = factory.endpoint(made, network, {
      IPAddress: address,
      IsRemoteEndpoint: true,
      MacAddress: `02-11-${hexAddress(address, '-')}`,
      Name: 'Ethernet',
      Policies: how.overlayOn ? [{PA: onHost ? how.overlayOn : home.address, Type: 'PA'}] : [],
    });
    remotes.set(address, remote);
    return remote;
  };
  const policyLists = services.flatMap(({clusterIP, ports, backends}) => {
    const behind = backends.map(endpointOf);
    if (behind.length === 0) return [];
    return ports.map(({port, targetPort, protocol}) => {
      const policy = {
        ExternalPort: port,
        InternalPort: targetPort,
        ...(how.dsr && {IsDSR: true}),
        Protocol: protocol === 'UDP' ? 17 : 6,
        SourceVIP: how.sourceVip,
        Type: 'ELB',
        VIPs: [clusterIP],
      };
      return factory.policyList(made, network, policy, behind);
    });
  });
  return {remotes: [...remotes.values()], policyLists};
}
