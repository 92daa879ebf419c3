import {describe, expect, it} from 'vitest';
import {allChecks, checkFault} from '../../src/diagnose/engine.js';
import type {NodeModel} from '../../src/snapshot/node.js';
import {type SectionName, sectionNames} from '../../src/snapshot/section-names.js';
import type {Snapshot} from '../../src/snapshot/snapshot.js';
import fc from '../seeded.js';
import {caseNames, diagnose, type Finding, type Raw, Scenario, scenario} from './support.js';

/** Unexpected values, and what a hostile node may send. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'System.Object[]',
    '@{Type=VSID; VSID=4096}',
    {},
    [],
    [null],
    0,
    -1,
    1e308,
    true,
    'True',
    '/Date(99999999999999999)/',
    '10.0.0.0/99',
    '999.1.1.1',
    '\u001b[31m',
    '../../../../etc',
    "'; Remove-Item -Recurse C:\\ #",
    '__proto__',
    'constructor',
    'valueOf',
  ),
  fc.string({unit: 'binary', maxLength: 50}),
  fc.string({unit: 'grapheme', minLength: 2000, maxLength: 3000}),
  fc.jsonValue({maxDepth: 5}),
);

const broken = (findings: readonly Finding[]) => findings.filter(({message}) => message.startsWith(checkFault));

const outcomesById = (findings: readonly Finding[]) =>
  Map.groupBy(findings, ({node, id}) => `${node ?? 'cluster'} ${id}`);

/** The snapshot as if the section could not be read on any node. */
function without(snapshot: Snapshot, section: SectionName): Snapshot {
  const nodes = [...snapshot.nodes].map(([name, {[section]: _, ...rest}]) => {
    const failure = {kind: 'AccessDenied', message: 'Access is denied.'};
    return [name, {...rest, name, errors: {...rest.errors, [section]: failure}} as NodeModel] as const;
  });
  return {...snapshot, nodes: new Map(nodes)};
}

/** The path to every value in a document. */
function pathsOf(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const children = Array.isArray(value) ? value.map((child, i) => [i, child] as const) : Object.entries(value);
  return [path, ...children.flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

function replaceAt(document: Raw, path: readonly (string | number)[], value: unknown) {
  const parent = path.slice(0, -1).reduce((owner, key) => owner[key], document);
  parent[path.at(-1) ?? ''] = value;
}

describe('any snapshot', () => {
  it('with arbitrary sections is diagnosed without an exception', () => {
    const sections = fc.record(Object.fromEntries(sectionNames.map(name => [name, odd])), {requiredKeys: []});
    fc.assert(
      fc.property(sections, fc.array(odd, {maxLength: 5}), (data, objects) => {
        const document = {
          apiVersion: 'kubectl-win/v1',
          kind: 'Snapshot',
          cluster: {objects},
          nodes: {'win-1': {sections: data, errors: {}}},
        };
        expect(broken(new Scenario(document as never).run().findings)).toEqual([]);
      }),
      {numRuns: 100},
    );
  });

  it('with corrupted values is diagnosed without an exception', () => {
    const places = new Map(
      caseNames.map(name => [name, pathsOf(scenario(name).document).filter(path => path.length > 1)]),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...caseNames),
        fc.array(fc.tuple(fc.nat(), odd), {minLength: 1, maxLength: 12}),
        (name, changes) => {
          const changed = scenario(name);
          const paths = places.get(name) ?? [];
          // Deepest first, so that a replaced parent does not hide the path to its children.
          const chosen = changes
            .map(([n, value]) => ({path: paths[n % paths.length] ?? [], value}))
            .sort((one, other) => other.path.length - one.path.length);
          for (const {path, value} of chosen) replaceAt(changed.document, path, value);
          expect(broken(changed.run().findings)).toEqual([]);
        },
      ),
      {numRuns: 200},
    );
  });

  it('gives the same results every time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...caseNames), fc.constantFrom(...sectionNames), odd, (name, section, value) => {
        const changed = scenario(name).node(node => {
          node.sections[section] = value;
        });
        expect(JSON.stringify(changed.run().findings)).toBe(JSON.stringify(changed.run().findings));
      }),
      {numRuns: 30},
    );
  });

  it('is not changed by the diagnosis', () => {
    const snapshot = scenario('02-antrea-after-reboot').read();
    const before = JSON.stringify([...snapshot.nodes]);
    diagnose(snapshot);
    expect(JSON.stringify([...snapshot.nodes])).toBe(before);
  });
});

describe.each(caseNames)('unread %s', name => {
  const snapshot = scenario(name).read();
  const whole = outcomesById(diagnose(snapshot).findings);
  const spoiled = sectionNames.map(section => ({section, findings: diagnose(without(snapshot, section)).findings}));

  it('never turns a finding into a pass', () => {
    const wrong = spoiled.flatMap(({section, findings}) =>
      [...outcomesById(findings)]
        .filter(
          ([key, all]) =>
            all.every(({outcome}) => outcome === 'pass') &&
            whole.get(key)?.some(({outcome}) => outcome === 'fail' || outcome === 'unknown'),
        )
        .map(([key]) => `without ${section}, ${key} passes`),
    );
    expect(wrong).toEqual([]);
  });

  it('is unknown or not applicable for every check that needs it', () => {
    const wrong = spoiled.flatMap(({section, findings}) => {
      const needing = allChecks
        .filter(({needs}) => (needs as readonly string[]).includes(section))
        .map(({id}) => id as string);
      return findings
        .filter(({id, node}) => node !== undefined && needing.includes(id))
        .filter(({outcome}) => outcome !== 'unknown' && outcome !== 'skipped')
        .map(({id, outcome}) => `without ${section}, ${id} is ${outcome}`);
    });
    expect(wrong).toEqual([]);
  });
});
