import {plain} from '../../lib/untrusted.js';
import type {ScreenLine} from './dashboard/content.js';

// What a screen reader is given in place of signs, columns and branches.

const signs: readonly (readonly [RegExp, string])[] = [
  [/^›/, 'chosen: '],
  [/✗ /, 'error: '],
  [/✓ /, 'good: '],
  [/^(chosen: )? *! /, '$1warning: '],
  [/^\? (?=\S)/, 'unknown: '],
  [/^i /, 'to know: '],
  [/^- /, 'suppressed: '],
  [/^(seen|fix) +/, '$1: '],
  [/▸ Enter: /, 'Press Enter for '],
  [/← (?=[\w-]+\/)/, 'named by '],
  [/↶ /, 'undone: '],
];

/** A line of the screen in words. */
export function spokenLine(line: ScreenLine): string {
  return spoken(line.map(([, text]) => text).join(''));
}

export function spoken(text: string): string {
  const [branches = ''] = /^[│├└─ ]*[├└]─ /.exec(text) ?? [];
  const level = branches === '' ? '' : `level ${branches.length / 3 + 1}: `;
  const words = text.slice(branches.length).replace(/^[│ ]+/, '');
  const told = signs.reduce((sofar, [sign, word]) => sofar.replace(sign, word), words);
  return plain(`${level}${told}`.replace(/ {2,}/g, ', ').trim());
}

/** Where one is in a list: what is read aloud in place of the list. */
export function spokenPlace(what: string, at: number, count: number, about: readonly string[]): string {
  return `${what} ${at + 1} of ${count}: ${about.filter(text => text !== '').join(', ')}`;
}
