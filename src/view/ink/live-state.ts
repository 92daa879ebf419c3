import {plain} from '../../lib/untrusted.js';
import type {Found, Phase} from '../../session/progress.js';
import {Pace} from '../remaining-time.js';

export interface LiveRow {
  readonly name: string;
  readonly phase: Phase;
  readonly detail: string;
  /** When work on the node began, in milliseconds. */
  readonly since: number;
}

export interface LiveFinding extends Found {
  readonly node: string;
}

/** What a live run knows. It takes events by the thousand and is inspected a few times a second, so it changes in place. */
export class LiveState {
  stage = 'Starting…';
  readonly pace = new Pace();
  readonly findings: LiveFinding[] = [];
  readonly #active = new Map<string, LiveRow>();
  readonly #troubled = new Set<string>();

  /** Nodes in progress, the one that began first on top: rows do not jump. */
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

/** A phase in a word or two: first its helper pod is made, then that starts. */
export function phaseWord(phase: Phase, detail: string): string {
  if (phase === 'starting helper') return detail === '' ? 'helper pod' : 'starting';
  return phase === 'reading' ? `reading ${detail}` : phase;
}

/** The same with what is known besides. */
export function phaseText(phase: Phase, detail: string): string {
  const word = phaseWord(phase, detail);
  return plain(phase === 'starting helper' && detail !== '' ? `${word}: ${detail}` : word);
}
