import {expect, test} from 'vitest';
import {spoken} from '../../../src/view/ink/screen-reader-text.js';

test.each([
  ['›✗ Stale OVS bridge', 'selected: error: Stale OVS bridge'],
  ['    Fix       kubectl win cleanup win-1', 'Fix: kubectl win cleanup win-1'],
  ['    Found     br-int  with 4 ports', 'Found: br-int, with 4 ports'],
  ['│   Expected  no bridge', 'Expected: no bridge'],
  ['    Explains  agent not ready', 'Explains: agent not ready'],
  ['├─ ├─ vEthernet', 'level 3: vEthernet'],
  ['Fixed in 2.0', 'Fixed in 2.0'],
])('%j is read as %j', (line, words) => {
  expect(spoken(line)).toBe(words);
});
