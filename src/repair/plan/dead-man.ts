import type {NodeSubject} from '../../model/check.js';
import type {DeadMan} from '../../model/plan.js';
import {type Refusal, refusal} from '../../model/plugin-cleanup.js';
import {internalIp} from '../../snapshot/cluster.js';
import {nodeUplink} from './adapter-configuration.js';

/**
 * DHCP and the first packets on a new switch take up to a minute (ovn-kubernetes ho_node_windows.go); this leaves a
 * margin.
 */
const withinSeconds = 300;

/**
 * What must hold again after a cut. Only what holds now can be required: otherwise the node would roll back a
 * successful repair. `knownServer`: the address of the API server, if the caller knows it.
 */
export function deadManOf(subject: NodeSubject, knownServer: string | undefined): DeadMan | Refusal {
  const {node, object} = subject;
  const uplink = nodeUplink(subject);
  const address = uplink?.address ?? internalIp(object);
  if (address === undefined)
    return refusal(`The address of ${node.name} is unknown, so its recovery could not be verified.`);
  const servers = knownServer === undefined ? apiServers(subject) : [knownServer];
  const probed = (target: string) => node.probes?.find(probe => probe.kind === 'tcp' && probe.target === target);
  const apiServer = servers.find(target => probed(target)?.ok) ?? servers.find(target => probed(target) === undefined);
  if (apiServer === undefined)
    return servers.length === 0
      ? refusal('The address of the API server is unknown, so the node could not verify that its network came back.')
      : refusal(
          `${node.name} cannot reach the API server (${servers.join(', ')}) now, so it could not verify that its network came back.`,
          {next: 'Repair the node on its console.'},
        );
  const {gateway} = uplink ?? {};
  const answers = node.probes?.some(({kind, target, ok}) => kind === 'icmp' && target === gateway && ok);
  return {address, ...(gateway !== undefined && answers && {gateway}), apiServer, withinSeconds};
}

/** The API server's real address: its Service depends on the network that is removed. */
function apiServers({cluster}: NodeSubject): string[] {
  const slice = cluster?.find('EndpointSlice', 'kubernetes', 'default');
  const port = slice?.ports[0]?.port ?? 6443;
  return (slice?.endpoints ?? [])
    .flatMap(({addresses}) => addresses)
    .map(address => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`));
}
