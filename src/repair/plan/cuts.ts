import {nicOf} from '../../checks/net/adapters.js';
import {podNetwork} from '../../checks/networks.js';
import {isOvs} from '../../checks/ovs/extension-ids.js';
import type {NodeSubject} from '../../model/check.js';
import type {PlanStep} from '../../model/plan.js';
import {type Network, same} from '../../snapshot/hns.js';
import {type Carrier, carrierOf, losesAddress} from './carrier.js';

/** A draft's steps with what they do to the node's own network. */
export interface Marked {
  readonly steps: readonly PlanStep[];
  /** Whether a restart of the agent after these steps makes, or remakes, the switch under the node's address. */
  readonly agentCuts: boolean;
}

/**
 * Tells which steps may cut the node's network, by going through them in order: what is left of the switch that
 * carries the node's address decides. In doubt a step cuts: then the dead-man check stands behind it.
 */
export function markCuts(
  subject: NodeSubject,
  draft: {readonly steps: readonly PlanStep[]; readonly remakes: readonly Network[]},
): Marked {
  const world = new World(subject, draft.remakes);
  const steps = draft.steps.map((step): PlanStep => {
    const {cuts: _, ...bare} = step;
    return world.cutBy(step) ? {...step, cuts: true} : (bare as PlanStep);
  });
  return {steps, agentCuts: world.agentCuts()};
}

/** OVS forwards the node's own packets: without it, or without its database, they stop. */
const ovsDaemons = ['ovs-vswitchd', 'ovsdb-server'];

class World {
  readonly #subject: NodeSubject;
  readonly #carrier: Carrier | undefined;
  #remakes: readonly Network[];
  readonly #gone: Network[] = [];
  #switched: boolean;
  #throughOvs: boolean;
  /** An agent has been started that is about to make the switch. */
  #making = false;

  constructor(subject: NodeSubject, remakes: readonly Network[]) {
    this.#subject = subject;
    this.#remakes = remakes;
    this.#carrier = carrierOf(subject);
    this.#switched = this.#carrier?.switched ?? false;
    this.#throughOvs = this.#carrier?.throughOvs ?? false;
  }

  cutBy(step: PlanStep): boolean {
    switch (step.do) {
      case 'ovs.deleteBridge':
        return this.#throughOvs && this.#carries(step.with.bridge);
      case 'hns.removeNetwork':
        return this.#removeNetwork(step.with.id);
      case 'vswitch.remove':
        return this.#drops(this.#isOnSwitch(step.with.name));
      case 'vnic.remove':
        return this.#drops(this.#holds(step.with.name));
      case 'vswitch.setExtension':
        return this.#setExtension(step.with);
      case 'adapter.setBinding':
        return this.#holds(step.with.adapter);
      case 'ip.renew':
        return this.#holds(step.with.adapter);
      case 'ip.restore':
        return this.#holds(step.with.from) || this.#holds(step.with.to);
      case 'service.start':
        return this.#startService(step.with.name);
      case 'service.stop':
      case 'service.restart':
        return (
          this.#stopService(step.with.name) || (step.do === 'service.restart' && this.#startService(step.with.name))
        );
      case 'wait.until':
        return this.#making && ['hnsNetwork', 'extension', 'adapter'].includes(step.with.until);
      default:
        return false;
    }
  }

  agentCuts(): boolean {
    if (!this.#makesSwitch()) return false;
    return (
      !this.#switched || (this.#remakes.length > 0 && losesAddress(this.#carrier, [...this.#gone, ...this.#remakes]))
    );
  }

  /** Where the steps take the switch away, nothing passes OVS any more, and the agent has to make it again. */
  #drops(cuts: boolean): boolean {
    if (cuts) {
      this.#switched = false;
      this.#throughOvs = false;
    }
    return cuts;
  }

  #removeNetwork(id: string): boolean {
    const network = this.#subject.node.hnsNetworks?.find(candidate => same(candidate.id, id));
    if (!network) return this.#drops(true);
    const before = losesAddress(this.#carrier, this.#gone);
    this.#gone.push(network);
    const isPart = this.#carrier?.networks.includes(network) ?? true;
    return isPart && this.#drops(before || losesAddress(this.#carrier, this.#gone));
  }

  #setExtension({
    switchName,
    extensionId,
    enabled,
  }: {
    switchName: string;
    extensionId: string;
    enabled: boolean;
  }): boolean {
    const cuts = this.#isOnSwitch(switchName);
    if (cuts && isOvs({id: extensionId.toLowerCase()})) this.#throughOvs = enabled;
    return cuts;
  }

  #stopService(name: string): boolean {
    // That the host keeps its address while HNS restarts is derived, not documented: better watched.
    if (same(name, 'hns')) return true;
    return this.#throughOvs && ovsDaemons.some(daemon => same(daemon, name));
  }

  #startService(name: string): boolean {
    const isAgent = this.#subject.plugin.profile.agent?.services.includes(name.toLowerCase()) ?? false;
    if (!isAgent || !this.agentCuts()) return false;
    this.#making = true;
    this.#switched = true;
    this.#remakes = [];
    return true;
  }

  #isOnSwitch(name: string): boolean {
    if (!this.#carrier) return true;
    return this.#carrier.switched && this.#carrier.switches.some(its => same(its, name));
  }

  #holds(adapter: string): boolean {
    if (!this.#carrier) return true;
    const {held, nic} = this.#carrier;
    return same(adapter, held.adapter) || (nic !== undefined && same(adapter, nic));
  }

  /** A bridge that has the adapter with the address, or the NIC under it, for a port. What was not read may. */
  #carries(bridge: string): boolean {
    const {ovs} = this.#subject.node;
    const found = ovs?.bridges.find(({name}) => same(name, bridge));
    return !ovs || this.#holds(bridge) || (found?.ports.some(({name}) => this.#holds(name)) ?? false);
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
