import {at, isObject, listAt, mapAt, sameJson, textAt} from '../../json.js';
import type {ApiObject} from '../object.js';
import {namespaceType, podType, type ResourceType, serviceAccountType} from '../resource-types.js';
import {badRequest, type Cause, deniedByPolicy, forbidden, invalid, notFound} from '../status.js';
import type {ObjectStore} from '../store.js';
import {windowsPodErrors} from './host-process.js';
import {limitViolation, requestErrors} from './limits.js';
import {invalidValue, metadataErrors} from './names.js';
import {type PodSecurityLevel, podSecurityViolation} from './pod-security.js';
import {policyDenial, policyErrors} from './policies.js';
import {quotaViolation} from './quota.js';
import type {SchemaCheck} from './schema.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Validates fields in the mode that the client requested; returns the warnings to send. */
export async function checkFields(
  object: ApiObject,
  mode: FieldValidation,
  name: string,
  schema: SchemaCheck | undefined,
): Promise<string[]> {
  if (!schema) return [];
  const {wrong, causes, unknown} = await schema(object);
  const version = `${object.kind} in version "${object.apiVersion.split('/').at(-1)}" cannot be handled as a ${object.kind}`;
  if (wrong.length > 0) throw badRequest(`${version}: ${wrong.join(', ')}`);
  const messages = unknown.map(field => `unknown field "${field}"`);
  if (mode === 'Strict' && messages.length > 0) {
    throw badRequest(`${version}: strict decoding error: ${messages.join(', ')}`);
  }
  if (causes.length > 0) throw invalid(typeName(object), name, causes);
  return mode === 'Ignore' ? [] : messages;
}

const typeName = ({apiVersion, kind}: ApiObject) => ({
  group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '',
  kind,
  plural: kind.toLowerCase(),
});

