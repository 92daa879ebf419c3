import type {NodeSubject} from '../../model/check.js';
import type {ClientStep, Dependency, PlanStep} from '../../model/step.js';
import {sitsOnNic} from '../node/address-carrier.js';
import {localEndpoints} from '../node/endpoint-owners.js';
import {dependenciesOf} from '../steps/all.js';
import {absent, endpointDependency} from '../steps/dependency.js';
import {nodeUplink} from './adapter-configuration.js';

/** The node state that a plan depends on: names that operators know, and their states. */
export type StateOfNode = Record<string, string>;

interface Steps {
  readonly before: readonly ClientStep[];
  readonly steps: readonly PlanStep[];
  readonly after: readonly ClientStep[];
  readonly remakes: readonly string[];
}

/** Exactly the state that these steps depend on: anything else may change without invalidating the plan. */
export function stateBehind(subject: NodeSubject, {before, steps, after, remakes}: Steps): StateOfNode {
  const {node, plugin} = subject;
  const entries: Dependency[] = [
    ['network plugin', [plugin.name, plugin.variant].filter(Boolean).join(' ')],
    ['boot', node.os?.bootedAt === undefined ? 'unknown' : new Date(node.os.bootedAt).toISOString()],
    // All networks on NICs are relevant for which steps cut and for the owners of networks.
    ...(node.hnsNetworks ?? []).filter(sitsOnNic).map((network): Dependency => {
      const on = network.extensions.filter(({enabled}) => enabled).map(({id}) => id);
      const parts = [network.type, network.id, network.managementIp, `layer ${network.layeredOn}`, ...on.sort()];
      return [`HNS network ${network.name}`, parts.filter(Boolean).join(', ')];
    }),
    ...[...steps, ...before, ...after].flatMap(step => dependenciesOf(step, subject)),
    ...localEndpoints(
      subject,
      (node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name)),
    ).map(endpoint => endpointDependency(subject, endpoint)),
    ...(steps.some(({cuts}) => cuts) ? ownNetwork(subject) : []),
  ];
  // Several objects may have the same name, and several steps may depend on the same object.
  const byName = Map.groupBy(entries, ([key]) => key);
  return Object.fromEntries(
    [...byName.keys()]
      .sort()
      .map(key => [key, [...new Set(byName.get(key)?.map(([, value]) => value))].sort().join('; ')]),
  );
}

/** What has changed since a plan was created, one sentence each. */
export function differences(then: StateOfNode, now: StateOfNode): string[] {
  const keys = [...new Set([...Object.keys(then), ...Object.keys(now)])].sort();
  return keys
    .filter(key => (then[key] ?? absent) !== (now[key] ?? absent))
    .map(key => `${key}: was ${then[key] ?? absent}, is ${now[key] ?? absent}`);
}

function ownNetwork(subject: NodeSubject): Dependency[] {
  const uplink = nodeUplink(subject);
  if (!uplink) return [['address of the node', 'on no adapter']];
  const {adapter, nic, address, prefixLength, gateway, dnsServers, routes} = uplink;
  return [
    [
      'address of the node',
      `${address}/${prefixLength ?? '?'} on ${adapter} over ${nic}, ${uplink.static ? 'static' : 'leased'}, gateway ${gateway ?? 'none'}`,
    ],
    ['DNS servers of the node', dnsServers.join(', ') || 'none'],
    ...routes.map(({destination, nextHop}): Dependency => [`added route ${destination}`, `via ${nextHop}`]),
  ];
}
