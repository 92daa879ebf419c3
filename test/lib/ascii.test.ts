import {expect, test} from 'vitest';
import {asciiText, wantsAscii} from '../../src/lib/ascii.js';

test('signs become ASCII of the same width in columns', () => {
  expect(asciiText('✓ ✗ › │ ├ └ win…10 looking…')).toBe('+ x > | | ` win~10 looking...');
  expect(asciiText('アダプター')).toBe('アダプター');
});

test('what is drawn in place keeps its width', () => {
  expect(asciiText('\u001b[2K│ Reading nodes… ┬ █░')).toBe('\u001b[2K| Reading nodes. + #.');
  expect(asciiText('\u001b[31mReading nodes…\u001b[39m')).toBe('\u001b[31mReading nodes...\u001b[39m');
});

test('a locale without UTF-8 selects ASCII, an unset one does not', () => {
  expect(wantsAscii({LANG: 'C'})).toBe(true);
  expect(wantsAscii({LC_ALL: 'POSIX', LANG: 'en_US.UTF-8'})).toBe(true);
  expect(wantsAscii({LANG: 'C.UTF-8'})).toBe(false);
  expect(wantsAscii({LANG: 'de_DE.utf8', LC_ALL: ''})).toBe(false);
  expect(wantsAscii({})).toBe(false);
});
