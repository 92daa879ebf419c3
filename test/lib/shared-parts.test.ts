import fc from 'fast-check';
import {expect, test} from 'vitest';
import {SharedParts} from '../../src/lib/shared-parts.js';

/** Texts made of the characters that separate fields, so that one object may look like another. */
const confusing = fc.string({unit: fc.constantFrom('"', '#', ',', ':', '{', '[', '0', '1', '\0')});
const tree = fc.letrec(node => ({
  value: fc.oneof(
    {maxDepth: 3},
    confusing,
    fc.constantFrom(0, 1, null, true, 'true', 'null', '0'),
    fc.array(node('value'), {maxLength: 3}),
    fc.dictionary(confusing, node('value'), {maxKeys: 3}),
  ),
})).value;

test('sharing parts changes no value', () => {
  const shared = new SharedParts();
  const unchanged = (value: unknown) => {
    const before = JSON.stringify(value);
    expect(JSON.stringify(shared.of(value))).toBe(before);
  };
  fc.assert(fc.property(fc.jsonValue(), unchanged));
  fc.assert(fc.property(tree, unchanged), {numRuns: 2000});
});

test('equal parts are one object, which cannot be changed', () => {
  const shared = new SharedParts();
  const pod = (name: string) => shared.of({name, containers: [{image: 'agent:v1', env: {}}], ready: true});
  const [one, other] = [pod('one'), pod('other')];
  expect(one).not.toBe(other);
  expect(one.containers).toBe(other.containers);
  expect(pod('one')).toBe(one);
  expect(() => other.containers.push({image: 'agent:v2', env: {}})).toThrow(TypeError);
});

test('an object of a class keeps its identity, and so does what contains it', () => {
  const shared = new SharedParts();
  const pattern = /a/;
  const one = shared.of({pattern, name: 'a'});
  expect(one.pattern).toBe(pattern);
  expect(shared.of({pattern: /b/, name: 'a'})).not.toBe(one);
});

test('a part that repeats is kept while thousands that do not are forgotten', () => {
  const shared = new SharedParts();
  const common = shared.of({image: 'agent:v1'});
  const once = shared.of({number: -1});
  for (let number = 0; number < 20_000; number++) {
    shared.of({number});
    expect(shared.of({image: 'agent:v1'})).toBe(common);
  }
  expect(shared.of({number: -1})).not.toBe(once);
});
