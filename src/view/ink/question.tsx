import {render} from 'ink';
import type {ReactNode} from 'react';
import {leaveNothing} from './leave-nothing.js';
import {Coloured} from './toned.js';

/** Where a person is asked. */
export interface Asking {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colour: boolean;
  readonly signal: AbortSignal;
}

/** Shows a screen until it has its answer. It leaves nothing on the terminal. */
export async function question<Answer>(
  {input, output, colour, signal}: Asking,
  screen: (onEnd: (answer: Answer) => void) => ReactNode,
): Promise<Answer> {
  const {promise, resolve, reject} = Promise.withResolvers<Answer>();
  // Ctrl-C is a key from the first frame on, also before Ink listens.
  input.setRawMode(true);
  const app = render(<Coloured value={colour}>{screen(resolve)}</Coloured>, {
    stdin: input,
    stdout: output,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
  let isShown = true;
  const hide = () => {
    if (isShown) leaveNothing(app, output);
    isShown = false;
    input.setRawMode(false);
  };
  // At once: what is said about the interruption comes right after.
  const stop = () => {
    hide();
    reject(signal.reason);
  };
  signal.addEventListener('abort', stop);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    hide();
  }
}
