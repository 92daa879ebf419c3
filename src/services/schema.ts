import {isDeepStrictEqual} from 'node:util';
import {toJSONSchema} from 'zod/v4/core';
import {doctorReport} from '../diagnose/report-schema.js';
import {repairPlan} from '../model/repair-plan.js';
import {snapshotDocument} from '../snapshot/document.js';
import {sectionNames} from '../snapshot/section-names.js';
import {sectionReaders} from '../snapshot/sections.js';
import {jsonSchemaOf, valueSchemas} from '../snapshot/values.js';

export const schemaNames = ['report', 'snapshot', 'plan'] as const;
export type SchemaName = (typeof schemaNames)[number];

const about: Readonly<Record<SchemaName, {readonly title: string; readonly description: string}>> = {
  report: {title: 'DoctorReport', description: 'Output of "kubectl win doctor -o json".'},
  snapshot: {title: 'Snapshot', description: 'Output of "kubectl win collect", and input of "--from".'},
  plan: {
    title: 'RepairPlan',
    description: 'Output of "kubectl win cleanup --dry-run=client -o yaml" for one node.',
  },
};

const schemas = {report: doctorReport, snapshot: snapshotDocument, plan: repairPlan};

type JsonSchema = Record<string, unknown>;

/** The JSON Schema of a document, generated from the schema that the code itself uses. */
export function publishedSchema(name: SchemaName): JsonSchema {
  // The schema describes the document as written, not the result of parsing it.
  const made = toJSONSchema(schemas[name], {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  }) as JsonSchema;
  const schema = name === 'snapshot' ? withSections(made) : made;
  const {$schema, ...rest} = name === 'plan' ? schema : open(schema);
  return {$schema, $id: `urn:kubectl-win:v1:${name}`, ...about[name], ...rest};
}

/** Readers must accept unknown fields: a new field is not a new version. Only a plan is closed. */
function open(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !(key === 'additionalProperties' && value === false))
      .map(([key, value]) => [key, deeply(value)]),
  );
}

const deeply = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(deeply);
  return typeof value === 'object' && value !== null ? open(value as JsonSchema) : value;
};

/** Sections contain what Windows returned, with its property names. The schema describes what our readers require and use. */
function withSections(schema: JsonSchema): JsonSchema {
  const defs: Record<string, unknown> = {...(schema.$defs as JsonSchema | undefined), ...valueSchemas};
  const named = Object.fromEntries(
    sectionNames.map(name => [name, withDefinitions(jsonSchemaOf(sectionReaders[name]), name, defs)]),
  );
  const visit = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map(one => visit(one));
    // A default is a value, not a schema.
    if (typeof value !== 'object' || value === null || key === 'default') return value;
    const own = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visit(one, name)]));
    return key === 'sections' ? {...own, properties: named} : own;
  };
  return {...(visit(schema) as JsonSchema), $defs: defs};
}

/** Defines each object of a section once, named by its path: the schema of a list contains it in two forms. */
function withDefinitions(schema: unknown, place: string, defs: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map(one => withDefinitions(one, place, defs));
  if (typeof schema !== 'object' || schema === null) return schema;
  const {properties, ...rest} = schema as JsonSchema;
  if (properties === undefined) {
    return Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, withDefinitions(one, place, defs)]));
  }
  const {description, ...own} = rest;
  const definition = {
    ...own,
    properties: Object.fromEntries(
      Object.entries(properties as JsonSchema).map(([key, one]) => [
        key,
        withDefinitions(one, `${place}.${key}`, defs),
      ]),
    ),
  };
  let name = place;
  for (let i = 2; name in defs && !isDeepStrictEqual(defs[name], definition); i++) name = `${place}.${i}`;
  defs[name] = definition;
  return {...(description !== undefined && {description}), $ref: `#/$defs/${name}`};
}
