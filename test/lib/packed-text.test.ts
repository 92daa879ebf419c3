import fc from 'fast-check';
import {expect, test} from 'vitest';
import {PackedText} from '../../src/lib/packed-text.js';

test('a packed text comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({unit: 'grapheme'}), text => {
      expect(new PackedText(text).unpack()).toBe(text);
      expect(new PackedText(Buffer.from(text)).unpack()).toBe(text);
    }),
  );
  const long = JSON.stringify(Array.from({length: 500}, (_, i) => ({DestinationPrefix: `10.0.${i % 256}.0/24`})));
  expect(new PackedText(long).unpack()).toBe(long);
  expect(new PackedText(long).size).toBeLessThan(long.length / 10);
});
