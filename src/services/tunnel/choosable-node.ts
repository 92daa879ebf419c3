import type {Need, NodeSubject} from '../../model/check.js';

const needs = ['nodeObject', 'netAdapters', 'netIPAddresses', 'netRoutes'] as const satisfies readonly Need[];

/** A node with all data that choosing an adapter requires. */
export type ChoosableNode = NodeSubject<(typeof needs)[number]>;

/** The node if it has all required data, or the reason why not. */
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
