import {expect, test} from 'vitest';
import {eachInTime, inOneLimit} from '../../src/lib/time-limit.js';

const late = (item: string, seconds: number) => `${item} took more than ${seconds} s`;

test('work that ends is applied once to each item', () => {
  const seen: string[] = [];
  const work = (item: string) => {
    seen.push(item);
    return item.toUpperCase();
  };
  expect(eachInTime(['one', 'two'], work, late)).toEqual(['ONE', 'TWO']);
  expect(seen).toEqual(['one', 'two']);
  expect(eachInTime([], work, late)).toEqual([]);
});

test('work that never ends is given up, and the other items have their result', () => {
  const work = (item: string) => {
    // A pattern that backtracks for years.
    if (item === 'pattern') return String(/^(a+)+$/.test(`${'a'.repeat(60)}!`));
    if (item !== 'loop') return item;
    try {
      for (;;) if (Math.random() > 2) break;
    } catch {
      return 'caught';
    } finally {
      // Nothing here may hold it up.
      for (;;) if (Math.random() > 2) break;
    }
    return item;
  };
  expect(eachInTime(['first', 'loop', 'pattern', 'last'], work, late)).toEqual([
    'first',
    'loop took more than 2 s',
    'pattern took more than 2 s',
    'last',
  ]);
});

test('an error of the work is thrown as it is', () => {
  const error = new RangeError('no');
  const work = (): string => {
    throw error;
  };
  expect(() => eachInTime(['one'], work, late)).toThrow(error);
});

test('work may itself have a time limit', () => {
  const inner = (item: string) => eachInTime([item, item], its => its, late).join();
  expect(eachInTime(['one', 'two'], inner, late)).toEqual(['one,one', 'two,two']);
});

test('several calls share one limit, and each has its own if they do not end together', () => {
  let calls = 0;
  const shout = () => {
    calls += 1;
    return eachInTime(['one', 'loop', 'two'], item => (item === 'loop' ? forever() : item.toUpperCase()), late);
  };
  expect(inOneLimit(() => [eachInTime(['zero'], item => item, late), shout()])).toEqual([
    ['zero'],
    ['ONE', 'loop took more than 2 s', 'TWO'],
  ]);
  expect(calls).toBe(2);
  const error = new RangeError('no');
  expect(() =>
    inOneLimit(() => {
      throw error;
    }),
  ).toThrow(error);
  // The limit of work that has ended does not apply to later work.
  expect(eachInTime(['loop'], forever, late)).toEqual(['loop took more than 2 s']);
});

function forever(): never {
  for (;;) if (Math.random() > 2) throw new Error('unreachable');
}
