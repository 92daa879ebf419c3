import trusted from 'string-width';
import {expect, it} from 'vitest';
import {inColumns, stringWidth} from '../../src/lib/width.js';
import fc from '../seeded.js';

const samples = [
  ...['', 'Ethernet 2', 'vEthernet (Ethernet)', 'Größe', 'naïve', '…', '─│╭╯●○▲', '→ ✔ ✖ ✗ ✓', 'Сеть', 'δίκτυο'],
  ...[
    'イーサネット',
    'ﾈｯﾄ',
    '以太网 2',
    '이더넷',
    'e\u0301',
    'a\u200bb',
    '\u00ad',
    '😀',
    '❤️',
    '👩‍👩‍👧',
    '🇩🇪',
    '1️⃣',
    '⚠',
    '⚠️',
  ],
  ...['\u001b[31mred\u001b[39m', '\u001b[1m以太\u001b[22m', '\t', '\u0000', 'شبكة', 'เครือข่าย', '\u25fd', '\u25fe'],
];

it.each(samples)('is as wide as string-width says: %j', text => {
  expect(stringWidth(text)).toBe(trusted(text));
});

it('is as wide as string-width says, for every character that it treats as narrow', () => {
  const narrow = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2199\u2500-\u25fc\u2713-\u2718]$/;
  for (let code = 32; code < 0x3000; code += 1) {
    const text = String.fromCodePoint(code);
    if (narrow.test(text)) expect([text, stringWidth(text)]).toEqual([text, trusted(text)]);
  }
});

it('fits any text in exactly the requested number of columns', () => {
  const word = fc.string({unit: fc.constantFrom(...samples.flatMap(sample => [...sample]))});
  fc.assert(
    fc.property(word, text => {
      const printable = text.replaceAll(/\p{C}/gu, '');
      expect(stringWidth(inColumns(printable, 12))).toBe(12);
    }),
  );
});
