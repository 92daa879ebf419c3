import {type Streams, wantsMotion} from '../lib/streams.js';
import {plain} from '../lib/untrusted.js';
import {type Progress, silent} from '../session/progress.js';
import {firstLine} from './ink/first-frame.js';
import type {Display} from './ink/live-display.js';

export interface ProgressOptions {
  /** No lines: a program reads, and only data is wanted. */
  readonly quiet?: boolean;
  /** False: nothing that moves, whatever the terminal. */
  readonly live?: boolean;
}

/** Rows that move on a terminal; lines elsewhere; nothing where a program reads and only data is wanted. */
export async function openProgress(streams: Streams, options: ProgressOptions = {}): Promise<Progress> {
  const display = await chooseDisplay(streams, options);
  const warnings = new Set<string>();
  return {
    ...display,
    warn: text => warnings.add(text),
    end: () => {
      display.end();
      for (const warning of warnings) streams.err.write(`warning: ${plain(warning)}\n`);
      warnings.clear();
    },
  };
}

async function chooseDisplay(streams: Streams, {quiet = false, live = true}: ProgressOptions): Promise<Display> {
  if (live && wantsMotion(streams)) {
    const err = streams.err as NodeJS.WriteStream;
    const takeBack = firstLine(err, 'Starting…');
    try {
      const {liveDisplay} = await import('./ink/live-display.js');
      takeBack();
      return liveDisplay(err);
    } finally {
      takeBack();
    }
  }
  return quiet ? silent : lines(text => streams.err.write(`${text}\n`));
}

/** A line each for what a log should have: the start, each of several nodes, and those that could not be inspected. */
function lines(say: (text: string) => void): Display {
  const since = new Map<string, number>();
  let [total, done] = [0, 0];
  return {
    ...silent,
    begin: nodes => {
      [total, done] = [nodes.length, 0];
      since.clear();
      say(`Inspecting ${total} Windows node${total === 1 ? '' : 's'}…`);
    },
    node: (name, phase, detail = '') => {
      if (!since.has(name)) since.set(name, Date.now());
      if (phase !== 'done' && phase !== 'not inspected') return;
      done += 1;
      const seconds = Math.round((Date.now() - (since.get(name) ?? 0)) / 1000);
      if (phase === 'not inspected') say(`${name}: not inspected: ${plain(detail)}`);
      else if (total > 1) say(`${name}: read in ${seconds} s (${done} of ${total})`);
    },
  };
}
