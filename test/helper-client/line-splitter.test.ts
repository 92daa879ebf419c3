import fc from 'fast-check';
import {expect, test} from 'vitest';
import {LineSplitter} from '../../src/helper/line-splitter.js';

function recorder() {
  const lines: string[] = [];
  return {lines, splitter: new LineSplitter(line => lines.push(line.toString()))};
}

const text = fc.array(fc.string({unit: fc.constantFrom('a', 'b', 'é', '\r', '\n'), maxLength: 40}), {maxLength: 6});

test('streams that arrive at the same time in any chunks give their own lines', () => {
  fc.assert(
    fc.property(fc.array(text, {minLength: 2, maxLength: 4}), fc.integer({min: 1, max: 7}), (texts, size) => {
      const streams = texts.map(parts => ({bytes: Buffer.from(parts.join('')), at: 0, ...recorder()}));
      while (streams.some(({bytes, at}) => at < bytes.length)) {
        for (const stream of streams) {
          // Copied and then overwritten, as a socket does with its buffer.
          const chunk = Buffer.from(stream.bytes.subarray(stream.at, stream.at + size));
          stream.splitter.write(chunk);
          chunk.fill(0);
          stream.at += size;
        }
      }
      for (const {bytes, lines, splitter} of streams) {
        const all = bytes.toString().split('\n');
        const rest = all.pop() ?? '';
        expect(lines).toEqual(all.map(line => line.replace(/\r$/, '')));
        expect(splitter.rest().toString()).toBe(rest);
        expect(splitter.pending).toBe(Buffer.byteLength(rest));
      }
    }),
  );
});

test('lines of any length arrive whole', () => {
  const {lines, splitter} = recorder();
  const all = [10, 70_000, 3_000_000, 200_000].map((length, index) => String(index).repeat(length));
  const bytes = Buffer.from(`${all.join('\n')}\n`);
  for (let at = 0; at < bytes.length; at += 16_000) splitter.write(bytes.subarray(at, at + 16_000));
  expect(lines.map(({length}) => length)).toEqual(all.map(({length}) => length));
  expect(lines).toEqual(all);
});
