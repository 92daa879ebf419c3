import type {ApiObject} from '../../src/sim/api/object.js';
import type {Cause} from '../../src/sim/api/status.js';
import type {SchemaFindings} from '../../src/sim/api/validation/schema.js';
import {isObject, type JsonObject, withoutNulls} from '../../src/sim/json.js';

/** A model of `kubernetes-models`: validates its object against the OpenAPI schema of its kind. */
interface Model {
  prototype: {validate(): void};
}

interface SchemaError {
  instancePath: string;
  keyword: string;
  message?: string;
  params: JsonObject;
}

const loaders: Record<string, () => Promise<Record<string, unknown>>> = {
  'v1/ConfigMap': () => import('kubernetes-models/v1/ConfigMap'),
  'v1/Namespace': () => import('kubernetes-models/v1/Namespace'),
  'v1/Node': () => import('kubernetes-models/v1/Node'),
  'v1/Pod': () => import('kubernetes-models/v1/Pod'),
  'v1/Secret': () => import('kubernetes-models/v1/Secret'),
  'v1/Service': () => import('kubernetes-models/v1/Service'),
  'v1/ServiceAccount': () => import('kubernetes-models/v1/ServiceAccount'),
  'apps/v1/DaemonSet': () => import('kubernetes-models/apps/v1/DaemonSet'),
  'apps/v1/Deployment': () => import('kubernetes-models/apps/v1/Deployment'),
  'rbac.authorization.k8s.io/v1/ClusterRole': () =>
    import('kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRole'),
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': () =>
    import('kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRoleBinding'),
  'rbac.authorization.k8s.io/v1/Role': () => import('kubernetes-models/rbac.authorization.k8s.io/v1/Role'),
  'rbac.authorization.k8s.io/v1/RoleBinding': () =>
    import('kubernetes-models/rbac.authorization.k8s.io/v1/RoleBinding'),
};

/** Validates an object against the schema of its kind. Kinds without a schema, such as custom ones, pass. */
export async function checkSchema(object: ApiObject): Promise<SchemaFindings> {
  const loader = loaders[`${object.apiVersion}/${object.kind}`];
  if (!loader) return {wrong: [], causes: [], unknown: []};
  const model = (await loader())[object.kind] as Model;
  const recorder = new ReadRecorder();
  const data = recorder.watch(withoutNulls(object) as JsonObject);
  const errors = errorsOf(model, data);
  return {
    wrong: errors
      .filter(({keyword}) => keyword !== 'required' && keyword !== 'enum')
      .map(error => `${fieldPath(error.instancePath)}: ${error.message ?? error.keyword}`),
    causes: errors.flatMap(causesOf),
    unknown: recorder.unread(),
  };
}

function causesOf({keyword, instancePath, params}: SchemaError): Cause[] {
  const field = fieldPath(instancePath);
  if (keyword === 'required') {
    const missing = [field, String(params.missingProperty)].filter(Boolean).join('.');
    return [{reason: 'FieldValueRequired', message: 'Required value', field: missing}];
  }
  if (keyword !== 'enum') return [];
  const allowed = Array.isArray(params.allowedValues) ? params.allowedValues.map(value => JSON.stringify(value)) : [];
  return [
    {reason: 'FieldValueNotSupported', message: `Unsupported value: supported values: ${allowed.join(', ')}`, field},
  ];
}

function errorsOf(model: Model, data: JsonObject): SchemaError[] {
  try {
    model.prototype.validate.call(data);
    return [];
  } catch (error) {
    const found = isObject(error) || error instanceof Error ? (error as {errors?: SchemaError[]}).errors : undefined;
    if (!found) throw error;
    return found;
  }
}

/** `/spec/containers/0/image` in Kubernetes notation: `spec.containers[0].image`. */
function fieldPath(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '');
}

/**
 * The schemas do not reject unknown fields, but their validators read every known field.
 * So a field that was not read is unknown. Objects that were read as a map, or not read at all, are free-form.
 */
class ReadRecorder {
  readonly #seen = new Map<JsonObject, {path: string; read: Set<string>; walked: boolean}>();

  watch(object: JsonObject, path = ''): JsonObject {
    const record = {path, read: new Set<string>(), walked: false};
    this.#seen.set(object, record);
    const children = new Map<string, unknown>();
    return new Proxy(object, {
      get: (target, key) => {
        const value = Reflect.get(target, key);
        if (typeof key !== 'string' || !Object.hasOwn(target, key)) return value;
        record.read.add(key);
        if (!children.has(key)) children.set(key, this.#wrap(value, path ? `${path}.${key}` : key));
        return children.get(key);
      },
      ownKeys: target => {
        record.walked = true;
        return Reflect.ownKeys(target);
      },
    });
  }

  unread(): string[] {
    return [...this.#seen].flatMap(([object, {path, read, walked}]) => {
      if (walked || read.size === 0) return [];
      return Object.keys(object)
        .filter(key => !read.has(key))
        .map(key => (path ? `${path}.${key}` : key));
    });
  }

  #wrap(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item, index) => this.#wrap(item, `${path}[${index}]`));
    return isObject(value) ? this.watch(value, path) : value;
  }
}
