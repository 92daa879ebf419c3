import {createInterface} from 'node:readline/promises';
import {type Streams, wantsLiveDisplay} from '../../lib/streams.js';

/** A person at a terminal: keys come in, questions go out. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Undefined where nobody is there to answer. */
export function terminalOf(streams: Streams, input: NodeJS.ReadStream = process.stdin): Terminal | undefined {
  if (!input.isTTY || !wantsLiveDisplay(streams)) return undefined;
  return {input, output: streams.err as NodeJS.WriteStream};
}

/** A question that only `y` or `yes` answers with yes. */
export async function confirm({input, output}: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({input, output});
  // Ctrl-C at a prompt is Ctrl-C: readline would keep it for itself.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await lines.question(`${question} [y/N] `, {signal});
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
