import {existsSync, readFileSync} from 'node:fs';
import {describe, expect, it, test} from 'vitest';
import {sources, sourcesPage} from '../../scripts/sources.mjs';
import {commands} from '../../src/commands/map.js';
import {allChecks} from '../../src/diagnose/engine.js';
import {clientStepParameters, stepParameters} from '../../src/model/step.js';
import {allPrerequisites, installablePlugins} from '../../src/services/preflight/installable.js';
import {listScenarios} from '../../src/sim/scenarios.js';

const checks = new Map(
  [...allChecks, ...allPrerequisites(await installablePlugins())].map(check => [check.id as string, check]),
);
const steps = new Set([...Object.keys(stepParameters), ...Object.keys(clientStepParameters)]);
const scenarios = new Set(listScenarios().map(({name}) => name));

/** Whether what covers a claim exists. */
function exists(place: string): boolean {
  const [, id, phrase = ''] = /^explain ([^:]+): (.+)$/.exec(place) ?? [];
  if (id !== undefined) {
    const explain = checks.get(id)?.explain;
    return (
      explain !== undefined && Object.values(explain).flat().join('\n').toLowerCase().includes(phrase.toLowerCase())
    );
  }
  if (place.startsWith('docs/')) return existsSync(place);
  if (place.startsWith('scenario ')) return scenarios.has(place.slice('scenario '.length));
  if (place.startsWith('kubectl win ')) return place.slice('kubectl win '.length) in commands;
  return checks.has(place) || steps.has(place);
}

const documents = sources();
const claims = documents.flatMap(({document, sections}) =>
  sections.flatMap(({section, claims: own}) => own.map(claim => ({document, section, ...claim}))),
);

describe('the claims of the source documents', () => {
  it('are those of five documents', () => {
    expect(documents).toHaveLength(5);
    expect(claims.length).toBeGreaterThanOrEqual(138);
  });

  it('are each covered, or say why not', () => {
    const open = claims.filter(
      ({by, not}) => (by === undefined || by.length === 0) === (not === undefined || not === ''),
    );
    expect(open).toEqual([]);
  });

  it('are covered by what exists', () => {
    const missing = claims.flatMap(({claim, by = []}) =>
      by.filter(place => !exists(place)).map(place => ({claim, place})),
    );
    expect(missing).toEqual([]);
  });

  it('would not be covered by a removed check', () => {
    expect(exists('ovs/no-such-check')).toBe(false);
    expect(exists('explain ovs/stale-bridge: no such words')).toBe(false);
    expect(exists('kubectl win nothing')).toBe(false);
  });
});

test('docs/sources.md is generated from them', () => {
  expect(readFileSync('docs/sources.md', 'utf8')).toBe(sourcesPage(documents));
});
