import {expect, test} from 'vitest';
import {durationText} from '../../src/lib/duration.js';

test.each([
  [0, '0s'],
  [2, '2s'],
  [90, '90s'],
  [300, '5m'],
  [7200, '2h'],
])('%i seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
