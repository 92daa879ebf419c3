import {render} from 'ink';
import type {ReactNode} from 'react';
import {clearDisplay} from './clear-display.js';
import {Coloured} from './toned.js';

/** The terminal for a question. */
export interface Asking {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colour: boolean;
  readonly signal: AbortSignal;
}

/** Shows a screen until it is answered. Clears the terminal afterwards. */
export async function question<Answer>(
  {input, output, colour, signal}: Asking,
  screen: (onEnd: (answer: Answer) => void) => ReactNode,
): Promise<Answer> {
  const {promise, resolve, reject} = Promise.withResolvers<Answer>();
  // Ctrl-C must be a key from the first frame on, even before Ink listens.
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
    if (isShown) clearDisplay(app, output);
    isShown = false;
    input.setRawMode(false);
  };
  // Hide it immediately: the message about the interruption follows.
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
