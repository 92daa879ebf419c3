import {nicOf} from '../../checks/net/adapters.js';
import {isOvs} from '../../checks/ovs/extension-ids.js';
import {podNetwork} from '../../checks/pod-network.js';
import type {NodeSubject} from '../../model/check.js';
import type {OwnNetwork, With} from '../../model/step.js';
import {type Network, same} from '../../snapshot/hns.js';
import {type Carrier, carrierOf, losesAddress} from '../node/address-carrier.js';

/** OVS forwards the node's own packets: without it, or without its database, they stop. */
const ovsDaemons = ['ovs-vswitchd', 'ovsdb-server'];

/** The node's own network, traced through a plan: what is left of the switch that carries the node's address decides. */
export class TracedNetwork implements OwnNetwork {
  readonly #subject: NodeSubject;
  readonly #carrier: Carrier | undefined;
  #remakes: readonly Network[];
  readonly #gone: Network[] = [];
  #switched: boolean;
  #throughOvs: boolean;
  #beingRemade = false;

  /** `remakes`: networks that the agent takes down by itself when it starts. */
  constructor(subject: NodeSubject, remakes: readonly Network[]) {
    this.#subject = subject;
    this.#remakes = remakes;
    this.#carrier = carrierOf(subject);
    this.#switched = this.#carrier?.switched ?? false;
    this.#throughOvs = this.#carrier?.throughOvs ?? false;
  }

  get throughOvs(): boolean {
    return this.#throughOvs;
  }

  get beingRemade(): boolean {
    return this.#beingRemade;
  }

  /** Whether a restart of the agent now makes, or remakes, the switch under the node's address. */
  agentCuts(): boolean {
    if (!this.#makesSwitch()) return false;
    return (
      !this.#switched || (this.#remakes.length > 0 && losesAddress(this.#carrier, [...this.#gone, ...this.#remakes]))
    );
  }

  isOnAdapter(name: string): boolean {
    if (!this.#carrier) return true;
    const {held, nic} = this.#carrier;
    return same(name, held.adapter) || (nic !== undefined && same(name, nic));
  }

  isOnSwitch(name: string): boolean {
    if (!this.#carrier) return true;
    return this.#carrier.switched && this.#carrier.switches.some(its => same(its, name));
  }

  /** What was not read may be. */
  isOnBridge(name: string): boolean {
    const {ovs} = this.#subject.node;
    const found = ovs?.bridges.find(bridge => same(bridge.name, name));
    return !ovs || this.isOnAdapter(name) || (found?.ports.some(port => this.isOnAdapter(port.name)) ?? false);
  }

  removeNetwork(id: string): boolean {
    const network = this.#subject.node.hnsNetworks?.find(candidate => same(candidate.id, id));
    if (!network) return this.#drop(true);
    const before = losesAddress(this.#carrier, this.#gone);
    this.#gone.push(network);
    const isPart = this.#carrier?.networks.includes(network) ?? true;
    return isPart && this.#drop(before || losesAddress(this.#carrier, this.#gone));
  }

  /** A first network on the adapter moves the node's address to a vNIC; whether a further one leaves it alone is not documented. */
  createNetwork(adapter: string): boolean {
    const cuts = this.isOnAdapter(adapter);
    if (cuts) this.#switched = true;
    return cuts;
  }

  removeSwitch(name: string): boolean {
    return this.#drop(this.isOnSwitch(name));
  }

  removeAdapter(name: string): boolean {
    return this.#drop(this.isOnAdapter(name));
  }

  setExtension({switchName, extensionId, enabled}: With<'vswitch.setExtension'>): boolean {
    const cuts = this.isOnSwitch(switchName);
    if (cuts && isOvs({id: extensionId.toLowerCase()})) this.#throughOvs = enabled;
    return cuts;
  }

  stopService(name: string): boolean {
    // That the host keeps its address while HNS restarts is derived, not documented: better watched.
    if (same(name, 'hns')) return true;
    return this.#throughOvs && ovsDaemons.some(daemon => same(daemon, name));
  }

  startService(name: string): boolean {
    const isAgent = this.#subject.plugin.profile.agent?.services.includes(name.toLowerCase()) ?? false;
    if (!isAgent || !this.agentCuts()) return false;
    this.#beingRemade = true;
    this.#switched = true;
    this.#remakes = [];
    return true;
  }

  /** Where the steps take the switch away, nothing passes OVS any more, and the agent has to make it again. */
  #drop(cuts: boolean): boolean {
    if (cuts) {
      this.#switched = false;
      this.#throughOvs = false;
    }
    return cuts;
  }

  /** Whether the agent's network belongs on the NIC of the node's address: some plugins can be told another. */
  #makesSwitch(): boolean {
    const {node, plugin} = this.#subject;
    if (plugin.plugin?.cleanup?.builder(this.#subject) !== 'agent') return false;
    const network = podNetwork(node, plugin.profile.network);
    const under = network && nicOf(node, network)?.name;
    if (under !== undefined && this.#carrier?.nic !== undefined) return same(under, this.#carrier.nic);
    const {transport} = plugin.profile;
    return !this.#carrier || transport === undefined || transport.includes(this.#carrier.held.ip);
  }
}
