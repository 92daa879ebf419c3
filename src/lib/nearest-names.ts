import {alphabetically} from './natural-order.js';
/** The names most similar to a misspelt one, best first; empty if none is similar. */
export function nearestNames(name: string, known: readonly string[], count = 3): string[] {
  const wanted = name.toLowerCase();
  return known
    .map(candidate => ({candidate, distance: editDistance(wanted, candidate.toLowerCase())}))
    .filter(({candidate, distance}) => distance <= Math.max(2, candidate.length / 3) || candidate.includes(wanted))
    .sort((a, b) => a.distance - b.distance || alphabetically(a.candidate, b.candidate))
    .slice(0, count)
    .map(({candidate}) => candidate);
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
