import {createHash} from 'node:crypto';
import type {NodeSubject} from '../../model/check.js';
import type {PlanStep} from '../../model/plan.js';
import type {ClientStep} from '../../model/repair-plan.js';
import {sameCidr} from '../../snapshot/addresses.js';
import {type Endpoint, same} from '../../snapshot/hns.js';
import {sitsOnNic} from './carrier.js';
import {localEndpoints, ownerOf, podName} from './endpoints.js';
import {uplinkOf} from './uplink.js';

/** What of a node a plan depends on, each thing by a name that a person knows, with what it was. */
export type State = Record<string, string>;

interface Steps {
  readonly before: readonly ClientStep[];
  readonly steps: readonly PlanStep[];
  readonly after: readonly ClientStep[];
  readonly remakes: readonly string[];
}

const absent = 'not there';

/** The state behind these steps, no more and no less: what they do not touch may change without making them wrong. */
export function stateOf(subject: NodeSubject, {before, steps, after, remakes}: Steps): State {
  const {node, plugin} = subject;
  const entries: [string, string][] = [
    ['network plugin', [plugin.name, plugin.variant].filter(Boolean).join(' ')],
    ['boot', node.os?.bootedAt === undefined ? 'unknown' : new Date(node.os.bootedAt).toISOString()],
    // Every network on a NIC decides which step cuts, and which network is whose.
    ...(node.hnsNetworks ?? []).filter(sitsOnNic).map((network): [string, string] => {
      const on = network.extensions.filter(({enabled}) => enabled).map(({id}) => id);
      const parts = [network.type, network.id, network.managementIp, `layer ${network.layeredOn}`, ...on.sort()];
      return [`HNS network ${network.name}`, parts.filter(Boolean).join(', ')];
    }),
    ...steps.flatMap(step => dependencies(subject, step)),
    ...[...before, ...after].flatMap(step => clientDependencies(subject, step)),
    ...localEndpoints(
      subject,
      (node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name)),
    ).map(endpoint => endpointEntry(subject, endpoint)),
    ...(steps.some(({cuts}) => cuts) ? ownNetwork(subject) : []),
  ];
  // Two things may have one name, and several steps may depend on one thing.
  const byName = Map.groupBy(entries, ([key]) => key);
  return Object.fromEntries(
    [...byName.keys()]
      .sort()
      .map(key => [key, [...new Set(byName.get(key)?.map(([, value]) => value))].sort().join('; ')]),
  );
}

export function hashOf(state: State): string {
  const entries = Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}

/** What has moved on since a plan was made, one sentence each. */
export function differences(then: State, now: State): string[] {
  const keys = [...new Set([...Object.keys(then), ...Object.keys(now)])].sort();
  return keys
    .filter(key => (then[key] ?? absent) !== (now[key] ?? absent))
    .map(key => `${key}: was ${then[key] ?? absent}, is ${now[key] ?? absent}`);
}

