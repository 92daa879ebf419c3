import type {NodeSubject} from '../../model/check.js';
import {readsAnnotation} from '../../model/tunnel-setting.js';
import {tunnelAnnotation} from '../../plugins/annotated-tunnel.js';
import type {KubeNode} from '../../snapshot/cluster.js';
import {type AdapterCandidate, candidatesOf} from './adapter-candidates.js';
import {type ChoosableNode, choosable} from './choosable-node.js';
import {type AdapterRule, type Choice, choose} from './choose-adapter.js';
import {fitOf} from './fit-with-peers.js';
import {peersOf, type TunnelFleet} from './tunnel-peers.js';
import {type Move, moveOf, tunnelWarnings} from './warnings.js';

/** What to do with one node's annotation. */
export interface Decision {
  readonly node: string;
  readonly before: string | undefined;
  /** The value it should have; undefined: none. */
  readonly after: string | undefined;
  readonly action: 'write' | 'keep' | 'refuse' | 'uninspected';
  /** Why it is refused, or was not inspected. */
  readonly reason?: string;
  readonly candidate?: AdapterCandidate;
  /** What the choice does to a network that already exists. */
  readonly move?: Move | undefined;
  readonly warnings: readonly string[];
}

export interface Wanted {
  readonly subject: NodeSubject;
  /** Undefined: the user picks the adapter. */
  readonly rule?: AdapterRule | undefined;
  /** Why the node could not be inspected. */
  readonly failure?: string | undefined;
}

interface Picked {
  readonly seen: ChoosableNode;
  readonly choice: Choice;
}

/** Decides for all nodes together, because each choice must fit the choices for the other nodes. */
export function decide(all: readonly Wanted[], {overwrite}: {readonly overwrite: boolean}): Decision[] {
  const picked = all.map(pick);
  const planned = new Map(
    picked.flatMap(one => {
      if (typeof one === 'string' || !('candidate' in one.choice)) return [];
      const {tunnelAddress, mtu} = one.choice.candidate;
      return tunnelAddress === undefined ? [] : [[one.seen.node.name, {address: tunnelAddress, mtu}] as const];
    }),
  );
  const fleet: TunnelFleet = {subjects: all.map(({subject}) => subject), planned};
  return all.map(({subject}, index) => {
    const one = picked[index] ?? '';
    const base = {node: subject.node.name, before: annotationOf(subject.object), after: undefined, warnings: []};
    if (typeof one === 'string') return {...base, action: 'uninspected', reason: one};
    if (!('candidate' in one.choice)) return {...base, action: 'refuse', reason: one.choice.refusal};
    return accept(one.seen, one.choice.candidate, fleet, overwrite);
  });
}

/** The decision if this adapter is chosen. */
export function accept(
  seen: ChoosableNode,
  candidate: AdapterCandidate,
  fleet: TunnelFleet,
  overwrite: boolean,
): Decision {
  const before = annotationOf(seen.object);
  const {refusal, warnings} = fitOf(seen, candidate, peersOf(seen, fleet));
  const base = {
    node: seen.node.name,
    before,
    candidate,
    move: moveOf(seen, candidate),
    warnings: [...tunnelWarnings(seen, candidate), ...warnings],
  };
  if (refusal !== undefined) {
    return {...base, after: undefined, action: 'refuse', reason: `${candidate.name} cannot carry tunnels: ${refusal}`};
  }
  if (before === candidate.name) return {...base, after: before, action: 'keep'};
  if (before !== undefined && !overwrite) {
    const reason = `the annotation is already set to ${before}; pass --overwrite to replace it`;
    return {...base, after: undefined, action: 'refuse', reason};
  }
  return {...base, after: candidate.name, action: 'write'};
}

/** Removes the annotation: kube-ovn then uses the adapter of the node's address. */
export function decideRemoval(node: string, object: KubeNode | undefined): Decision {
  const before = annotationOf(object);
  return {node, before, after: undefined, action: before === undefined ? 'keep' : 'write', warnings: []};
}

function pick({subject, rule, failure}: Wanted): Picked | string {
  const {plugin, title} = subject.plugin;
  if (failure !== undefined) return failure;
  const told = choosable(subject);
  if (typeof told === 'string') return told;
  if (readsAnnotation(subject) && rule) return {seen: told, choice: choose(told, candidatesOf(told), rule)};
  const refusal =
    plugin === undefined
      ? 'its network plugin was not recognised'
      : readsAnnotation(subject)
        ? 'no adapter specified'
        : `it runs ${title}, which has no such annotation`;
  return {seen: told, choice: {refusal}};
}

/** kube-ovn treats an empty value like none (pkg/daemon/config.go). */
export function annotationOf(object: KubeNode | undefined): string | undefined {
  return object?.metadata.annotations[tunnelAnnotation] || undefined;
}
