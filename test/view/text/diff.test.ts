import {expect, it} from 'vitest';
import {renderDiff} from '../../../src/view/text/diff.js';

it('shows what changes, with two lines around it', () => {
  expect(renderDiff('a\nb\nc\nd\ne\nf', 'a\nb\nc\nX\nY\ne\nf')).toBe(
    '    b\n    c\n  - d\n  + X\n  + Y\n    e\n    f\n',
  );
});

it('shows what is added at the end, and what is removed', () => {
  expect(renderDiff('a\n', 'a\nb\n')).toBe('    a\n  + b\n    \n');
  expect(renderDiff('a\nb', 'a')).toBe('    a\n  - b\n');
});

it('keeps escape sequences from the terminal', () => {
  expect(renderDiff('a', '\u001b[2Jb')).toBe('  - a\n  + b\n');
});
