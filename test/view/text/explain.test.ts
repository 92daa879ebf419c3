import {expect, test} from 'vitest';
import {stringWidth} from '../../../src/lib/width.js';
import {check} from '../../../src/model/check.js';
import {explainView} from '../../../src/view/text/explain.js';

const sample = check({
  id: 'net/sample',
  title: 'Adapters are enabled',
  failure: 'Network adapter is disabled',
  severity: 'warning',
  needs: [],
  run: () => undefined,
  explain: {
    meaning: 'It is disabled.',
    why: 'It was disabled.',
    see: ['Get-NetAdapter'],
    fix: ['Enable it.'],
    sources: [],
  },
});

const text = (width: number) => explainView.text({checks: [sample], listed: false}, {colour: false, width});

test('the title leads, and the id is at the right edge', () => {
  const [head = ''] = text(80).split('\n');
  expect(head).toMatch(/^Network adapter is disabled +net\/sample$/);
  expect(stringWidth(head)).toBe(80);
});

test('the id is below a title that leaves no room for it', () => {
  expect(text(30)).toMatch(/^Network adapter is disabled\nnet\/sample\n/);
});
