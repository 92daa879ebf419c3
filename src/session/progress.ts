/** What a node is doing while it is inspected. */
export type Phase = 'waiting' | 'starting helper' | 'reading' | 'checking' | 'done' | 'not inspected';

export interface Found {
  readonly id: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** Receives what happens as it happens; the implementation decides how to show it. */
export interface Progress {
  /** Whether findings are shown as they come: otherwise the report shows them. */
  readonly isWatched: boolean;
  /** What the whole run does before and after the nodes. */
  stage(text: string): void;
  begin(nodes: readonly string[]): void;
  node(name: string, phase: Phase, detail?: string): void;
  /** What is wrong with a node, as soon as it is known; the report tells it again, whole. */
  found(name: string, finding: Found): void;
  /** What the user should know whatever else is shown: told when the display has ended. */
  warn(text: string): void;
  /** May be called more than once. */
  end(): void;
}

/** Begins to show progress. Who opens it ends it. */
export type OpenProgress = () => Promise<Progress>;

/** Shows progress for as long as the body takes. */
export async function withProgress<T>(open: OpenProgress, body: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = await open();
  try {
    return await body(progress);
  } finally {
    progress.end();
  }
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
