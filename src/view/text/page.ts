import {styleText} from 'node:util';
import {stringWidth} from '../../lib/width.js';
import type {TextOptions} from '../view.js';
import {wrap} from './wrap.js';

type Style = Parameters<typeof styleText>[0];

/** The right edge for aligned text if lines are not wrapped. */
const pipeWidth = 88;
/** Longer lines are hard to read, even on a wide terminal. */
const widest = 110;
/** On narrower terminals, values are below their labels. */
const narrow = 60;
const labelColumn = 'Expected  '.length;

/** Builds a text line by line. */
export class Page {
  readonly #lines: string[] = [];
  readonly #options: TextOptions;

  constructor(options: TextOptions) {
    this.#options = options;
  }

  get verbose(): boolean {
    return this.#options.verbose ?? false;
  }

  /** The column at which lines are wrapped; undefined: no wrapping. */
  get width(): number | undefined {
    const {width} = this.#options;
    return width === undefined ? undefined : Math.min(width, widest);
  }

  paint(style: Style, text: string): string {
    return this.#options.colour ? styleText(style, text, {validateStream: false}) : text;
  }

  line(indent: number, text: string): void {
    this.#lines.push(text === '' ? '' : `${' '.repeat(indent)}${text}`);
  }

  /** An empty line, unless the text is empty or already ends with one. */
  gap(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }

  /** A line that is wrapped with a hanging indent of `hang` columns. */
  wrapped(indent: number, text: string, hang = indent): void {
    this.#lines.push(...wrap(text, {indent, hang, width: this.width}));
  }

  /** A text, and another at the right edge, or below it if both do not fit. */
  edged(indent: number, text: string, edge: string, hang = indent): void {
    const right = this.width ?? pipeWidth;
    const free = right - indent - stringWidth(text) - stringWidth(edge);
    if (edge === '') this.wrapped(indent, text, hang);
    else if (free >= 2 || this.width === undefined) this.line(indent, `${text}${' '.repeat(Math.max(2, free))}${edge}`);
    else {
      this.wrapped(indent, text, hang);
      this.wrapped(hang, edge);
    }
  }

  /** A label and its values, one per line, in a column; below the label if the terminal is narrow. */
  field(indent: number, label: string, values: readonly string[]): void {
    const stacked = this.width !== undefined && this.width < narrow;
    if (stacked) this.line(indent, label);
    const column = indent + (stacked ? 2 : labelColumn);
    for (const [i, value] of values.entries()) {
      const head = stacked || i > 0 ? '' : label + ' '.repeat(labelColumn - stringWidth(label));
      if (head === '') this.wrapped(column, value);
      else this.wrapped(indent, `${head}${value}`, column);
    }
  }

  /** The width available for a field's value, if limited. */
  room(indent: number): number | undefined {
    return this.width === undefined ? undefined : this.width - indent - (this.width < narrow ? 2 : labelColumn);
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
