/** The phase of a node during an inspection. */
export type Phase = 'waiting' | 'starting helper' | 'reading' | 'checking' | 'done' | 'not inspected';

export interface Found {
  readonly id: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** Receives progress events; the implementation decides how to show them. */
export interface Progress {
  /** Whether findings are shown immediately, not only in the report. */
  readonly isWatched: boolean;
  /** The stage of the whole run. */
  stage(text: string): void;
  begin(nodes: readonly string[]): void;
  node(name: string, phase: Phase, detail?: string): void;
  /** A finding, as soon as it is known; the report contains it in full. */
  found(name: string, finding: Found): void;
  /** A warning, printed when the display has ended. */
  warn(text: string): void;
  /** May be called repeatedly. */
  end(): void;
}

/** Opens a progress display. The caller must end it. */
export type OpenProgress = () => Promise<Progress>;

/** Shows progress while the body runs. */
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
