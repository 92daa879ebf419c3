import {isObject} from '../../json.js';
import type {ApiObject} from '../object.js';
import type {ResourceType} from '../resource-types.js';
import type {Cause} from '../status.js';

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePartMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const labelNamed = new Set(['Namespace', 'Service']);
/** Names of RBAC objects only have to be path segments, such as `system:node`. */
const pathNamed = new Set(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']);

export const invalidValue = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

export function metadataErrors(type: ResourceType, object: ApiObject): Cause[] {
  const {name, labels, annotations} = object.metadata;
  return [...nameErrors(type, name), ...labelErrors(labels), ...annotationErrors(annotations)];
}

function nameErrors({kind}: ResourceType, name: string): Cause[] {
  const field = 'metadata.name';
  if (!name)
    return [{reason: 'FieldValueRequired', message: 'Required value: name or generateName is required', field}];
  if (pathNamed.has(kind)) {
    return /[/%]/.test(name) ? [invalidValue(field, name, "may not contain '/'")] : [];
  }
  const [pattern, message, longest] = labelNamed.has(kind)
    ? ([dnsLabel, labelMessage, 63] as const)
    : ([dnsSubdomain, subdomainMessage, 253] as const);
  if (name.length > longest) return [invalidValue(field, name, `must be no more than ${longest} characters`)];
  return pattern.test(name) ? [] : [invalidValue(field, name, message)];
}

function keyErrors(key: string, field: string): Cause[] {
  const parts = key.split('/');
  const [prefix, name] = parts.length === 2 ? [parts[0], parts[1]] : [undefined, key];
  const causes: Cause[] = [];
  if (prefix !== undefined && (prefix.length > 253 || !dnsSubdomain.test(prefix))) {
    causes.push(invalidValue(field, key, `prefix part ${subdomainMessage}`));
  }
  if ((name ?? '').length > 63) causes.push(invalidValue(field, key, 'name part must be no more than 63 characters'));
  else if (!qualifiedName.test(name ?? '')) causes.push(invalidValue(field, key, namePartMessage));
  return causes;
}

function labelErrors(labels: unknown): Cause[] {
  if (!isObject(labels)) return [];
  const field = 'metadata.labels';
  return Object.entries(labels).flatMap(([key, value]) => {
    const causes = keyErrors(key, field);
    const text = String(value);
    if (text.length > 63) causes.push(invalidValue(field, text, 'must be no more than 63 characters'));
    else if (!labelValue.test(text)) causes.push(invalidValue(field, text, labelValueMessage));
    return causes;
  });
}

const longestAnnotations = 256 * 1024;

function annotationErrors(annotations: unknown): Cause[] {
  if (!isObject(annotations)) return [];
  const field = 'metadata.annotations';
  const causes = Object.keys(annotations).flatMap(key => keyErrors(key.toLowerCase(), field));
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  if (size > longestAnnotations) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${longestAnnotations} bytes`,
      field,
    });
  }
  return causes;
}
