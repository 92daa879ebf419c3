import {createHash} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {HelperFault} from '../node/faults.js';
import type {HelperProgram, ProgramRun} from './program.js';

const banner = 'Windows PowerShell\r\nCopyright (C) Microsoft Corporation. All rights reserved.\r\n\r\n';
const chatter = 'WARNING: The names of some imported commands include unapproved verbs.\r\n';

/** The program with a fault in its output. `drop` breaks the connection. */
export function withFault(program: HelperProgram, fault: HelperFault | undefined, drop: () => void): HelperProgram {
  if (!fault) return program;
  return {run: run => runFaulty(program, fault, run, drop)};
}

async function runFaulty(
  program: HelperProgram,
  fault: HelperFault,
  run: ProgramRun,
  drop: () => void,
): Promise<number> {
  const write = (text: string) => run.stdout(Buffer.from(text));
  switch (fault.kind) {
    case 'silent':
      await aborted(run.signal);
      return 137;
    case 'empty':
      return 0;
    case 'onlyGarbage':
      await write(`${banner}'helper.ps1' is not digitally signed.\r\n`);
      return 1;
    case 'wrongHash':
      return program.run({...run, scriptHash: '0'.repeat(64)});
    case 'noSections':
      return greetAndEnd(program, run, write);
    default:
      return program.run({...run, stdout: lineByLine(fault, run, write, drop)});
  }
}

/** An answer with correct count and hash but without sections. */
async function greetAndEnd(program: HelperProgram, run: ProgramRun, write: (text: string) => Promise<void>) {
  let answer = '';
  const code = await program.run({
    ...run,
    stdout: async bytes => {
      answer += Buffer.from(bytes).toString('utf8');
    },
  });
  const [hello = ''] = answer.split('\n', 1);
  const sha256 = createHash('sha256')
    .update(`${hello.replace(/\r$/, '')}\n`)
    .digest('hex');
  await write(`${hello}\n${JSON.stringify({type: 'end', ms: 1, lines: 1, sha256})}\n`);
  return code;
}

/** Applies the fault to each line of the output. */
function lineByLine(fault: HelperFault, run: ProgramRun, write: (text: string) => Promise<void>, drop: () => void) {
  let lines = 0;
  let rest = '';
  const pass = async (line: string) => {
    const number = lines++;
    if (fault.kind === 'slow') await delay(fault.ms, undefined, {signal: run.signal, ref: false}).catch(() => {});
    if (fault.kind === 'garbage' && number === 0) await write(banner);
    if (fault.kind === 'garbage' && number % 4 === 2) await write(chatter);
    if (fault.kind === 'slow' || fault.kind === 'garbage' || number < fault.afterLines) return write(line);
    if (number > fault.afterLines) return;
    if (fault.kind === 'halfLine') return write(line.slice(0, Math.ceil(line.length / 2)));
    if (fault.kind === 'cut') drop();
  };
  return async (bytes: Uint8Array) => {
    rest += Buffer.from(bytes).toString('utf8');
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end + 1);
      rest = rest.slice(end + 1);
      await pass(line);
    }
  };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), {once: true});
  });
