import type * as z from 'zod/mini';
import {schemaOf} from './cluster-objects.js';
import {areKeptWhole, keptAnnotations, keptArguments, keptData, keptVariables} from './kept-text.js';

/** Kinds of private data that are left out of objects. */
export type Private = 'annotations' | 'arguments' | 'environment' | 'configuration' | 'messages';

export interface Kept {
  readonly object: unknown;
  readonly leftOut: ReadonlySet<Private>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The part of an object that a snapshot keeps: the fields that checks read, and only the free text that they need.
 * Users share snapshots, so data not listed in cluster-objects.ts or kept-text.ts must not leave the cluster.
 */
export function kept(object: unknown): Kept {
  const leftOut = new Set<Private>();
  if (!isFields(object)) return {object, leftOut};
  const {apiVersion, kind} = object;
  const described = onlyDescribed(schemaOf(typeof kind === 'string' ? kind : ''), object);
  if (!isFields(described)) return {object: described, leftOut};
  const result: Record<string, unknown> = {...(apiVersion !== undefined && {apiVersion}), ...described};
  const note = (what: Private, before: number, after: number) => {
    if (after < before) leftOut.add(what);
  };
  if (isFields(result.metadata)) result.metadata = withoutAnnotations(result.metadata, String(kind), note);
  if (kind === 'ConfigMap' && isFields(result.data)) {
    const data = keptData(result.data);
    note('configuration', sizeOf(result.data), sizeOf(data));
    result.data = data;
  }
  if (kind === 'Pod') {
    result.spec = withoutSecrets(result.spec, note);
    result.status = withoutMessages(result.status, note);
  }
  if (kind === 'DaemonSet' || kind === 'Deployment') {
    const spec = asFields(result.spec);
    const template = asFields(spec.template);
    result.spec = {...spec, template: {...template, spec: withoutSecrets(template.spec, note)}};
  }
  return {object: result, leftOut};
}

type Note = (what: Private, before: number, after: number) => void;

function withoutAnnotations(metadata: Fields, kind: string, note: Note): Fields {
  if (!isFields(metadata.annotations)) return metadata;
  const annotations = keptAnnotations(kind, metadata.annotations);
  note('annotations', sizeOf(metadata.annotations), sizeOf(annotations));
  return {...metadata, annotations};
}

function withoutSecrets(spec: unknown, note: Note): unknown {
  if (!isFields(spec)) return spec;
  const own = (name: string) =>
    Array.isArray(spec[name]) ? {[name]: spec[name].map(one => withoutContainerSecrets(one, note))} : {};
  return {...spec, ...own('containers'), ...own('initContainers')};
}

function withoutContainerSecrets(container: unknown, note: Note): unknown {
  if (!isFields(container)) return container;
  const {command, args, env, ...others} = container;
  const words = [command, args].flatMap(list => (Array.isArray(list) ? list : [])).filter(isText);
  const isWhole = areKeptWhole(words);
  const keptWords = isWhole ? words : keptArguments(words);
  note('arguments', words.join(' ').length, keptWords.join(' ').length);
  const variables = Array.isArray(env) ? env.filter(isFields) : [];
  const keptEnv = keptVariables(variables, keptWords);
  note('environment', variables.length, keptEnv.length);
  return {
    ...others,
    ...(isWhole ? {command, args} : keptWords.length > 0 && {args: keptWords}),
    ...(keptEnv.length > 0 && {env: keptEnv}),
  };
}

/** Reasons whose message comes from the runtime. Any other message is the container's own output. */
const ofRuntime = /^(StartError|ContainerCannotRun|ContainerStatusUnknown)$/;

function withoutMessages(status: unknown, note: Note): unknown {
  if (!isFields(status)) return status;
  const cleanState = (state: unknown): unknown => {
    if (!isFields(state) || !isFields(state.terminated)) return state;
    const {message, ...terminated} = state.terminated;
    if (!message || ofRuntime.test(String(terminated.reason ?? ''))) return state;
    note('messages', 1, 0);
    return {...state, terminated};
  };
  const clean = (one: unknown): unknown =>
    isFields(one)
      ? {
          ...one,
          ...('state' in one && {state: cleanState(one.state)}),
          ...('lastState' in one && {lastState: cleanState(one.lastState)}),
        }
      : one;
  const own = (name: string) => (Array.isArray(status[name]) ? {[name]: status[name].map(clean)} : {});
  return {...status, ...own('containerStatuses'), ...own('initContainerStatuses')};
}

type Filter = (value: unknown) => unknown;

/** A cluster has thousands of objects of few kinds, so the schema of a kind is read once. */
const filters = new WeakMap<z.core.$ZodType, Filter>();

/** The part of a value that a schema describes, unconverted. */
function onlyDescribed(schema: z.core.$ZodType, value: unknown): unknown {
  const filter = filters.get(schema) ?? filterOf(schema);
  filters.set(schema, filter);
  return filter(value);
}

function filterOf(schema: z.core.$ZodType): Filter {
  const {def} = schema._zod as z.core.$ZodTypeInternals & {def: z.core.$ZodTypes['_zod']['def']};
  switch (def.type) {
    case 'pipe':
      return filterOf(def.in);
    case 'optional':
    case 'nullable':
      return filterOf(def.innerType);
    case 'array': {
      const element = filterOf(def.element);
      return element === whole ? whole : value => (Array.isArray(value) ? value.map(element) : value);
    }
    case 'object':
      return fieldsFilter(
        Object.entries(def.shape).map(([name, field]) => [name, filterOf(field)]),
        def.catchall !== undefined,
      );
    default:
      return whole;
  }
}

const whole: Filter = value => value;

function fieldsFilter(described: readonly (readonly [string, Filter])[], keepsOthers: boolean): Filter {
  return value => {
    if (!isFields(value)) return value;
    const result: Record<string, unknown> = keepsOthers ? {...value} : {};
    for (const [name, filter] of described) if (Object.hasOwn(value, name)) result[name] = filter(value[name]);
    return result;
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
const asFields = (value: unknown): Fields => (isFields(value) ? value : {});
const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
