import {asciiStream, wantsAscii} from './ascii.js';

/** Where a command writes: results to `out`, progress to `err`. Injected, so that a command can run without a process. */
export interface Streams {
  readonly out: NodeJS.WritableStream;
  /** The same as `out`, for documents: their bytes do not depend on the locale. */
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

/** Colour only where a person reads it: a terminal, and neither NO_COLOR nor TERM=dumb. */
export function wantsColour(stream: NodeJS.WritableStream & {isTTY?: boolean}, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** A live display needs a terminal that is not a CI log. */
export function wantsLiveDisplay({err, env}: Streams): boolean {
  return err.isTTY === true && env.TERM !== 'dumb' && !env.CI;
}

/** One that moves by itself: not where NO_COLOR asks for calm, nor where a screen reader would read every change aloud. */
export function wantsMotion(streams: Streams): boolean {
  return wantsLiveDisplay(streams) && !streams.env.NO_COLOR && streams.env.INK_SCREEN_READER !== 'true';
}

let taker: ((text: string) => void) | undefined;

/** While a display draws on the terminal it takes what is said: a line written beside it would tear it. Gives its end. */
export function takeTalk(take: (text: string) => void): () => void {
  taker = take;
  return () => {
    if (taker === take) taker = undefined;
  };
}

/** Says a line on standard error, or through the display that has the terminal now. */
export function talk({err}: Streams, text: string): void {
  if (taker) taker(text);
  else err.write(`${text}\n`);
}
