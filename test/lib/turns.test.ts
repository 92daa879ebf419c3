import {setImmediate as nextTurn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {Turns} from '../../src/lib/work-in-turns.js';

test('other work gets its turn between two items that were queued together', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const work = ['a', 'b', 'c'].map(name => turns.take(() => order.push(name)));
  for (let i = 0; i < 3; i += 1) {
    await nextTurn();
    order.push('between');
  }
  await Promise.all(work);
  expect(order).toEqual(['between', 'a', 'between', 'b', 'between', 'c']);
});

test('a failing item fails alone', async () => {
  const turns = new Turns();
  const failed = turns.take(() => {
    throw new Error('no');
  });
  const after = turns.take(() => 'well');
  await expect(failed).rejects.toThrow('no');
  expect(await after).toBe('well');
});
