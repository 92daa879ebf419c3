import {type Streams, wantsMotion} from '../lib/streams.js';
import {plain} from '../lib/untrusted.js';
import {firstLine} from '../view/ink/first-frame.js';

/** What a node is doing while it is looked at. */
export type Phase = 'waiting' | 'starting helper' | 'reading' | 'checking' | 'done' | 'not inspected';

/** Shows what happens as it happens. */
export interface Display {
  /** Whether findings are shown as they come: who does not look on is told them by the report. */
  readonly isWatched: boolean;
  /** What the whole run does before and after the nodes. */
  stage(text: string): void;
  begin(nodes: readonly string[]): void;
  node(name: string, phase: Phase, detail?: string): void;
  /** What is wrong with a node, as soon as it is known; the report tells it again, whole. */
  found(name: string, finding: Found): void;
  end(): void;
}

export interface Found {
  readonly id: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** Told what happens; how it is shown is the display's affair. */
export interface Progress extends Display {
  /** What the user should know whatever else is shown: told when the display has ended. */
  warn(text: string): void;
}

interface ProgressOptions {
  /** No lines: a program reads, and only data is wanted. */
  readonly quiet?: boolean;
  /** False: nothing that moves, whatever the terminal. */
  readonly live?: boolean;
}

/** Rows that move on a terminal; lines elsewhere; nothing where a program reads and only data is wanted. */
export async function chooseProgress(streams: Streams, options: ProgressOptions = {}): Promise<Progress> {
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

/** That of `doctor`: it moves where a person reads the report, too. Who pipes JSON and looks on gets lines. */
export function doctorProgress(streams: Streams, format: string | undefined): Promise<Progress> {
  const machine = format === 'json' || format === 'yaml' || format === 'name';
  return chooseProgress(streams, {
    quiet: machine && streams.err.isTTY !== true,
    live: !machine && (streams.out as NodeJS.WriteStream).isTTY === true,
  });
}

async function chooseDisplay(streams: Streams, {quiet = false, live = true}: ProgressOptions): Promise<Display> {
  if (live && wantsMotion(streams)) {
    const err = streams.err as NodeJS.WriteStream;
    const takeBack = firstLine(err, 'Starting…');
    try {
      const {liveDisplay} = await import('../view/ink/live-display.js');
      takeBack();
      return liveDisplay(err);
    } finally {
      takeBack();
    }
  }
  return quiet ? silent : lines(text => streams.err.write(`${text}\n`));
}

export const silent: Progress = {
  isWatched: false,
  stage: () => {},
  begin: () => {},
  node: () => {},
  found: () => {},
  warn: () => {},
  end: () => {},
};

/** A line each for what a log should have: the start, each of several nodes, and those that could not be looked at. */
function lines(say: (text: string) => void): Display {
  const since = new Map<string, number>();
  let [total, done] = [0, 0];
  return {
    ...silent,
    begin: nodes => {
      [total, done] = [nodes.length, 0];
      since.clear();
      say(`Looking at ${total} Windows node${total === 1 ? '' : 's'}…`);
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
