import {createInterface} from 'node:readline/promises';
import {type Streams, wantsColour, wantsLiveDisplay} from '../lib/streams.js';

/** A terminal for interactive screens. */
export interface InteractiveTerminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colour: boolean;
}

/** The terminal, or undefined if there is none or it cannot draw. */
export function interactiveTerminal(
  streams: Streams,
  input: NodeJS.ReadStream = process.stdin,
): InteractiveTerminal | undefined {
  if (!input.isTTY || !wantsLiveDisplay(streams)) return undefined;
  const output = streams.err as NodeJS.WriteStream;
  return {input, output, colour: wantsColour(output, streams.env)};
}

/** Whether a question can be asked: on any terminal, even one that cannot draw. */
export const canAsk = ({err}: Streams): boolean => process.stdin.isTTY === true && err.isTTY === true;

/** Asks for one line. */
export async function prompt(question: string, {err}: Pick<Streams, 'err'>, signal: AbortSignal): Promise<string> {
  const reader = createInterface({input: process.stdin, output: err});
  // Forward Ctrl-C, which readline would consume.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // After Ctrl-Z and fg readline leaves its input paused.
  reader.on('SIGCONT', () => reader.resume());
  try {
    return (await reader.question(question, {signal})).trim();
  } finally {
    reader.close();
  }
}

/** Asks a question. Only `y` or `yes` counts as yes. */
export async function confirm(question: string, streams: Pick<Streams, 'err'>, signal: AbortSignal): Promise<boolean> {
  return isYes(await prompt(`${question} [y/N] `, streams, signal));
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer);
