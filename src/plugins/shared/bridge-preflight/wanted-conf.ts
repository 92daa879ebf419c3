import {podRanges, serviceRanges} from '../../../checks/cluster-network.js';
import {nodeAddressHolder} from '../../../checks/net/adapters.js';
import {listProperty, property, textProperty} from '../../../lib/json-properties.js';
import type {NodeSubject} from '../../../model/check.js';
import {networkPrefix, nthAddress} from '../../../snapshot/addresses.js';
import {internalIp, podCidr} from '../../../snapshot/cluster.js';
import {dnsServiceAddress, type Json, withKey} from './bridge-conf.js';

type Name = 'win-bridge' | 'wincni';

/** The key of the list of policies. */
const policyKey: Readonly<Record<Name, string>> = {'win-bridge': 'policies', wincni: 'AdditionalArgs'};

/**
 * The whole configuration for a node, with the ranges of the cluster and placeholders in capitals for unknown values.
 */
export function wantedConf(subject: NodeSubject, name: Name): string {
  const {node, object, cluster} = subject;
  const subnet = podCidr(object) ?? 'POD-CIDR';
  const isWincni = name === 'wincni';
  return JSON.stringify({
    cniVersion: '0.2.0',
    name: 'l2bridge',
    type: isWincni ? 'wincni.exe' : 'win-bridge',
    ...(isWincni && {master: nicName(nodeAddressHolder(node, object)?.adapter) ?? 'Ethernet'}),
    capabilities: {portMappings: true, dns: true},
    ipam: {
      ...(isWincni ? {environment: 'azure'} : {type: 'host-local'}),
      subnet,
      routes: [{GW: nthAddress(subnet, 2) ?? 'POD-GATEWAY'}],
    },
    dns: {Nameservers: [dnsServiceAddress(cluster) ?? 'DNS-ADDRESS'], Search: ['svc.cluster.local']},
    [policyKey[name]]: [natPolicy(neededExceptions(subject)), ...neededRoutes(subject).map(routePolicy)],
  });
}

/** Adds the required exceptions and routes to the configuration; undefined for the newer format (apiVersion 2). */
export function withPolicies(json: Json, subject: NodeSubject, name: Name): Json | undefined {
  if (property(json, 'apiVersion') === 2) return undefined;
  const all = [...listProperty(json, 'policies'), ...listProperty(json, 'AdditionalArgs')];
  const type = (policy: unknown) => textProperty(property(policy, 'Value') ?? policy, 'Type')?.toLowerCase();
  const nats = all.filter(policy => type(policy) === 'outboundnat');
  const exceptions = nats
    .flatMap(policy => listProperty(property(policy, 'Value') ?? policy, 'ExceptionList'))
    .map(String);
  const routes = all
    .filter(policy => type(policy) === 'route')
    .flatMap(policy => textProperty(property(policy, 'Value') ?? policy, 'DestinationPrefix') ?? []);
  return withKey(json, policyKey[name], [
    natPolicy([...new Set([...exceptions, ...neededExceptions(subject)])]),
    ...[...new Set([...routes, ...neededRoutes(subject)])].map(routePolicy),
    ...all.filter(policy => !['outboundnat', 'route'].includes(type(policy) ?? '')),
  ]);
}

function neededExceptions({node, object, cluster}: NodeSubject): string[] {
  const held = nodeAddressHolder(node, object);
  const nodes = held?.prefixLength === undefined ? undefined : networkPrefix(`${held.ip}/${held.prefixLength}`);
  return [podRanges(cluster)[0] ?? 'CLUSTER-CIDR', serviceRanges(cluster)[0] ?? 'SERVICE-CIDR', nodes ?? 'NODE-SUBNET'];
}

function neededRoutes({object, cluster}: NodeSubject): string[] {
  return [serviceRanges(cluster)[0] ?? 'SERVICE-CIDR', `${internalIp(object) ?? 'NODE-ADDRESS'}/32`];
}

function natPolicy(exceptions: readonly string[]) {
  return {Name: 'EndpointPolicy', Value: {Type: 'OutBoundNAT', ExceptionList: exceptions}};
}

function routePolicy(prefix: string) {
  return {Name: 'EndpointPolicy', Value: {Type: 'ROUTE', DestinationPrefix: prefix, NeedEncap: true}};
}

/** The NIC below the adapter with the node address. */
function nicName(adapter: string | undefined): string | undefined {
  return /^vEthernet \((.+)\)$/.exec(adapter ?? '')?.[1] ?? adapter;
}
