import {plain} from '../../lib/untrusted.js';

const context = 2;

/** The range in which two texts differ, in the style of `diff -u`. */
export function renderDiff(before: string, after: string): string {
  const old = before.split('\n');
  const young = after.split('\n');
  let head = 0;
  while (head < Math.min(old.length, young.length) && old[head] === young[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, young.length) - head && old.at(-1 - tail) === young.at(-1 - tail)) tail += 1;
  return [
    ...old.slice(Math.max(0, head - context), head).map(line => `  ${line}`),
    ...old.slice(head, old.length - tail).map(line => `- ${line}`),
    ...young.slice(head, young.length - tail).map(line => `+ ${line}`),
    ...old.slice(old.length - tail, old.length - tail + context).map(line => `  ${line}`),
  ]
    .map(line => `  ${plain(line)}\n`)
    .join('');
}
