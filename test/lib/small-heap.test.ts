import {cachedDataVersionTag} from 'node:v8';
import {expect, test} from 'vitest';
import {keepHeapSmall, restoreHeap} from '../../src/lib/small-heap.js';

test("after a command, V8 has its default flags again, so that the next run accepts this run's compile cache", () => {
  const before = cachedDataVersionTag();
  keepHeapSmall();
  expect(cachedDataVersionTag()).not.toBe(before);
  restoreHeap();
  expect(cachedDataVersionTag()).toBe(before);
});
