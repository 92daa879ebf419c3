import {labelSelector} from '../../lib/label-selector.js';
import {at, listAt, mapAt, textAt} from '../json.js';
import type {ApiObject} from './object.js';
import type {ResourceType} from './resource-types.js';
import {badRequest} from './status.js';

export type ObjectSelection = (object: ApiObject) => boolean;

const everything: ObjectSelection = () => true;

/** A label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
export function labelSelection(text: string | null): ObjectSelection {
  if (!text) return everything;
  const matches = parseLabelSelector(text);
  return object => matches(mapAt(object, 'metadata', 'labels'));
}

function parseLabelSelector(text: string): ReturnType<typeof labelSelector> {
  try {
    return labelSelector(text);
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}

const fieldsOf: Record<string, readonly string[]> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Node: ['spec.unschedulable'],
  Namespace: ['status.phase'],
  Secret: ['type'],
  ReplicaSet: ['status.replicas'],
  Service: ['spec.clusterIP', 'spec.type'],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
};

/** A field selector. The server supports only some fields of a kind and rejects the others. */
export function fieldSelection(type: ResourceType, text: string | null): ObjectSelection {
  if (!text) return everything;
  const known = ['metadata.name', ...(type.namespaced ? ['metadata.namespace'] : []), ...(fieldsOf[type.kind] ?? [])];
  const terms = text.split(',').map(term => {
    const [, key = '', operator = '', value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(term) ?? [];
    if (!operator) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    if (!known.includes(key)) throw badRequest(`field label not supported: ${key}`);
    return (object: ApiObject) => (String(at(object, ...key.split('.')) ?? '') === value) === (operator !== '!=');
  });
  return object => terms.every(term => term(object));
}

/** A selector in an object: `matchLabels` and `matchExpressions`. An empty one selects everything. */
export function selectsLabels(selector: unknown, labels: Record<string, string>): boolean {
  if (selector === undefined) return false;
  const equal = Object.entries(mapAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value);
  return equal && listAt(selector, 'matchExpressions').every(expression => matchesExpression(expression, labels));
}

/** One expression of a label selector. */
export function matchesExpression(expression: unknown, labels: Record<string, string>): boolean {
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
