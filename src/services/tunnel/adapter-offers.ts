import type {NodeSubject} from '../../model/check.js';
import {readsAnnotation} from '../../model/tunnel-setting.js';
import {type AdapterCandidate, candidatesOf} from './adapter-candidates.js';
import type {TunnelPrompts} from './annotation-ports.js';
import {type ChoosableNode, choosable} from './choosable-node.js';
import {accept, annotationOf, type Decision, decide} from './decide-annotation.js';

/** An adapter to choose from, as text. */
export interface AdapterOffer {
  readonly name: string;
  readonly address: string;
  readonly speed: string;
  readonly state: string;
  readonly usedFor: string;
  /** Why it cannot be selected. */
  readonly unsuitable: string | undefined;
  /** Warnings to read before selecting it. */
  readonly warnings: readonly string[];
  /** A question to confirm after selecting it. */
  readonly question: string | undefined;
}

/** Lets the user select one of the node's adapters. */
export async function pickAdapter(
  subject: NodeSubject,
  {overwrite}: {readonly overwrite: boolean},
  person: TunnelPrompts,
  signal: AbortSignal,
): Promise<Decision> {
  const node = choosable(subject);
  if (typeof node === 'string' || !readsAnnotation(subject)) {
    const [decision] = decide([{subject}], {overwrite});
    return decision as Decision;
  }
  const decisions = new Map(candidatesOf(node).map(candidate => offer(node, candidate, overwrite)));
  const title = `Tunnel adapter of ${subject.node.name} (now: ${annotationOf(node.object) ?? 'adapter of the node address'})`;
  const picked = await person.pickAdapter(title, [...decisions.keys()], signal);
  return decisions.get(picked) as Decision;
}

/** Replacing another adapter requires confirmation, unless `--overwrite` was given. */
function offer(node: ChoosableNode, candidate: AdapterCandidate, overwrite: boolean): [AdapterOffer, Decision] {
  const decision = accept(node, candidate, {subjects: [], planned: new Map()}, true);
  const {before, reason, action, warnings} = decision;
  const {name, speed, status, usedFor, addresses, unsuitable} = candidate;
  const replaces = before !== undefined && before !== name && !overwrite;
  return [
    {
      name,
      address: addresses.map(({ip, prefixLength}) => `${ip}/${prefixLength ?? '?'}`).join(', '),
      speed: speed ?? '',
      state: status?.toLowerCase() ?? '',
      usedFor: usedFor.join(', '),
      unsuitable: unsuitable ?? (action === 'refuse' ? reason : undefined),
      warnings,
      question: replaces ? `Replace ${before} with ${name}?` : undefined,
    },
    decision,
  ];
}
