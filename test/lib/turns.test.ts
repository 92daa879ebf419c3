import {setImmediate as nextTurn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {Turns} from '../../src/lib/work-in-turns.js';

test('whatever else waits has its turn between two pieces of work that were handed in together', async () => {
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

test('a piece that fails fails alone', async () => {
  const turns = new Turns();
  const failed = turns.take(() => {
    throw new Error('no');
  });
  const after = turns.take(() => 'well');
  await expect(failed).rejects.toThrow('no');
  expect(await after).toBe('well');
});
