import {createInterface} from 'node:readline/promises';
import {type Streams, wantsColour, wantsLiveDisplay} from '../lib/streams.js';

/** A person at a terminal: keys come in, questions go out. */
export interface Person {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colour: boolean;
}

/** Who can be shown a screen; undefined if nobody can answer, or the terminal cannot draw. */
export function personAt(streams: Streams, input: NodeJS.ReadStream = process.stdin): Person | undefined {
  if (!input.isTTY || !wantsLiveDisplay(streams)) return undefined;
  const output = streams.err as NodeJS.WriteStream;
  return {input, output, colour: wantsColour(output, streams.env)};
}

/** Whether a line can be asked for: on any terminal, also one that cannot draw. */
export const canBeAsked = ({err}: Streams): boolean => process.stdin.isTTY === true && err.isTTY === true;

/** Asks for one line. */
export async function prompt(question: string, {err}: Pick<Streams, 'err'>, signal: AbortSignal): Promise<string> {
  const reader = createInterface({input: process.stdin, output: err});
  // Ctrl-C at a prompt is Ctrl-C: readline would keep it for itself.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // After Ctrl-Z and fg readline leaves its input paused.
  reader.on('SIGCONT', () => reader.resume());
  try {
    return (await reader.question(question, {signal})).trim();
  } finally {
    reader.close();
  }
}

/** A question that only `y` or `yes` answers with yes. */
export async function confirm(question: string, streams: Pick<Streams, 'err'>, signal: AbortSignal): Promise<boolean> {
  return isYes(await prompt(`${question} [y/N] `, streams, signal));
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer);
