import {wrap} from '../../text/wrap.js';
import type {DashboardState} from './dashboard-state.js';

export type Tone =
  | 'plain'
  | 'dim'
  | 'bold'
  | 'error'
  | 'warning'
  | 'good'
  | 'chosen'
  | 'accent'
  | 'match'
  | 'matchAtHand';

/** A line on the screen: pieces with a meaning each, which the screen turns into looks. */
export type ScreenLine = readonly (readonly [tone: Tone, text: string])[];

export interface Content {
  readonly lines: readonly ScreenLine[];
  /** The lines of what is selected, to be kept in sight. */
  readonly from: number;
  readonly to: number;
  /** The lines on which findings begin, to be clicked. */
  readonly starts?: readonly number[];
}

/** What of a node is inspected, and in how many columns. */
export interface Viewport extends Pick<DashboardState, 'tab' | 'finding' | 'unfolded' | 'focus'> {
  readonly width: number;
  /** Whether there is room for blank lines. */
  readonly roomy?: boolean;
  /** Whether a text is searched for, so all lines of logs are needed. */
  readonly whole?: boolean;
}

/** Lines of a text between its words; a word that is longer than a line is broken, because nothing may be lost at the edge. */
export function wrapped(tone: Tone, text: string, width: number, indent = 0, hang = indent + 2): ScreenLine[] {
  return wrap(text, {indent, hang, width, breaksWords: true}).map((line): ScreenLine => [[tone, line]]);
}

/** Content in which nothing is selected. */
export function still(lines: readonly ScreenLine[]): Content {
  return {lines, from: 0, to: 0};
}
