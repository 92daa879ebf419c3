/** What a node is doing while it is looked at. */
export type Phase = 'waiting' | 'starting helper' | 'reading' | 'checking' | 'done' | 'not inspected';

/** Told what happens as it happens; how it is shown is the observer's affair. */
export interface Progress {
  /** What the whole run does before and after the nodes. */
  stage(text: string): void;
  begin(nodes: readonly string[]): void;
  node(name: string, phase: Phase, detail?: string): void;
  end(): void;
}

export const silent: Progress = {stage: () => {}, begin: () => {}, node: () => {}, end: () => {}};

/** A line each for what a log should have: the start, and nodes that could not be looked at. */
export function plainProgress(say: (text: string) => void): Progress {
  return {
    stage: () => {},
    begin: nodes => say(`Looking at ${nodes.length} Windows node${nodes.length === 1 ? '' : 's'}…`),
    node: (name, phase, detail) => {
      if (phase === 'not inspected') say(`${name}: not inspected: ${detail ?? ''}`);
    },
    end: () => {},
  };
}
