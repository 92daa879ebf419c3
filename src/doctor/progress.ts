import {plain} from '../report/untrusted.js';
import {type Streams, wantsLiveDisplay} from '../streams.js';

/** What a node is doing while it is looked at. */
export type Phase = 'waiting' | 'starting helper' | 'reading' | 'done' | 'not inspected';

/** Shows what happens as it happens. */
export interface Display {
  /** What the whole run does before and after the nodes. */
  stage(text: string): void;
  begin(nodes: readonly string[]): void;
  node(name: string, phase: Phase, detail?: string): void;
  end(): void;
}

/** Told what happens; how it is shown is the display's affair. */
export interface Progress extends Display {
  /** What the user should know whatever else is shown: told when the display has ended. */
  warn(text: string): void;
}

/** Rows that move on a terminal; lines elsewhere; nothing where a program reads and only data is wanted. */
export async function chooseProgress(streams: Streams, {quiet = false} = {}): Promise<Progress> {
  const display = await chooseDisplay(streams, quiet);
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

async function chooseDisplay(streams: Streams, quiet: boolean): Promise<Display> {
  if (wantsLiveDisplay(streams)) {
    const {liveDisplay} = await import('../tui/live-display.js');
    return liveDisplay(streams.err as NodeJS.WriteStream);
  }
  return quiet ? silent : lines(text => streams.err.write(`${text}\n`));
}

const silent: Display = {stage: () => {}, begin: () => {}, node: () => {}, end: () => {}};

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
