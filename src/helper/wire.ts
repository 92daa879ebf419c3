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

/** What follows was read that long ago, on the helper's own schedule. */
const kept = z.object({type: z.literal('kept'), ageMs: z.number().check(z.nonnegative())});

const journal = z.looseObject({type: z.literal('journal')});

const plan = z.looseObject({type: z.literal('plan')});

const boot = z.looseObject({type: z.literal('boot')});

const audit = z.looseObject({type: z.literal('audit')});

/** What a helper found out about the Windows that it runs on. */
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

/** One line of the helper's standard output. */
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
  /** The helper ends itself after this long, because closing the socket does not end its process. */
  deadlineMs: number;
  sectionTimeoutMs: number;
  sections: readonly string[];
  probes: readonly Probe[];
  /** What the helper has read on its schedule will do, where it is not older than this. */
  maxAgeMs?: number;
  /** How much of the end of each log is read, and of all logs together; the helper has limits of its own. */
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

/** A request as it travels on standard input: one line of base64, so that no code page or shell can hurt it. */
export function encodeRequest(request: HelperRequest): string {
  return `${Buffer.from(JSON.stringify(request), 'utf8').toString('base64')}\n`;
}
