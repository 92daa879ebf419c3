import {createHash} from 'node:crypto';
import {z} from 'zod';
import {protocol} from '../../helper/wire.js';
import type {JsonObject} from '../json.js';
import type {HelperProgram, HelperRun} from './program.js';

const requestSchema = z.looseObject({
  protocol: z.literal(protocol),
  request: z.literal('collect'),
  sections: z.array(z.string()),
  probes: z.array(z.looseObject({Target: z.string(), Kind: z.string()})).default([]),
});

type Request = z.infer<typeof requestSchema>;

/** Answers `collect` from the node's state, line by line as the helper's script does. */
export const collectProgram: HelperProgram = {
  async run(run) {
    const started = performance.now();
    const output = new Lines(run);
    await output.message({type: 'hello', protocol, scriptHash: run.scriptHash, host: run.host});
    const request = readRequest(await firstLine(run.stdin));
    if (run.signal.aborted) return 1;
    if ('problem' in request) {
      await output.message({type: 'error', kind: 'UnknownRequest', message: request.problem});
    } else {
      for (const name of request.sections) {
        if (run.signal.aborted) return 1;
        await output.message(section(run, request, name));
      }
    }
    await output.end(Math.round(performance.now() - started));
    return 0;
  },
};

function section({state}: HelperRun, request: Request, name: string): JsonObject {
  const ms = 2 + (name.length % 7) * 6;
  const error = state.errors[name];
  if (error) return {type: 'section', name, ms, error};
  if (name === 'probes' && request.probes.length > 0) {
    return {type: 'section', name, ms, data: probe(state.sections.probes, request.probes)};
  }
  if (!(name in state.sections)) {
    return {type: 'section', name, ms, error: {kind: 'Failed', message: `There is no section ${name}.`}};
  }
  return {type: 'section', name, ms, data: state.sections[name]};
}

/** A target that the node's state names has the result that is there; others answer as the first one does. */
function probe(known: unknown, probes: Request['probes']): JsonObject[] {
  const results = Array.isArray(known) ? (known as JsonObject[]) : [];
  return probes.map(({Target, Kind}) => {
    const found = results.find(result => result.Target === Target && result.Kind === Kind);
    return found ?? {Target, Kind, Ok: results[0]?.Ok ?? true, Ms: 3, Error: results[0]?.Error ?? null};
  });
}

async function firstLine(stdin: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const bytes of stdin) {
    text += Buffer.from(bytes).toString('latin1');
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end).trim();
  }
  return text.trim();
}

function readRequest(line: string): Request | {problem: string} {
  try {
    const value: unknown = JSON.parse(Buffer.from(line, 'base64').toString('utf8'));
    const parsed = requestSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const {protocol: asked, request} = value as {protocol?: unknown; request?: unknown};
    if (asked !== protocol)
      return {problem: `This helper speaks protocol ${protocol}, the request is of protocol ${asked}.`};
    return {problem: `This helper does not know the request ${JSON.stringify(request)}.`};
  } catch {
    return {problem: 'The request is not base64 of JSON.'};
  }
}

/** Lines of JSON, counted and hashed for the last one. */
class Lines {
  readonly #run: HelperRun;
  readonly #hash = createHash('sha256');
  #count = 0;

  constructor(run: HelperRun) {
    this.#run = run;
  }

  async message(message: JsonObject): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(message)}\n`);
    this.#hash.update(line);
    this.#count += 1;
    await this.#run.stdout(line);
  }

  async end(ms: number): Promise<void> {
    const message = {type: 'end', ms, lines: this.#count, sha256: this.#hash.digest('hex')};
    await this.#run.stdout(Buffer.from(`${JSON.stringify(message)}\n`));
  }
}
