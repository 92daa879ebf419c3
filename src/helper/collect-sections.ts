import {ExitCode, WinError} from '../lib/errors.js';
import {PackedText} from '../lib/packed-text.js';
import {pause} from '../lib/pause.js';
import {LimitExceeded} from '../lib/whole-numbers.js';
import {type OnReply, type Reply, readLongSection} from './answer-reader.js';
import type {LogLimits} from './log-limits.js';
import {protocol} from './protocol.js';
import {type AskOptions, ask, type HelperAnswer, type HelperChannel} from './request.js';
import type {CollectRequest, Probe, SectionError} from './wire.js';

export interface NodeCollectOptions extends Omit<AskOptions, 'onReply'> {
  sections: readonly string[];
  probes?: readonly Probe[] | undefined;
  /** The helper exits after this time. */
  deadlineMs: number;
  sectionTimeoutMs: number;
  /** Accept a snapshot that an installed helper has stored, if it is no older than this. */
  maxAgeMs?: number | undefined;
  logs?: LogLimits | undefined;
  /** Called once per section, when it arrives. */
  onSection?: ((name: string, error: SectionError | undefined) => void) | undefined;
  /** How long to wait before a broken answer is requested again. */
  pauseMs?: number | undefined;
}

export interface Collected {
  /** Parsed by each call: while many nodes are read, long sections stay in memory as text. */
  read(): SectionsRead;
  /** The data of one section; undefined: it was not read. */
  section(name: string): unknown;
  /** Whether a section contains a text, without the cost of parsing it. */
  mentions(name: string, text: string): boolean;
  /** Other lines that the node sent. */
  noise: readonly string[];
  /** The node's Windows host name. */
  host: string | undefined;
  /** How long the node took. */
  ms: number;
  /** Its age, if the helper had stored it. */
  ageMs: number | undefined;
  /** Why the answer is incomplete after two attempts; the sections that arrived are included. */
  interrupted: string | undefined;
}

export interface SectionsRead {
  sections: Record<string, unknown>;
  /** Why the others were not read. */
  errors: Record<string, SectionError>;
}

/** Reads sections from a node. A broken answer is requested once more. Fails only if no section arrived. */
export async function collect(channel: HelperChannel, options: NodeCollectOptions): Promise<Collected> {
  const arrived = new Map<string, Waiting>();
  const told = new Set<string>();
  let ageMs: number | undefined;
  const onReply: OnReply = (reply, line) => {
    if (reply.type === 'kept') ageMs = reply.ageMs;
    const isLong = reply.type === 'long section';
    if ((!isLong && reply.type !== 'section') || !isSectionName(reply.name)) return;
    arrived.set(reply.name, isLong ? new PackedText(line) : reply);
    if (!told.has(reply.name)) options.onSection?.(reply.name, isLong ? undefined : reply.error);
    told.add(reply.name);
  };
  let asked = await askForSections(channel, options, onReply);
  if (asked.fault) {
    await pause(options.pauseMs ?? 1000, options.signal);
    asked = await askForSections(channel, options, onReply);
  }
  if (asked.fault && arrived.size === 0) throw interruption(channel.node, asked.fault);
  return result(arrived, asked, ageMs, options);
}

type Section = Extract<Reply, {type: 'section'}>;

/** A section until it is used: a long one as its compressed line, because many nodes are read in parallel. */
type Waiting = Section | PackedText;
const isPacked = (section: Waiting): section is PackedText => section instanceof PackedText;

/** Names become keys, so only plain words are accepted. */
const isSectionName = (name: string) => /^[A-Za-z]{1,40}$/.test(name);

function askForSections(channel: HelperChannel, options: NodeCollectOptions, onReply: OnReply) {
  const {sections, probes = [], deadlineMs, sectionTimeoutMs, maxAgeMs, logs} = options;
  const asked = {protocol, request: 'collect', deadlineMs, sectionTimeoutMs, sections, probes} as const;
  const request: CollectRequest = {
    ...asked,
    ...(maxAgeMs !== undefined && {maxAgeMs}),
    ...(logs && {logBytes: logs.bytes, logBytesInAll: logs.bytesInAll}),
  };
  return ask(channel, request, {...options, onReply});
}

function result(
  arrived: ReadonlyMap<string, Waiting>,
  asked: HelperAnswer,
  ageMs: number | undefined,
  {sections: wanted}: NodeCollectOptions,
): Collected {
  const {host, noise, ms, fault} = asked;
  return {
    read: () => readAll(arrived, wanted, fault),
    section: name => dataOf(arrived.get(name)),
    mentions: (name, text) => textOf(arrived.get(name)).includes(text),
    ...{noise, host, ms, ageMs, interrupted: fault},
  };
}

function readAll(
  arrived: ReadonlyMap<string, Waiting>,
  wanted: readonly string[],
  fault: string | undefined,
): SectionsRead {
  const sections: Record<string, unknown> = {};
  const errors: Record<string, SectionError> = {};
  for (const [name, waiting] of arrived) {
    const {data, error} = parsed(waiting);
    if (error) errors[name] = error;
    else sections[name] = data ?? null;
  }
  const message = fault ? `The answer was interrupted: ${fault}.` : 'The helper did not return this section.';
  for (const name of wanted) {
    if (!arrived.has(name)) errors[name] = {kind: 'Failed', message};
  }
  return {sections, errors};
}

function parsed(waiting: Waiting): Pick<Section, 'data' | 'error'> {
  if (!isPacked(waiting)) return waiting;
  try {
    return readLongSection(waiting.unpack());
  } catch (error) {
    const message = error instanceof LimitExceeded ? `The section is too large: ${error.message}.` : invalid;
    return {error: {kind: 'Failed', message}};
  }
}

const invalid = 'The section that the helper returned is not valid.';

function dataOf(waiting: Waiting | undefined): unknown {
  if (waiting === undefined) return undefined;
  const {data, error} = parsed(waiting);
  return error ? undefined : (data ?? null);
}

function textOf(waiting: Waiting | undefined): string {
  if (waiting === undefined) return '';
  return isPacked(waiting) ? waiting.unpack() : JSON.stringify(waiting.data ?? null);
}

function interruption(node: string, fault: string): WinError {
  return new WinError(`The answer of ${node} was interrupted: ${fault}.`, {
    exit: ExitCode.uninspected,
    next: [
      'Try again; if the node is slow, increase --timeout.',
      'If the problem persists, run the script that "kubectl win helper script" prints on the node manually.',
    ],
  });
}
