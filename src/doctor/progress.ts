import {type Streams, wantsLiveDisplay} from '../streams.js';
import {plain} from '../untrusted.js';

/** What a node is doing while it is looked at. */
export type Phase = 'waiting' | 'starting helper' | 'reading' | 'checking' | 'done' | 'not inspected';

/** Shows what happens as it happens. */
export interface Display {
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
  const warnings: string[] = [];
  return {
    ...display,
    warn: text => warnings.push(text),
    end: () => {
      display.end();
      for (const warning of warnings.splice(0)) streams.err.write(`warning: ${plain(warning)}\n`);
    },
  };
}

async function chooseDisplay(streams: Streams, {quiet = false, live = true}: ProgressOptions): Promise<Display> {
  if (live && wantsLiveDisplay(streams) && !streams.env.NO_COLOR) {
    const {liveDisplay} = await import('../tui/live-display.js');
    return liveDisplay(streams.err as NodeJS.WriteStream);
  }
  return quiet ? silent : lines(text => streams.err.write(`${text}\n`));
}

const silent: Display = {stage: () => {}, begin: () => {}, node: () => {}, found: () => {}, end: () => {}};

/** A line each for what a log should have: the start, and nodes that could not be looked at. */
function lines(say: (text: string) => void): Display {
  return {
    ...silent,
    begin: nodes => say(`Looking at ${nodes.length} Windows node${nodes.length === 1 ? '' : 's'}…`),
    node: (name, phase, detail = '') => {
      if (phase === 'not inspected') say(`${name}: not inspected: ${plain(detail)}`);
    },
  };
}
