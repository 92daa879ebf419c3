import type {Need, NodeSubject} from '../../model/check.js';

const needs = ['nodeObject', 'netAdapters', 'netIPAddresses', 'netRoutes'] as const satisfies readonly Need[];

/** A node that told enough to choose an adapter on it. */
export type ChoosableNode = NodeSubject<(typeof needs)[number]>;

/** The node with what a choice needs, or why it cannot be made. */
export function choosable(subject: NodeSubject): ChoosableNode | string {
  const missing = needs.map(need => missingReason(need, subject)).filter(reason => reason !== undefined);
  return missing.length > 0 ? `${missing.join('; ')}.` : (subject as ChoosableNode);
}

function missingReason(need: (typeof needs)[number], {node, object}: NodeSubject): string | undefined {
  if (need === 'nodeObject') return object ? undefined : 'there is no Node object';
  if (node[need] !== undefined) return undefined;
  const failure = node.errors[need];
  return `${need} could not be read${failure ? ` (${failure.message || failure.kind})` : ''}`;
}
