import type {ApiObject} from '../api/object.js';
import {matchesExpression} from '../api/selectors.js';
import {at, isObject, listAt, mapAt, textAt} from '../json.js';

/** Whether a pod may be scheduled to a node: node selector, required affinity, and taints. */
export const fits = (spec: unknown, node: ApiObject): boolean => mayBeOn(spec, node) && tolerated(spec, node);

/** Whether the node selector and required affinity match the node, regardless of taints. */
export function mayBeOn(spec: unknown, node: ApiObject): boolean {
  const labels = node.metadata.labels ?? {};
  const selected = Object.entries(mapAt(spec, 'nodeSelector')).every(([key, value]) => labels[key] === value);
  return selected && affine(spec, labels);
}

function affine(spec: unknown, labels: Record<string, string>): boolean {
  const required = at(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  if (!isObject(required)) return true;
  return listAt(required, 'nodeSelectorTerms').some(term =>
    listAt(term, 'matchExpressions').every(expression => matchesExpression(expression, labels)),
  );
}

/** Whether a running pod may stay on a node: only NoExecute taints evict running pods. */
export const mayStay = (spec: unknown, node: ApiObject): boolean => tolerated(spec, node, ['NoExecute']);

function tolerated(spec: unknown, node: ApiObject, effects = ['NoSchedule', 'NoExecute']): boolean {
  const hard = listAt(node, 'spec', 'taints').filter(taint => effects.includes(textAt(taint, 'effect')));
  return hard.every(taint =>
    listAt(spec, 'tolerations').some(toleration => {
      const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
      if (effect && effect !== textAt(taint, 'effect')) return false;
      if (textAt(toleration, 'operator') === 'Exists') return !key || key === textAt(taint, 'key');
      return key === textAt(taint, 'key') && textAt(toleration, 'value') === textAt(taint, 'value');
    }),
  );
}
