import {describe, expect, test} from 'vitest';
import {openProgress} from '../../src/view/progress.js';
import {Pace} from '../../src/view/remaining-time.js';

describe('the progress of a run', () => {
  test('is one line: done of all, failures, and the estimated remaining time', () => {
    const pace = new Pace();
    pace.begin(1000, 0);
    expect(pace.text(0)).toBe('0 of 1000 nodes');
    for (let i = 0; i < 250; i += 1) pace.ended(i % 50 !== 0);
    expect(pace.text(20_000)).toBe('250 of 1000 nodes, 5 not inspected, about 60 s left');
    expect(pace.bar(20)).toBe(`${'█'.repeat(5)}${'░'.repeat(15)}`);
  });

  test('has no estimate before enough nodes are done, and none at the end', () => {
    const pace = new Pace();
    pace.begin(10, 0);
    for (let i = 0; i < 4; i += 1) pace.ended(true);
    expect(pace.text(60_000)).toBe('4 of 10 nodes');
    for (let i = 0; i < 6; i += 1) pace.ended(true);
    expect(pace.text(60_000)).toBe('10 of 10 nodes');
  });
});

test('a log of many nodes has a line for each that could not be inspected, and not for each that was', async () => {
  const said: string[] = [];
  const err = {write: (text: string) => said.push(text) > 0, isTTY: false} as unknown as NodeJS.WriteStream;
  const progress = await openProgress({out: err, err, env: {}});
  const names = Array.from({length: 500}, (_, index) => `win-${index}`);
  progress.begin(names);
  for (const name of names) progress.node(name, name === 'win-7' ? 'not inspected' : 'done', 'it hangs');
  progress.end();
  expect(said).toHaveLength(3);
  expect(said[1]).toBe('win-7: not inspected: it hangs\n');
  expect(said[2]).toBe('500 of 500 nodes, 1 not inspected\n');
});
