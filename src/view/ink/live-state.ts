import {plain} from '../../lib/untrusted.js';
import type {Found, Phase} from '../../session/progress.js';
import {Pace} from '../remaining-time.js';

export interface LiveRow {
  readonly name: string;
  readonly phase: Phase;
  readonly detail: string;
  /** When the node was started, in milliseconds. */
  readonly since: number;
}

export interface LiveFinding extends Found {
  readonly node: string;
}

/** The state of a live run. It receives thousands of events and is read a few times per second, so it is mutable. */
export class LiveState {
  stage = 'Starting…';
  readonly pace = new Pace();
  readonly findings: LiveFinding[] = [];
  readonly #active = new Map<string, LiveRow>();
  readonly #troubled = new Set<string>();

  /** Nodes in progress, in the order in which they started, so that rows do not jump. */
  get active(): LiveRow[] {
    return [...this.#active.values()];
  }

  get troubled(): number {
    return this.#troubled.size;
  }

  begin(nodes: readonly string[], now = performance.now()): void {
    this.pace.begin(nodes.length, now);
    this.findings.length = 0;
    this.#active.clear();
    this.#troubled.clear();
  }

  node(name: string, phase: Phase, detail: string, now: number): void {
    if (phase === 'waiting') return;
    if (phase !== 'done' && phase !== 'not inspected') {
      this.#active.set(name, {name, phase, detail, since: this.#active.get(name)?.since ?? now});
      return;
    }
    this.#active.delete(name);
    this.pace.ended(phase === 'done');
    if (phase === 'not inspected') this.found(name, {id: 'not inspected', severity: 'warning', message: detail});
  }

  found(node: string, finding: Found): void {
    this.#troubled.add(node);
    this.findings.push({node, ...finding});
  }
}

/** A phase in one or two words: the helper pod is created, then it starts. */
export function phaseWord(phase: Phase, detail: string): string {
  if (phase === 'starting helper') return detail === '' ? 'helper pod' : 'starting';
  return phase === 'reading' ? `reading ${detail}` : phase;
}

/** The same with details. */
export function phaseText(phase: Phase, detail: string): string {
  const word = phaseWord(phase, detail);
  return plain(phase === 'starting helper' && detail !== '' ? `${word}: ${detail}` : word);
}
