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
  | 'selectedMatch';

/** A line on the screen: pieces of text, each with a tone that determines its style. */
export type ScreenLine = readonly (readonly [tone: Tone, text: string])[];

export interface Content {
  readonly lines: readonly ScreenLine[];
  /** The range of lines to keep visible, such as the selected finding. */
  readonly from: number;
  readonly to: number;
  /** The first line of each finding, for mouse clicks. */
  readonly starts?: readonly number[];
}

/** Which part of a node is shown, and in how many columns. */
export interface Viewport extends Pick<DashboardState, 'tab' | 'finding' | 'unfolded' | 'focus'> {
  readonly width: number;
  /** Whether there is room for blank lines. */
  readonly roomy?: boolean;
  /** A search is active, so all log lines are needed. */
  readonly whole?: boolean;
}

/** Wraps a text between words. A word longer than a line is split, so that nothing is cut off. */
export function wrapped(tone: Tone, text: string, width: number, indent = 0, hang = indent + 2): ScreenLine[] {
  return wrap(text, {indent, hang, width, breaksWords: true}).map((line): ScreenLine => [[tone, line]]);
}

/** Content without a selection. */
export function still(lines: readonly ScreenLine[]): Content {
  return {lines, from: 0, to: 0};
}