function dependencies(subject: NodeSubject, step: PlanStep): [string, string][] {
  const {node} = subject;
  switch (step.do) {
    case 'ovs.deleteBridge': {
      const bridge = node.ovs?.bridges.find(({name}) => same(name, step.with.bridge));
      const ports = bridge?.ports.map(({name}) => name).sort();
      return [
        [
          `OVS bridge ${step.with.bridge}`,
          ports ? `ports ${ports.join(', ') || 'none'}` : node.ovs ? absent : 'not read',
        ],
      ];
    }
    case 'hns.removeNetwork':
      return (node.hnsEndpoints ?? [])
        .filter(({networkId, remote}) => !remote && same(networkId ?? '', step.with.id))
        .map(endpoint => endpointEntry(subject, endpoint));
    case 'hns.removeEndpoint':
      return (node.hnsEndpoints ?? [])
        .filter(({id}) => same(id, step.with.id))
        .map(endpoint => endpointEntry(subject, endpoint));
    case 'vswitch.remove':
    case 'vnic.remove': {
      const name = step.do === 'vswitch.remove' ? step.with.name : step.with.switchName;
      const found = node.vmSwitches?.find(its => same(its.name, name));
      return [
        [`switch ${name}`, found ? `${found.type ?? ''} on ${found.adapterDescription ?? 'no NIC'}`.trim() : absent],
      ];
    }
    case 'vswitch.setExtension': {
      const {switchName, extensionId} = step.with;
      const found = node.vmSwitchExtensions?.find(
        row => same(row.id, extensionId) && same(row.switchName ?? '', switchName),
      );
      return [
        [`extension ${found?.name ?? extensionId} on ${switchName}`, found ? (found.enabled ? 'on' : 'off') : absent],
      ];
    }
    case 'adapter.setBinding': {
      const {adapter, componentId} = step.with;
      const found = node.adapterBindings?.find(its => same(its.adapter, adapter) && its.component === componentId);
      return [[`binding ${componentId} of ${adapter}`, found ? (found.enabled ? 'on' : 'off') : absent]];
    }
    case 'service.start':
    case 'service.stop':
    case 'service.restart': {
      const found = node.services?.find(({name}) => same(name, step.with.name));
      return [[`service ${step.with.name}`, found?.state ?? absent]];
    }
    case 'file.remove': {
      const found = node.files?.find(({path, exists}) => exists && same(path, step.with.path));
      const written = found?.writtenAt === undefined ? 'unknown' : new Date(found.writtenAt).toISOString();
      return [[`file ${step.with.path}`, found ? `written ${written}` : absent]];
    }
    case 'registry.removeValue': {
      const found = node.registry?.find(({path, name}) => same(path, step.with.path) && same(name, step.with.name));
      return [[`registry value ${step.with.path}\\${step.with.name}`, found ? String(found.value) : absent]];
    }
    case 'route.add': {
      const {destination, adapter} = step.with;
      const found =
        node.netRoutes?.filter(({prefix, persistent}) => !persistent && sameCidr(prefix, destination)) ?? [];
      const ways = found.map(({nextHop, adapter: its}) => `via ${nextHop} on ${its}`);
      return [[`route ${destination} (on ${adapter})`, ways.sort().join(', ') || absent]];
    }
    case 'firewall.allow': {
      const found = node.firewall?.rules.find(({name}) => name === step.with.name);
      return [[`firewall rule ${step.with.name}`, found ? (found.enabled ? 'on' : 'off') : absent]];
    }
    default:
      return [];
  }
}

function clientDependencies({cluster, object}: NodeSubject, step: ClientStep): [string, string][] {
  if (step.do !== 'pod.delete')
    return [[`node ${step.with.node}`, object?.spec?.unschedulable ? 'cordoned' : 'schedulable']];
  const {namespace, name} = step.with;
  const pod = cluster?.find('Pod', name, namespace);
  return [[`pod ${namespace}/${name}`, pod ? `on ${pod.spec.nodeName ?? 'no node'}` : absent]];
}

function endpointEntry(subject: NodeSubject, endpoint: Endpoint): [string, string] {
  const owner = ownerOf(subject, endpoint);
  const whose = owner.kind === 'pod' ? `of pod ${podName(owner.pod)}` : `of ${owner.kind}`;
  return [`HNS endpoint ${endpoint.name}`, [endpoint.ip, `state ${endpoint.state ?? 'unknown'}`, whose].join(', ')];
}

function ownNetwork(subject: NodeSubject): [string, string][] {
  const uplink = uplinkOf(subject);
  if (!uplink) return [['address of the node', 'on no adapter']];
  const {adapter, nic, address, prefixLength, gateway, dnsServers, routes} = uplink;
  return [
    [
      'address of the node',
      `${address}/${prefixLength ?? '?'} on ${adapter} over ${nic}, ${uplink.static ? 'static' : 'leased'}, gateway ${gateway ?? 'none'}`,
    ],
    ['DNS servers of the node', dnsServers.join(', ') || 'none'],
    ...routes.map(({destination, nextHop}): [string, string] => [`added route ${destination}`, `via ${nextHop}`]),
  ];
}
