import * as z from 'zod/mini';
import {logBounds} from '../../helper/log-limits.js';
import {type JsonObject, listAt} from '../json.js';
import {type NodeState, rows} from '../node/state.js';
import {StepError} from '../plans/step.js';
import {derived, derivedSections, failureOf} from '../windows/derived.mjs';
import type {ProgramRun} from './program.js';

const bytesUpTo = (most: number) => z.int().check(z.gte(logBounds.least), z.lte(most));

const collectRequest = z.looseObject({
  sections: z.array(z.string()),
  maxAgeMs: z._default(z.number(), 0),
  logBytes: z._default(bytesUpTo(logBounds.most), logBounds.usual),
  logBytesInAll: z._default(bytesUpTo(logBounds.mostInAll), Number.POSITIVE_INFINITY),
  probes: z._default(z.array(z.looseObject({Target: z.string(), Kind: z.string()})), []),
});

type Request = z.infer<typeof collectRequest>;

/** Answers `collect` from the state of the node, section by section. */
export async function collect(
  run: ProgramRun,
  request: JsonObject,
  reply: (message: JsonObject) => Promise<void>,
): Promise<void> {
  const asked = collectRequest.safeParse(request).data;
  if (!asked)
    throw new StepError('BadRequest', "'sections' must be a list, and what limits the answer a whole number.");
  const ageMs = run.kept ? Date.now() - run.kept.takenAt : Number.POSITIVE_INFINITY;
  const kept = ageMs <= asked.maxAgeMs ? run.kept : undefined;
  if (kept) await reply({type: 'kept', ageMs});
  for (const name of asked.sections) {
    if (run.signal.aborted) return;
    // Only the request names the probe targets.
    const from = kept && name !== 'probes' ? {...run, state: kept.state} : run;
    await reply({type: 'section', name, ms: 2 + (name.length % 7) * 6, ...section(from, asked, name)});
  }
}

function section({state, plans}: ProgramRun, {probes, logBytes, logBytesInAll}: Request, name: string): JsonObject {
  const error = failureOf(state.errors, name);
  if (error) return {error};
  if (name === 'plans') return {data: [...listAt(state.sections, 'plans'), ...plans.section()]};
  if (name === 'probes' && probes.length > 0) return {data: probe(state.sections.probes, probes)};
  const data = reportedSection(state, name);
  if (data === undefined) return {error: {kind: 'Failed', message: `Unknown section ${name}.`}};
  return {data: name === 'logs' ? endsOfLogs(rows(state, name), logBytes, logBytesInAll) : data};
}

/** The end of each log. Small logs first: their unused share goes to the larger ones. */
function endsOfLogs(logs: readonly JsonObject[], bytes: number, bytesInAll: number): JsonObject[] {
  const whole = logs.map(log => ({log, text: Buffer.from(typeof log.Tail === 'string' ? log.Tail : '')}));
  const shares = new Map<JsonObject, number>();
  let left = bytesInAll;
  for (const {log, text} of whole.toSorted((one, other) => one.text.length - other.text.length)) {
    const share = Math.min(bytes, Math.floor(left / (logs.length - shares.size)));
    shares.set(log, share);
    left -= Math.min(share, text.length);
  }
  return whole.map(({log, text}) => {
    const share = shares.get(log) ?? 0;
    return text.length <= share ? log : {...log, Tail: text.subarray(text.length - share).toString('utf8')};
  });
}

/** A section of the node's state, with the defaults that Windows reports for settings that were never changed. */
export function reportedSection(state: NodeState, name: string): unknown {
  const {sections} = state;
  if (name === 'dnsServers') return rows(state, name).map(row => ({...row, Origin: originOf(state, row)}));
  const unset = unsetFields[name];
  return unset ? rows(state, name).map(row => ({...unset, ...row})) : derived(sections, name);
}

/** Everything that a node reports, in the form of a snapshot. */
export function reportedNode(state: NodeState): NodeState {
  const dump: NodeState = {sections: {}, errors: {}};
  for (const name of new Set([...Object.keys(state.sections), ...Object.keys(state.errors), ...derivedSections])) {
    const failure = failureOf(state.errors, name);
    if (failure) dump.errors[name] = failure;
    else dump.sections[name] = reportedSection(state, name);
  }
  return dump;
}

/** Servers of an interface without a lease are always set manually. */
function originOf(state: NodeState, {Origin, InterfaceIndex, AddressFamily = 'IPv4', ServerAddresses}: JsonObject) {
  const isLeased = rows(state, 'netIPInterfaces').some(
    row => row.InterfaceIndex === InterfaceIndex && row.AddressFamily === AddressFamily && row.Dhcp === 'Enabled',
  );
  const isManual = Origin === undefined ? !isLeased : Origin === 'Manual';
  return isManual && Array.isArray(ServerAddresses) && ServerAddresses.length > 0 ? 'Manual' : 'Automatic';
}

const unsetFields: Readonly<Record<string, JsonObject>> = {
  netIPAddresses: {SkipAsSource: false},
  netIPInterfaces: {InterfaceMetric: 15, AutomaticMetric: 'Enabled'},
};

/** A known target has the result in the node's state; other targets get the result of the first. */
function probe(known: unknown, probes: Request['probes']): JsonObject[] {
  const results = Array.isArray(known) ? (known as JsonObject[]) : [];
  return probes.map(({Target, Kind}) => {
    const found = results.find(result => result.Target === Target && result.Kind === Kind);
    return found ?? {Target, Kind, Ok: results[0]?.Ok ?? true, Ms: 3, Error: results[0]?.Error ?? null};
  });
}
