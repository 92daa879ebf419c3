import {asciiStream, wantsAscii} from './ascii.js';

/** The output of a command: results to `out`, progress to `err`. Injected, so that tests can replace it. */
export interface Streams {
  readonly out: NodeJS.WritableStream;
  /** Like `out`, but for documents, whose bytes do not depend on the locale. */
  readonly documents?: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream & {isTTY?: boolean; columns?: number};
  readonly env: NodeJS.ProcessEnv;
}

export const processStreams: Streams = wantsAscii(process.env)
  ? {
      out: asciiStream(process.stdout),
      documents: process.stdout,
      err: asciiStream(process.stderr),
      env: process.env,
    }
  : {out: process.stdout, err: process.stderr, env: process.env};

/** Colour only on a terminal, and with neither NO_COLOR nor TERM=dumb. */
export function wantsColour(stream: NodeJS.WritableStream & {isTTY?: boolean}, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** A live display requires a terminal that is not a CI log. */
export function wantsLiveDisplay({err, env}: Streams): boolean {
  return err.isTTY === true && env.TERM !== 'dumb' && !env.CI;
}

/** Animation: not with NO_COLOR, and not with a screen reader, which would read every change aloud. */
export function wantsMotion(streams: Streams): boolean {
  return wantsLiveDisplay(streams) && !streams.env.NO_COLOR && streams.env.INK_SCREEN_READER !== 'true';
}

let taker: ((text: string) => void) | undefined;

/** Redirects messages to a live display, which other output would corrupt. Returns a function that ends the redirection. */
export function redirectMessages(take: (text: string) => void): () => void {
  taker = take;
  return () => {
    if (taker === take) taker = undefined;
  };
}

/** Writes a line to stderr, or to the live display that uses the terminal. */
export function writeMessage({err}: Streams, text: string): void {
  if (taker) taker(text);
  else err.write(`${text}\n`);
}
