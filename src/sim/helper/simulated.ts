import {protocol} from '../../helper/protocol.js';
import {isObject, type JsonObject} from '../json.js';
import {planRequests} from '../plans/requests.js';
import {StepError} from '../plans/step.js';
import {collect} from './collect.js';
import {firstLine, Lines} from './lines.js';
import type {HelperProgram, ProgramRun} from './program.js';
import {selfTest} from './self-test.js';

/** The helper in TypeScript: answers from the state of the node, line by line like the script. */
export const simulatedHelper: HelperProgram = {
  async run(run) {
    const started = performance.now();
    const output = new Lines(run.stdout);
    await output.message({type: 'hello', protocol, scriptHash: run.scriptHash, host: run.host});
    try {
      await answer(run, readRequest(await firstLine(run.stdin)), message => output.message(message));
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      await output.message({type: 'error', kind: error.kind, message: error.message});
    }
    if (run.signal.aborted) return 1;
    await output.end(Math.round(performance.now() - started));
    return 0;
  },
};

async function answer(
  run: ProgramRun,
  request: JsonObject,
  reply: (message: JsonObject) => Promise<void>,
): Promise<void> {
  if (run.signal.aborted) return;
  const name = String(request.request);
  if (name === 'collect') return collect(run, request, reply);
  if (name === 'selftest') return selfTest(run, reply);
  const answerer = Object.hasOwn(planRequests, name) ? planRequests[name] : undefined;
  if (!answerer) throw new StepError('UnknownRequest', `This helper does not know the request '${name}'.`);
  await answerer(run.plans, {request, reply, signal: run.signal});
}

function readRequest(line: string): JsonObject {
  const request = parse(line);
  if (!isObject(request)) throw new StepError('BadRequest', 'The request is not one line of base64 JSON.');
  if (request.protocol !== protocol) {
    const message = `This helper supports protocol ${protocol}, not '${request.protocol}'.`;
    throw new StepError('UnsupportedProtocol', message);
  }
  return request;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(Buffer.from(line, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
