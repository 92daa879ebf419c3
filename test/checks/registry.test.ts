import {describe, expect, it} from 'vitest';
import {allChecks} from '../../src/diagnose/engine.js';
import {sectionNames} from '../../src/snapshot/section-names.js';

const byId = new Map(allChecks.map(check => [check.id as string, check]));

/** Every check that may explain this one, directly or indirectly. */
function causesOf(id: string, known = new Set<string>()): Set<string> {
  for (const cause of byId.get(id)?.consequenceOf ?? []) {
    if (known.has(cause)) continue;
    known.add(cause);
    causesOf(cause, known);
  }
  return known;
}

describe('the checks as a whole', () => {
  it('have unique IDs', () => {
    expect(byId.size).toBe(allChecks.length);
  });

  it('name only existing causes', () => {
    const unknown = allChecks.flatMap(({id, consequenceOf = []}) =>
      consequenceOf.filter(cause => !byId.has(cause)).map(cause => `${id}: ${cause}`),
    );
    expect(unknown).toEqual([]);
  });

  it('never explain themselves, so a report always has a root', () => {
    expect([...byId.keys()].filter(id => causesOf(id).has(id))).toEqual([]);
  });
});

describe.each([...byId.values()])('$id', check => {
  it('has text for every part of its explanation', () => {
    const {meaning, why, see, fix, sources} = check.explain;
    for (const text of [check.title, check.failure, check.plugins, meaning, why, ...see, ...fix])
      expect(text.trim()).not.toBe('');
    expect(see.length * fix.length).toBeGreaterThan(0);
    expect(sources.filter(source => !URL.canParse(source))).toEqual([]);
  });

  it('has a neutral title, and a separate failure text', () => {
    expect(check.title).not.toBe(check.failure);
    for (const text of [check.title, check.failure]) {
      expect(text).not.toMatch(/[.:]$/);
      expect(text.length).toBeLessThanOrEqual(66);
    }
    // The title after a check mark must be good news.
    expect(check.title).not.toMatch(
      /\b(missing|wrong|left over|does not|do not|is not|are not|too (old|many|large))\b/,
    );
  });

  it('needs only what a snapshot can contain', () => {
    const known = new Set<string>([...sectionNames, 'cluster', 'nodeObject']);
    expect(check.needs.filter(need => !known.has(need))).toEqual([]);
  });
});
