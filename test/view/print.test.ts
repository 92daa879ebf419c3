import {dump, load} from 'js-yaml';
import {expect, test} from 'vitest';
import {documentPieces, printDocument} from '../../src/view/text/print.js';
import fc from '../seeded.js';

/** Escaped although JSON does not require it. */
const controls = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const documents = fc.dictionary(fc.string(), fc.jsonValue({maxDepth: 4}));

test('a document in pieces equals the whole, in JSON and in YAML', () => {
  fc.assert(
    fc.property(documents, document => {
      expect(JSON.parse(printDocument(document, 'json'))).toEqual(JSON.parse(JSON.stringify(document)));
      expect(printDocument(document, 'json').replace(/\\u[0-9a-f]{4}/g, '')).toBe(
        `${JSON.stringify(document, null, 2)}\n`.replace(controls, '').replace(/\\u[0-9a-f]{4}/g, ''),
      );
      expect(printDocument(document, 'yaml')).toBe(dump(document, {lineWidth: -1, noRefs: true}));
      expect(load(printDocument(document, 'yaml'))).toEqual(load(dump(document)));
    }),
  );
});

test('each node of a report is a separate piece', () => {
  const report = {kind: 'DoctorReport', nodes: ['a', 'b', 'c'].map(name => ({name, results: [1, 2]})), left: undefined};
  for (const format of ['json', 'yaml'] as const) {
    const pieces = [...documentPieces(report, format)];
    expect(pieces.filter(piece => /results/.test(piece))).toHaveLength(3);
  }
  expect(printDocument(report, 'json')).toBe(`${JSON.stringify(report, null, 2)}\n`);
});

test('YAML without terminal control characters has the same content', () => {
  const value = {plain: 'a', 'odd\u202ekey': 'b\u009bc', list: [{name: 'x\u2066', more: ['y']}, 'z']};
  const text = printDocument(value, 'yaml');
  expect(text).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(load(text)).toEqual(value);
});
