import {plain} from '../../lib/untrusted.js';
import type {ScreenLine} from './dashboard/content.js';

// Text for screen readers instead of signs, columns and branches.

const signs: readonly (readonly [RegExp, string])[] = [
  [/^›/, 'selected: '],
  [/✗ /, 'error: '],
  [/✓ /, 'OK: '],
  [/^(selected: )? *! /, '$1warning: '],
  [/^\? (?=\S)/, 'unknown: '],
  [/^i /, 'note: '],
  [/^- /, 'suppressed: '],
  [/^(Fix|Found|Expected|Explains) +/, '$1: '],
  [/▸ Enter: /, 'Press Enter for '],
  [/← (?=[\w-]+\/)/, 'named by '],
  [/↶ /, 'undone: '],
];

/** A screen line as text for a screen reader. */
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

/** The position in a list, read aloud instead of the list. */
export function spokenPlace(what: string, at: number, count: number, about: readonly string[]): string {
  return `${what} ${at + 1} of ${count}: ${about.filter(text => text !== '').join(', ')}`;
}
