import {describe, expect, it} from 'vitest';
import {parseWholeNumbers} from '../../src/lib/whole-numbers.js';
import fc from '../seeded.js';

/** The same with a reviver of `JSON.parse`, which sees the text of each value: slow, but simple. */
function expected(json: string): unknown {
  const keepDigits = (_: string, value: unknown, {source}: {source?: string}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
      ? source
      : value;
  return JSON.parse(json, keepDigits as (key: string, value: unknown) => unknown);
}

const integer = fc.bigInt(-(2n ** 66n), 2n ** 66n).map(String);
const decimal = fc.tuple(integer, fc.constantFrom('.5', '.0', 'e2', 'E-3', 'e+20')).map(([start, end]) => start + end);
const text = fc
  .oneof(
    fc.string(),
    integer,
    integer.map(digits => `":${digits},`),
  )
  .map(value => JSON.stringify(value));
const space = fc.constantFrom('', ' ', '\n', '\t');
const value = fc.letrec<{json: string}>(tie => ({
  json: fc.oneof(
    {depthSize: 'small', withCrossShrink: true},
    integer,
    decimal,
    text,
    fc.constantFrom('true', 'false', 'null', '0', '-0'),
    fc.tuple(fc.array(tie('json')), space).map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(fc.array(fc.tuple(text, tie('json'))), space)
      .map(([fields, gap]) => `{${fields.map(([name, its]) => `${name}${gap}:${gap}${its}`).join(`,${gap}`)}${gap}}`),
  ),
})).json;

describe('JSON with large integers', () => {
  it('keeps all their digits, and everything else as it is', () => {
    fc.assert(
      fc.property(value, json => {
        expect(parseWholeNumbers(json)).toEqual(expected(json));
      }),
      {numRuns: 2000},
    );
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['-9007199254740993', '-9007199254740993'],
    ['{"UpdateTime":134292417914010000}', {UpdateTime: '134292417914010000'}],
    ['{"a:1234567890123456789,":"x,1234567890123456789,"}', {'a:1234567890123456789,': 'x,1234567890123456789,'}],
    ['["\\\\",12345678901234567890]', ['\\', '12345678901234567890']],
  ])('%s', (json, parsed) => {
    expect(parseWholeNumbers(json)).toEqual(parsed);
  });

  it.each(['01234567890123456789', '{1234567890123456789:1}', '[1234567890123456789', '{"a":1234567890123456789'])(
    'is refused if it is invalid: %s',
    json => expect(() => parseWholeNumbers(json)).toThrow(SyntaxError),
  );
});
