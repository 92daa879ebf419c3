import type {ApiObject} from '../api/object.js';
import {at, isObject, listAt, mapAt, textAt} from '../json.js';

/** Whether a pod spec may run on a node: its selector, its required affinity, and the node's taints. */
export function fits(spec: unknown, node: ApiObject): boolean {
  const labels = node.metadata.labels ?? {};
  const selected = Object.entries(mapAt(spec, 'nodeSelector')).every(([key, value]) => labels[key] === value);
  return selected && affine(spec, labels) && tolerated(spec, node);
}

function affine(spec: unknown, labels: Record<string, string>): boolean {
  const required = at(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  if (!isObject(required)) return true;
  return listAt(required, 'nodeSelectorTerms').some(term =>
    listAt(term, 'matchExpressions').every(expression => holds(expression, labels)),
  );
}

function holds(expression: unknown, labels: Record<string, string>): boolean {
  const value = labels[textAt(expression, 'key')];
  const values = listAt(expression, 'values');
  switch (textAt(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

function tolerated(spec: unknown, node: ApiObject): boolean {
  const hard = listAt(node, 'spec', 'taints').filter(taint => textAt(taint, 'effect') !== 'PreferNoSchedule');
  return hard.every(taint =>
    listAt(spec, 'tolerations').some(toleration => {
      const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
      if (effect && effect !== textAt(taint, 'effect')) return false;
      if (textAt(toleration, 'operator') === 'Exists') return !key || key === textAt(taint, 'key');
      return key === textAt(taint, 'key') && textAt(toleration, 'value') === textAt(taint, 'value');
    }),
  );
}
