import {nicOf} from '../../checks/net/adapters.js';
import {isOvs} from '../../checks/ovs/extension-ids.js';
import {podNetwork} from '../../checks/pod-network.js';
import type {NodeSubject} from '../../model/check.js';
import type {OwnNetwork, With} from '../../model/step.js';
import {type Network, same} from '../../snapshot/hns.js';
import {type Carrier, carrierOf, losesAddress} from '../node/address-carrier.js';

/** OVS forwards the node's own packets: without it, or without its database, they stop. */
const ovsDaemons = ['ovs-vswitchd', 'ovsdb-server'];

/**
 * Simulates the node's own network through a plan: it depends on what is left of the switch that carries the node's
 * address.
 */
export class TracedNetwork implements OwnNetwork {
  readonly #subject: NodeSubject;
  readonly #carrier: Carrier | undefined;
  #remakes: readonly Network[];
  readonly #gone: Network[] = [];
  #switched: boolean;
  #throughOvs: boolean;
  #beingRemade = false;

  /** `remakes`: networks that the agent recreates when it starts. */
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

  /** Whether a restart of the agent now creates or recreates the switch that carries the node's address. */
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

  /** Assumed if OVS was not read. */
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

  /**
   * The first network on an adapter moves the node's address to a vNIC. Whether a second one affects it is
   * undocumented.
   */
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
    // That the host keeps its address while HNS restarts is undocumented, so it counts as a cut.
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

  /** After the switch is removed, no packets pass OVS and the agent has to recreate the switch. */
  #drop(cuts: boolean): boolean {
    if (cuts) {
      this.#switched = false;
      this.#throughOvs = false;
    }
    return cuts;
  }

  /**
   * Whether the agent creates its network on the NIC of the node's address: some plugins can be configured with another
   * NIC.
   */
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
