import {isVirtual, nicOf} from '../../checks/net/adapters.js';
import {isForwarding} from '../../checks/ovs/extension-ids.js';
import {podNetwork} from '../../checks/pod-network.js';
import {problems} from '../../diagnose/failures.js';
import type {NodeSubject} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import type {CheckedNode} from '../../model/result.js';
import {onOneSwitch} from '../../repair/node/address-carrier.js';
import {internalIp} from '../../snapshot/cluster.js';
import {type Network, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {SectionName} from '../../snapshot/section-names.js';
import type {Adapter, VmSwitch} from '../../snapshot/sections.js';
import {expectedNetwork, missingNetworkPart, networkPart, strayBridges} from './network-parts.js';
import type {Part, Topology} from './part.js';
import {type TroubleFinder, troubleFinder, withTrouble} from './trouble.js';

const drawn: readonly SectionName[] = [
  'netAdapters',
  'netIPAddresses',
  'vmSwitches',
  'vmSwitchExtensions',
  'hnsNetworks',
  'hnsEndpoints',
  'ovs',
];

/** A node's network as it was read, with the parts marked that findings name. */
export function topologyOf({subject, results, ofCluster}: CheckedNode): Topology {
  const {node, object, plugin} = subject;
  const address = internalIp(object);
  return {
    node: node.name,
    ...(address !== undefined && {address}),
    plugin: [plugin.name, plugin.version, plugin.variant && `(${plugin.variant})`].filter(Boolean).join(' '),
    parts: new Builder(subject, troubleFinder(results)).parts(),
    ...(ofCluster.length > 0 && {
      ofCluster: problems(ofCluster).map(({id, severity, message}) => ({
        id,
        severity: severity === 'error' ? 'error' : 'warning',
        message,
      })),
    }),
    unread: [
      ...(plugin.undetermined === undefined ? [] : [`network plugin: ${plugin.undetermined}`]),
      // If the plugin does not use OVS, the drawing is complete without it.
      ...drawn.flatMap(section => {
        const isGap = section !== 'ovs' || plugin.undetermined !== undefined || usesOvs(subject);
        const error = isGap ? node.errors[section] : undefined;
        return error ? [`${section}: ${error.message || error.kind}`] : [];
      }),
    ],
  };
}

class Builder {
  readonly #subject: NodeSubject;
  readonly #node: NodeModel;
  readonly #trouble: TroubleFinder;
  readonly #placed = new Set<unknown>();

  constructor(subject: NodeSubject, trouble: TroubleFinder) {
    this.#subject = subject;
    this.#node = subject.node;
    this.#trouble = trouble;
  }

  parts(): Part[] {
    const {netAdapters = [], vmSwitches = [], hnsNetworks = []} = this.#node;
    const physical = netAdapters.filter(adapter => !isVirtual(adapter)).map(adapter => this.#physical(adapter));
    const unplugged = this.#left(vmSwitches).map(one => this.#switch(one));
    const loose = this.#left(hnsNetworks).map(one => this.#network(one));
    return [...physical, ...unplugged, ...loose, ...this.#missing()];
  }

  #physical(adapter: Adapter): Part {
    const switches = (this.#node.vmSwitches ?? []).filter(
      ({adapterDescription: its}) => its !== undefined && its === adapter.description,
    );
    const onIt = switches.filter(one => !this.#placed.has(one)).map(one => this.#switch(one));
    const bare = this.#left(this.#node.hnsNetworks).filter(
      network => this.#switchOf(network) === undefined && nicOf(this.#node, network) === adapter,
    );
    return this.#adapter(adapter, [...onIt, ...bare.map(network => this.#network(network))]);
  }

  #adapter(adapter: Adapter, parts: readonly Part[] = []): Part {
    this.#placed.add(adapter);
    const addresses = addressTexts(this.#node, adapter);
    return {
      kind: 'adapter',
      name: adapter.name,
      details: [adapter.status, adapter.speed, ...addresses].filter(text => text !== undefined),
      missing: false,
      ...withTrouble(
        this.#trouble('netAdapters', adapter.name) ??
          this.#trouble('netIPAddresses', adapter.name, ...addresses.map(text => text.split('/')[0])) ??
          this.#trouble('adapterBindings', adapter.name),
      ),
      parts,
    };
  }

  #switch(one: VmSwitch): Part {
    this.#placed.add(one);
    const networks = this.#left(this.#node.hnsNetworks).filter(network => this.#switchOf(network) === one);
    const hosts = this.#left(this.#node.netAdapters).filter(
      adapter => isVirtual(adapter) && this.#isHostOf(adapter, one, networks),
    );
    return {
      kind: 'switch',
      name: one.name,
      details: one.type === undefined ? [] : [one.type.toLowerCase()],
      missing: false,
      ...withTrouble(this.#trouble('vmSwitches', one.name)),
      parts: [
        ...this.#extensions(one),
        ...hosts.map(adapter => this.#adapter(adapter)),
        ...networks.map(network => this.#network(network)),
      ],
    };
  }

  /** All forwarding extensions, and other extensions that are enabled. */
  #extensions(one: VmSwitch): Part[] {
    const all = (this.#node.vmSwitchExtensions ?? []).filter(({switchId, switchName}) =>
      switchId !== undefined && one.id !== undefined ? switchId === one.id : same(switchName ?? '', one.name),
    );
    return all
      .filter(extension => extension.enabled || isForwarding(extension))
      .map(extension => ({
        kind: 'extension',
        name: extension.name ?? extension.id,
        details: [extension.enabled ? (extension.running === false ? 'on, not running' : 'on') : 'off'],
        missing: false,
        ...withTrouble(
          this.#trouble('vmSwitchExtensions', `${extension.name ?? 'Open vSwitch Extension'} on ${one.name}`),
        ),
        parts: [],
      }));
  }

  #network(network: Network): Part {
    this.#placed.add(network);
    return networkPart(this.#subject, network, this.#trouble);
  }

  /** The plugin's network if HNS does not have it, and bridges without a switch. */
  #missing(): Part[] {
    const expected = expectedNetwork(this.#subject);
    if (this.#node.hnsNetworks === undefined || podNetwork(this.#node, expected) !== undefined) return [];
    if (expected && expected.absentBecause === undefined)
      return [missingNetworkPart(this.#subject, expected.name, this.#trouble)];
    return strayBridges(this.#subject, this.#trouble);
  }

  #switchOf(network: Network): VmSwitch | undefined {
    const {vmSwitches = [], hnsNetworks = []} = this.#node;
    const named = (name: string) => vmSwitches.find(one => same(one.name, name));
    const sharers = hnsNetworks.filter(other => onOneSwitch(network, other));
    const nic = nicOf(this.#node, network);
    return (
      [network, ...sharers].map(({name}) => named(name)).find(one => one !== undefined) ??
      vmSwitches.find(({adapterDescription: its}) => its !== undefined && its === nic?.description)
    );
  }

  /** Whether the adapter connects the host to a switch: it has the node's address, or the name or MAC of the switch. */
  #isHostOf(adapter: Adapter, one: VmSwitch, networks: readonly Network[]): boolean {
    const nic = this.#node.netAdapters?.find(
      ({description}) => description !== undefined && description === one.adapterDescription,
    );
    const inside = /^vEthernet \((.+)\)( \d+)?$/i.exec(adapter.name)?.[1];
    const addresses = addressTexts(this.#node, adapter).map(text => text.split('/')[0]);
    return (
      networks.some(({managementIp}) => managementIp !== undefined && addresses.includes(managementIp)) ||
      [one.name, nic?.name].some(name => name !== undefined && inside !== undefined && same(name, inside)) ||
      (nic?.mac !== undefined && nic.mac === adapter.mac)
    );
  }

  #left<T>(all: readonly T[] | undefined): T[] {
    return (all ?? []).filter(one => !this.#placed.has(one));
  }
}

/** Without IPv6 link-local addresses, which every adapter has. */
export function addressTexts({netIPAddresses = []}: NodeModel, {name, index}: Adapter): string[] {
  return netIPAddresses
    .filter(its => (index !== undefined && its.index !== undefined ? its.index === index : same(its.adapter, name)))
    .filter(({ip}) => !/^fe80:/i.test(ip))
    .map(({ip, prefixLength}) => (prefixLength === undefined ? ip : `${ip}/${prefixLength}`));
}