/** What the server validates on create, beyond the schema. */
export function admitCreate(
  store: ObjectStore,
  type: ResourceType,
  object: ApiObject,
  podSecurity: PodSecurityLevel = 'privileged',
): void {
  const {name, namespace} = object.metadata;
  if (type.namespaced) {
    const home = store.find(namespaceType, undefined, namespace ?? '');
    if (!home) throw notFound(namespaceType, namespace ?? '');
    if (home.metadata.deletionTimestamp) {
      const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
      throw forbidden(type, name, why);
    }
    const account = textAt(object, 'spec', 'serviceAccountName');
    if (type === podType && !store.find(serviceAccountType, namespace, account)) {
      const why = `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
      throw forbidden(type, name, why);
    }
  }
  const causes = [...metadataErrors(type, object), ...kindErrors(object)];
  if (causes.length > 0) throw invalid(type, name, causes);
  const refuse = (why: string | undefined) => {
    if (why) throw forbidden(type, name, why);
  };
  if (type === podType) {
    const home = store.find(namespaceType, undefined, namespace ?? '');
    refuse(limitViolation(store, object) ?? podSecurityViolation(home, object, podSecurity));
  }
  const denial = policyDenial(store, type, object);
  if (denial) throw deniedByPolicy(type, name, denial);
  if (type === podType) refuse(quotaViolation(store, object));
}

/** Why admission rejects a valid pod of a controller. Undefined: it does not. */
export function podRejection(store: ObjectStore, pod: ApiObject, podSecurity: PodSecurityLevel): string | undefined {
  const home = store.find(namespaceType, undefined, pod.metadata.namespace ?? '');
  return (
    limitViolation(store, pod) ??
    podSecurityViolation(home, pod, podSecurity) ??
    policyDenial(store, podType, pod) ??
    quotaViolation(store, pod)
  );
}

/** What the server validates on update: many fields are immutable. */
export function admitUpdate(type: ResourceType, object: ApiObject, previous: ApiObject): void {
  const causes = [...metadataErrors(type, object), ...kindErrors(object), ...frozenErrors(object, previous)];
  if (causes.length > 0) throw invalid(type, object.metadata.name, causes);
}

function kindErrors(object: ApiObject): Cause[] {
  if (object.kind === 'Pod') return [...podErrors(object), ...windowsPodErrors(object), ...requestErrors(object)];
  if (object.kind === 'ValidatingAdmissionPolicy') return policyErrors(object);
  if (object.kind === 'ConfigMap' || object.kind === 'Secret') return dataErrors(object);
  if (object.kind === 'DaemonSet' || object.kind === 'Deployment') return workloadErrors(object);
  return [];
}

function podErrors(pod: ApiObject): Cause[] {
  const required = (field: string): Cause => ({reason: 'FieldValueRequired', message: 'Required value', field});
  const containers = listAt(pod, 'spec', 'containers');
  if (containers.length === 0) return [required('spec.containers')];
  const volumes = listAt(pod, 'spec', 'volumes').map(volume => textAt(volume, 'name'));
  return containers.flatMap((container, index) => [
    ...(textAt(container, 'image') ? [] : [required(`spec.containers[${index}].image`)]),
    ...listAt(container, 'volumeMounts').flatMap((mount, at): Cause[] => {
      const name = textAt(mount, 'name');
      const field = `spec.containers[${index}].volumeMounts[${at}].name`;
      return volumes.includes(name)
        ? []
        : [{reason: 'FieldValueNotFound', message: `Not found: ${JSON.stringify(name)}`, field}];
    }),
  ]);
}

const longestData = 1_048_576;

function dataErrors(object: ApiObject): Cause[] {
  const entries = [...Object.entries(mapAt(object, 'data')), ...Object.entries(mapAt(object, 'binaryData'))];
  const causes = entries
    .filter(([key]) => !/^[-._a-zA-Z0-9]+$/.test(key))
    .map(([key]) =>
      invalidValue(
        `data[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ),
    );
  const size = entries.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  if (size > longestData) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${longestData} bytes`,
      field: '',
    });
  }
  return causes;
}

function workloadErrors(object: ApiObject): Cause[] {
  const wanted = mapAt(object, 'spec', 'selector', 'matchLabels');
  const given = mapAt(object, 'spec', 'template', 'metadata', 'labels');
  const matches = Object.entries(wanted).every(([key, value]) => given[key] === value);
  const template: ApiObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: object.metadata.name},
    spec: at(object, 'spec', 'template', 'spec'),
  };
  const inTemplate = [...podErrors(template), ...windowsPodErrors(template)];
  return [
    ...(matches
      ? []
      : [invalidValue('spec.template.metadata.labels', given, '`selector` does not match template `labels`')]),
    ...inTemplate.map(cause => ({...cause, field: `spec.template.${cause.field}`})),
  ];
}

const podChangeable = ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds'];

function frozenErrors(object: ApiObject, previous: ApiObject): Cause[] {
  if (previous.immutable === true && (object.kind === 'ConfigMap' || object.kind === 'Secret')) {
    const frozen = !sameJson(object.data, previous.data) || !sameJson(object.binaryData, previous.binaryData);
    const thawed = object.immutable !== true;
    const cause = (field: string): Cause => ({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: field is immutable when `immutable` is set',
      field,
    });
    return [...(thawed ? [cause('immutable')] : []), ...(frozen ? [cause('data')] : [])];
  }
  if (object.kind === 'Pod' && !sameJson(frozenSpec(object), frozenSpec(previous))) {
    const message =
      'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
    return [{reason: 'FieldValueForbidden', message, field: 'spec'}];
  }
  if (object.kind === 'DaemonSet' && !sameJson(at(object, 'spec', 'selector'), at(previous, 'spec', 'selector'))) {
    return [invalidValue('spec.selector', at(object, 'spec', 'selector'), 'field is immutable')];
  }
  return [];
}

function frozenSpec(pod: ApiObject): unknown {
  if (!isObject(pod.spec)) return {};
  const kept = Object.entries(pod.spec).filter(([key]) => !podChangeable.includes(key));
  const withoutImage = (list: unknown) =>
    Array.isArray(list) ? list.map(item => (isObject(item) ? {...item, image: ''} : item)) : list;
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'containers' || key === 'initContainers' ? withoutImage(value) : value]),
  );
}
