import {createHash} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {protocol} from '../../../src/helper/protocol.js';
import {reportedSection} from '../../../src/sim/helper/collect.js';
import {firstLine} from '../../../src/sim/helper/lines.js';
import type {HelperProgram, ProgramRun} from '../../../src/sim/helper/program.js';
import type {SimNode} from '../../../src/sim/node/sim-node.js';
import {sectionNames} from '../../../src/snapshot/section-names.js';

interface Request {
  request: string;
  sections: string[];
  probes?: {Target: string; Kind: string}[];
  maxAgeMs?: number;
}

/**
 * Answers with bytes that were generated before: a timer simulates the delay of a node, and the only work left is one
 * hash. The lines arrive in four parts, like sections that are ready one after the other.
 */
export class RecordedAnswers implements HelperProgram {
  readonly #sections = new Map<string, ReadonlyMap<string, Buffer>>();
  readonly #collectMs: (host: string) => number;

  constructor(collectMs: (host: string) => number) {
    this.#collectMs = collectMs;
  }

  record(node: SimNode): void {
    const {state} = node;
    const lines = sectionNames.map(name => {
      const error = state.errors[name];
      const body = error ? {error} : {data: reportedSection(state, name) ?? []};
      return [name, lineOf({type: 'section', name, ms: 40, ...body})] as const;
    });
    this.#sections.set(hostOf(node.name), new Map(lines));
  }

  async run({host, kept, stdin, stdout, scriptHash, signal}: ProgramRun): Promise<number> {
    const line = await firstLine(stdin);
    // The process that opened the connection is gone.
    if (line === '') return 137;
    const request = JSON.parse(Buffer.from(line, 'base64').toString()) as Request;
    const recorded = this.#sections.get(host);
    if (request.request !== 'collect' || !recorded) throw new Error(`nothing is recorded for ${host}`);
    const lines = request.sections.map(name =>
      name === 'probes' ? probesLine(request.probes ?? []) : (recorded.get(name) ?? Buffer.alloc(0)),
    );
    const ageMs = kept ? Date.now() - kept.takenAt : Number.POSITIVE_INFINITY;
    const isKept = ageMs <= (request.maxAgeMs ?? 0);
    if (isKept) lines.unshift(lineOf({type: 'kept', ageMs}));
    const hello = lineOf({type: 'hello', protocol, scriptHash, host});
    const sha256 = [hello, ...lines].reduce((hash, line) => hash.update(line), createHash('sha256')).digest('hex');
    await stdout(hello);
    // Starting PowerShell and reading a file takes a fraction of the time to read Windows.
    const wait = (this.#collectMs(host) * (isKept ? keptPart : 1)) / parts;
    for (let part = 0; part < parts; part += 1) {
      await delay(wait, undefined, {ref: false});
      if (signal.aborted) return 137;
      const size = Math.ceil(lines.length / parts);
      await stdout(Buffer.concat(lines.slice(part * size, (part + 1) * size)));
    }
    await stdout(lineOf({type: 'end', ms: 1500, lines: lines.length + 1, sha256}));
    return 0;
  }
}

const parts = 4;
const keptPart = 1 / 3;

/** The names of the simulated nodes. */
export const hostOf = (name: string): string => name.toUpperCase().slice(0, 15);

const lineOf = (message: object): Buffer => Buffer.from(`${JSON.stringify(message)}\n`);

const probesLine = (probes: readonly {Target: string; Kind: string}[]): Buffer =>
  lineOf({
    type: 'section',
    name: 'probes',
    ms: 3,
    data: probes.map(probe => ({...probe, Ok: true, Ms: 3, Error: null})),
  });
