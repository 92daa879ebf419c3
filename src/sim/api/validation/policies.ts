import {at, listAt, mapAt, textAt} from '../../json.js';
import type {ApiObject} from '../object.js';
import {namespaceType, policyBindingType, policyType, type ResourceType} from '../resource-types.js';
import type {Cause} from '../status.js';
import type {ObjectStore} from '../store.js';
import {invalidValue} from './names.js';

/** Only a real server evaluates CEL. Here a policy denies either everything that it matches, or nothing. */
const understood = ['true', 'false'];

export function policyErrors(policy: ApiObject): Cause[] {
  return listAt(policy, 'spec', 'validations').flatMap((validation, index) => {
    const expression = textAt(validation, 'expression');
    if (understood.includes(expression)) return [];
    const why = `the simulation supports only the expressions ${understood.join(' and ')}`;
    return [invalidValue(`spec.validations[${index}].expression`, expression, why)];
  });
}

/** Why a ValidatingAdmissionPolicy denies the creation of an object, in the wording of the server. */
export function policyDenial(store: ObjectStore, type: ResourceType, object: ApiObject): string | undefined {
  for (const binding of store.all(policyBindingType)) {
    const policy = store.find(policyType, undefined, textAt(binding, 'spec', 'policyName'));
    if (!policy || !listAt(binding, 'spec', 'validationActions').includes('Deny')) continue;
    if (!covers(policy, type) || !selects(store, binding, object)) continue;
    const broken = listAt(policy, 'spec', 'validations').find(each => textAt(each, 'expression') === 'false');
    if (!broken) continue;
    const message = textAt(broken, 'message') || `failed expression: ${textAt(broken, 'expression')}`;
    const names = `'${policy.metadata.name}' with binding '${binding.metadata.name}'`;
    return `ValidatingAdmissionPolicy ${names} denied request: ${message}`;
  }
  return undefined;
}

function covers(policy: ApiObject, {group, plural}: ResourceType): boolean {
  return listAt(policy, 'spec', 'matchConstraints', 'resourceRules').some(rule => {
    const holds = (key: string, value: string) => listAt(rule, key).some(each => each === '*' || each === value);
    return holds('apiGroups', group) && holds('operations', 'CREATE') && holds('resources', plural);
  });
}

function selects(store: ObjectStore, binding: ApiObject, {metadata}: ApiObject): boolean {
  const wanted = at(binding, 'spec', 'matchResources', 'namespaceSelector');
  if (wanted === undefined) return true;
  const labels = store.find(namespaceType, undefined, metadata.namespace ?? '')?.metadata.labels ?? {};
  return Object.entries(mapAt(wanted, 'matchLabels')).every(([key, value]) => labels[key] === value);
}
