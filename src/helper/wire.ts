import * as z from 'zod/mini';
import type {BootRequest} from '../model/boot-plan.js';
import type {PlanRequest} from '../model/plan.js';
import type {protocol} from './protocol.js';

export const errorKinds = ['NotInstalled', 'CommandNotFound', 'AccessDenied', 'Timeout', 'Failed'] as const;

const sectionError = z.object({kind: z.catch(z.enum(errorKinds), 'Failed'), message: z.string()});

const hello = z.object({
  type: z.literal('hello'),
  protocol: z.number(),
  scriptHash: z.string(),
  host: z.string(),
});

const section = z.object({
  type: z.literal('section'),
  name: z.string(),
  ms: z.number(),
  data: z.optional(z.unknown()),
  error: z.optional(sectionError),
});

/** The following sections were read this long ago, on the helper's schedule. */
const kept = z.object({type: z.literal('kept'), ageMs: z.number().check(z.nonnegative())});

const journal = z.looseObject({type: z.literal('journal')});

const plan = z.looseObject({type: z.literal('plan')});

const boot = z.looseObject({type: z.literal('boot')});

const audit = z.looseObject({type: z.literal('audit')});

/** Results of a self-test. */
const answerResults = ['ok', 'differs', 'failed', 'info'] as const;

const selfTest = z.object({
  type: z.literal('selftest'),
  area: z.string(),
  name: z.string(),
  result: z.enum(answerResults),
  seen: z.optional(z.string()),
  expected: z.optional(z.string()),
  ms: z.number(),
});

const failure = z.object({type: z.literal('error'), kind: z.string(), message: z.string()});

const end = z.object({type: z.literal('end'), ms: z.number(), lines: z.number(), sha256: z.string()});

/** One line of the helper's stdout. */
export const helperMessage = z.discriminatedUnion('type', [
  hello,
  section,
  kept,
  journal,
  plan,
  boot,
  audit,
  selfTest,
  failure,
  end,
]);

export type HelperMessage = z.infer<typeof helperMessage>;
export type SectionError = z.infer<typeof sectionError>;

export interface Probe {
  Target: string;
  Kind: 'tcp' | 'udp' | 'icmp' | 'dns';
}

export interface CollectRequest {
  protocol: typeof protocol;
  request: 'collect';
  /** The helper exits after this time, because closing the socket does not end its process. */
  deadlineMs: number;
  sectionTimeoutMs: number;
  sections: readonly string[];
  probes: readonly Probe[];
  /** Accept a snapshot that the helper has stored on its schedule, if it is no older than this. */
  maxAgeMs?: number;
  /** Bytes to read from the end of each log, and from all logs together; the helper has its own limits. */
  logBytes?: number;
  logBytesInAll?: number;
}

export interface SelfTestRequest {
  protocol: typeof protocol;
  request: 'selftest';
  deadlineMs: number;
}

export interface AuditRequest {
  protocol: typeof protocol;
  request: 'audit.read';
  deadlineMs: number;
}

export type HelperRequest = CollectRequest | PlanRequest | BootRequest | SelfTestRequest | AuditRequest;

/** A request as sent to stdin: one line of base64, so that no code page or shell can alter it. */
export function encodeRequest(request: HelperRequest): string {
  return `${Buffer.from(JSON.stringify(request), 'utf8').toString('base64')}\n`;
}
