import fc from 'fast-check';
import {expect, test} from 'vitest';
import {packText, unpackText} from '../../src/lib/packed-text.js';
import {SharedTexts} from '../../src/lib/shared-texts.js';

test('sharing texts changes no value', () => {
  const texts = new SharedTexts();
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const before = JSON.stringify(value);
      texts.share(value);
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});

test('a packed text comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({unit: 'grapheme'}), text => {
      expect(unpackText(packText(text))).toBe(text);
    }),
  );
  const long = JSON.stringify(Array.from({length: 500}, (_, i) => ({DestinationPrefix: `10.0.${i % 256}.0/24`})));
  expect(packText(long).length).toBeLessThan(long.length / 10);
});
