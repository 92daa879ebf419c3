import {type Streams, wantsMotion} from '../lib/streams.js';
import {plain} from '../lib/untrusted.js';
import {type Progress, silent} from '../session/progress.js';
import {firstLine} from './ink/first-frame.js';
import type {Display} from './ink/live-display.js';
import {Pace} from './remaining-time.js';

export interface ProgressOptions {
  /** Print no lines, because a program reads the output. */
  readonly quiet?: boolean;
  /** False: no live display, even on a terminal. */
  readonly live?: boolean;
}

/** A live display on a terminal, otherwise lines; nothing with `quiet`. */
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

/** Up to this number of nodes, each gets a line. */
const fewNodes = 20;
const everyMs = 10_000;

/**
 * Lines for a log: the start, each node that could not be inspected, and for few nodes each node that was read. For many
 * nodes, the progress every ten seconds.
 */
function lines(say: (text: string) => void): Display {
  const since = new Map<string, number>();
  const pace = new Pace();
  let saidAt = 0;
  return {
    ...silent,
    begin: nodes => {
      saidAt = performance.now();
      pace.begin(nodes.length, saidAt);
      since.clear();
      say(`Inspecting ${nodes.length} Windows node${nodes.length === 1 ? '' : 's'}…`);
    },
    node: (name, phase, detail = '') => {
      if (!since.has(name)) since.set(name, performance.now());
      if (phase !== 'done' && phase !== 'not inspected') return;
      pace.ended(phase === 'done');
      const now = performance.now();
      const {total, done} = pace;
      const seconds = Math.round((now - (since.get(name) ?? 0)) / 1000);
      if (phase === 'not inspected') say(`${name}: not inspected: ${plain(detail)}`);
      else if (total > 1 && total <= fewNodes) say(`${name}: read in ${seconds} s (${done} of ${total})`);
      if (total <= fewNodes || (now - saidAt < everyMs && done < total)) return;
      saidAt = now;
      say(pace.text(now));
    },
  };
}
