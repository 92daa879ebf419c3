import * as z from 'zod/mini';
import {levels} from '../model/level.js';
import type {DoctorReport} from './report.js';

// Schema of `doctor -o json` for programs that read it. The last line checks at compile time that it matches the
// report.

const evidence = z.object({
  section: z.string(),
  object: z.string(),
  field: z.optional(z.string()),
  seen: z.optional(z.unknown()),
  expected: z.optional(z.unknown()),
});

const remedy = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('command'),
    command: z.string(),
    first: z.optional(z.string()),
    or: z.optional(z.string()),
    cutsNetwork: z.boolean(),
    level: z.optional(z.enum(levels)),
  }),
  z.object({kind: z.literal('manual'), steps: z.array(z.string()), cutsNetwork: z.boolean()}),
]);

const result = z.object({
  id: z.string(),
  outcome: z.enum(['pass', 'fail', 'info', 'unknown', 'skipped']),
  severity: z.enum(['error', 'warning', 'info']),
  title: z.string(),
  message: z.string(),
  evidence: z.array(evidence),
  remedy: z.optional(remedy),
  causedBy: z.optional(z.array(z.string())),
  explains: z.optional(z.array(z.string())),
  peers: z.optional(z.object({failing: z.int(), of: z.int()})),
  suppressed: z.optional(z.string()),
  docs: z.string(),
});

const node = z.object({
  name: z.string(),
  cni: z.object({
    name: z.string(),
    variant: z.optional(z.string()),
    version: z.optional(z.string()),
    confidence: z.string(),
    evidence: z.array(z.string()),
  }),
  inspected: z.boolean(),
  error: z.optional(z.string()),
  readAt: z.optional(z.iso.datetime()),
  incomplete: z.optional(z.string()),
  results: z.array(result),
});

export const doctorReport = z.object({
  apiVersion: z.literal('kubectl-win/v1'),
  kind: z.literal('DoctorReport'),
  generatedAt: z.iso.datetime(),
  cluster: z.object({
    version: z.optional(z.string()),
    context: z.optional(z.string()),
    results: z.array(result),
    unread: z.optional(z.array(z.string())),
  }),
  nodes: z.array(node),
  summary: z.object({
    nodes: z.int(),
    healthy: z.int(),
    errors: z.int(),
    warnings: z.int(),
    problems: z.int(),
    consequences: z.int(),
    unknown: z.int(),
    uninspected: z.int(),
    incomplete: z.int(),
  }),
});

/** Removes `readonly`, the only permitted difference from the schema. */
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? {-readonly [Key in keyof T]: Mutable<T[Key]>}
    : T;

// Fails to compile if the report does not match the schema.
void ((report: Mutable<DoctorReport>): z.infer<typeof doctorReport> => report);
