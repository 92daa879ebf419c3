import {adapterNamed, nicUnder, nodeAddressHolder} from '../../checks/net/adapters.js';
import {podNetwork} from '../../checks/pod-network.js';
import {uplinkOf} from '../../checks/uplink.js';
import type {NodeSubject} from '../../model/check.js';
import {readsAnnotation, translate} from '../../model/tunnel-setting.js';
import {resolve, tunnelAddresses} from '../../plugins/annotated-tunnel.js';
import {same} from '../../snapshot/hns.js';
import {type ChoosableNode, choosable} from './choosable-node.js';
import {annotationOf} from './decide-annotation.js';
import {encapAddress} from './tunnel-peers.js';

/** A node's annotation, the adapter it selects, and the adapter and address in use. */
export interface TunnelStatus {
  readonly node: string;
  readonly plugin: string;
  readonly annotation: string | undefined;
  /** The adapter that the annotation selects; without an annotation, the adapter of the node's address. */
  readonly adapter: string | undefined;
  /** The addresses of that adapter that tunnels may use. */
  readonly addresses: readonly string[];
  /** The adapter under the pod network. */
  readonly uplink: string | undefined;
  /** `ovn-encap-ip`: the tunnel address in use. */
  readonly encap: string | undefined;
  /** `unused`: the plugin has no such annotation, or its network does not exist yet. */
  readonly verdict: 'agree' | 'disagree' | 'unknown' | 'unused';
  readonly reasons: readonly string[];
}

export function tunnelStatusOf(subject: NodeSubject, failure: string | undefined): TunnelStatus {
  const {node, plugin, object} = subject;
  const empty = {addresses: [], adapter: undefined, uplink: undefined, encap: undefined};
  const base = {node: node.name, plugin: plugin.name, annotation: annotationOf(object), ...empty};
  const told = failure ?? choosable(subject);
  if (typeof told === 'string') return {...base, verdict: 'unknown', reasons: [told]};
  if (!readsAnnotation(subject)) {
    const settings = translate(subject, undefined)?.settings ?? [];
    const now = settings.map(({name, now: value, where}) => `${name} (${where}) is ${value ?? 'not set'}.`);
    return {...base, verdict: 'unused', reasons: [`${plugin.title} has no tunnel annotation.`, ...now]};
  }
  return compare(told);
}

function compare(told: ChoosableNode): TunnelStatus {
  const {node, object, plugin} = told;
  const annotation = annotationOf(object);
  const network = podNetwork(node, plugin.profile.network);
  const uplink = network && uplinkOf(node, network);
  const encap = encapAddress(node);
  const addresses = tunnelAddresses(told) ?? [];
  const {adapter, doubt, fault} = annotation === undefined ? ofNodeAddress(told) : resolved(told, annotation);
  const base = {node: node.name, plugin: plugin.name, annotation, adapter, addresses, uplink, encap};
  const wrong = [
    fault,
    adapter !== undefined && uplink !== undefined && !same(adapter, uplink)
      ? `HNS network ${network?.name} uses ${uplink}, not ${adapter}.`
      : undefined,
    encap !== undefined && adapter !== undefined && !addresses.includes(encap)
      ? `Tunnels use the address ${encap}, but ${adapter} has ${addresses.join(', ') || 'no usable address'}.`
      : undefined,
  ].filter(text => text !== undefined);
  if (wrong.length > 0) return {...base, verdict: 'disagree', reasons: wrong};
  const name = plugin.profile.network?.name;
  if (node.hnsNetworks && !network) {
    return {...base, verdict: 'unused', reasons: [`HNS network ${name} does not exist yet.`]};
  }
  const open = [
    doubt,
    node.hnsNetworks ? undefined : 'HNS networks could not be read.',
    network && uplink === undefined ? `The adapter under HNS network ${name} could not be determined.` : undefined,
    encap === undefined ? 'The tunnel address in use could not be read from OVS.' : undefined,
  ].filter(text => text !== undefined);
  return {...base, verdict: open.length > 0 ? 'unknown' : 'agree', reasons: open};
}

/** The adapter that a node's tunnels should use. */
interface Meant {
  readonly adapter: string | undefined;
  /** Why it cannot be determined. */
  readonly doubt?: string;
  /** Why there is none. */
  readonly fault?: string;
}

function ofNodeAddress({node, object}: ChoosableNode): Meant {
  const held = nodeAddressHolder(node, object);
  const adapter = held && nicUnder(node, adapterNamed(node, held.adapter, held.index))?.name;
  return adapter === undefined ? {adapter, fault: "No adapter has the node's address."} : {adapter};
}

function resolved({node}: ChoosableNode, annotation: string): Meant {
  const {how, adapters} = resolve(annotation, node);
  const [adapter, ...others] = adapters;
  if (how === 'too complex') return {adapter, doubt: `${annotation} is a pattern that is too complex to evaluate.`};
  if (adapter === undefined) {
    return {adapter, fault: `No adapter is named ${annotation}: kube-ovn will fail at its next start.`};
  }
  if (others.length > 0) {
    const fault = `${annotation} is a pattern that matches ${adapters.join(', ')}: kube-ovn uses the first one.`;
    return {adapter: undefined, fault};
  }
  // If it is the bridge, return the adapter under it.
  return {adapter: nicUnder(node, adapterNamed(node, adapter))?.name ?? adapter};
}
