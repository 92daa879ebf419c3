import {describe, expect, test} from 'vitest';
import {diagnose} from '../../src/diagnose/diagnose.js';
import {isFailure} from '../../src/diagnose/failures.js';
import {type DoctorReport, doctorExitCode} from '../../src/diagnose/report.js';
import {type SectionName, sectionNames} from '../../src/snapshot/section-names.js';
import {caseNames, expectation, healthy, type RawNode, Scenario} from '../checks/support.js';
import fc from '../seeded.js';
import {reference, referenceNames} from './healthy-references.js';

const healthyCases = caseNames.filter(name => expectation(name).mustFail.length === 0);
const starts: Readonly<Record<string, () => Scenario>> = {
  ...Object.fromEntries(healthyCases.map(name => [name, () => healthy(name)])),
  ...Object.fromEntries(referenceNames.map(name => [name, () => new Scenario(reference(name))])),
};

function report(scenario: Scenario): DoctorReport {
  const snapshot = scenario.read();
  return diagnose({snapshot, names: [...snapshot.nodes.keys()], failures: new Map(), selection: {}, now: new Date(0)});
}

const failuresOf = ({nodes, cluster}: DoctorReport) =>
  [...cluster.results, ...nodes.flatMap(({results}) => results)]
    .filter(result => isFailure(result, 'error') || isFailure(result, 'warning'))
    .map(({id}) => id);

/** Sections without which a node cannot be called healthy. */
function coreOf(name: string): SectionName[] {
  return /antrea|kube-ovn|legacy/.test(name) ? ['hnsNetworks', 'ovs', 'vmSwitchExtensions'] : ['hnsNetworks'];
}

type Loss = 'deleted' | 'AccessDenied' | 'Timeout' | 'Failed' | 'NotInstalled' | 'CommandNotFound';

function lose(node: RawNode, section: string, loss: Loss): void {
  delete node.sections[section];
  delete node.errors[section];
  if (loss !== 'deleted') node.errors[section] = {kind: loss, message: `${loss} for a test`};
}

/** Holds for any part of a healthy cluster that was read. */
function expectHonest(name: string, lost: Readonly<Record<string, Loss>>, before: ReadonlySet<string>): void {
  const scenario = starts[name]?.() ?? healthy(name);
  for (const node of Object.values(scenario.document.nodes))
    for (const [section, loss] of Object.entries(lost)) lose(node, section, loss);
  const found = report(scenario);
  const {nodes, summary} = found;
  // Many refused sections are a finding about the helper, not about the node.
  expect(failuresOf(found).filter(id => !before.has(id) && id !== 'cluster/helper-access')).toEqual([]);
  if (!coreOf(name).some(section => section in lost)) return;
  expect(summary.healthy).toBe(0);
  expect(summary.incomplete).toBe(nodes.length);
  expect(doctorExitCode(found, {failOn: 'error', helper: true})).toBe(4);
}

describe.each(Object.keys(starts))('%s', name => {
  const start = starts[name] ?? (() => healthy(name));
  const before = new Set(failuresOf(report(start())));

  test('is never healthy while a core section is missing, and nothing is found from unread data', () => {
    const losses = fc.dictionary(
      fc.constantFrom(...sectionNames),
      fc.constantFrom<Loss>('deleted', 'AccessDenied', 'Failed'),
      // Few sections as often as nearly all of them.
      {maxKeys: sectionNames.length, size: 'max'},
    );
    fc.assert(
      fc.property(losses, lost => expectHonest(name, lost, before)),
      {numRuns: 15},
    );
  });

  test('is reported correctly if any one section was not read', () => {
    const losses: readonly Loss[] = ['deleted', 'AccessDenied', 'Failed'];
    for (const [i, section] of sectionNames.entries()) {
      const loss = losses[i % losses.length] ?? 'deleted';
      expectHonest(name, {[section]: loss}, before);
    }
  });

  test('is not healthy if a core section is missing', () => {
    for (const section of coreOf(name))
      for (const loss of ['NotInstalled', 'CommandNotFound'] as const) {
        const scenario = start();
        for (const node of Object.values(scenario.document.nodes)) lose(node, section, loss);
        expect([section, loss, report(scenario).summary.healthy]).toEqual([section, loss, 0]);
      }
  });

  test('that does not answer in time is not reported as hanging HNS', () => {
    const scenario = start();
    for (const node of Object.values(scenario.document.nodes))
      for (const section of sectionNames) lose(node, section, 'Timeout');
    const silent = report(scenario);
    expect(failuresOf(silent).filter(id => id.startsWith('hns/'))).toEqual([]);
    expect(silent.summary).toMatchObject({healthy: 0, incomplete: silent.nodes.length});
  });
});

test('a cluster with an unread list exits with 4, and names the list', () => {
  const scenario = healthy('01-antrea-healthy').listed({Service: 'services is forbidden'});
  const found = report(scenario);
  expect(found.cluster.unread).toEqual(['services: services is forbidden']);
  expect(doctorExitCode(found, {failOn: 'never', helper: true})).toBe(4);
});

test('hanging HNS is found, and does not count as a node that was not inspected', () => {
  const scenario = healthy('01-antrea-healthy').without('hnsNetworks').without('hnsEndpoints').without('hnsService');
  const found = report(scenario);
  expect(failuresOf(found)).toContain('hns/responds');
  expect(found.summary).toMatchObject({healthy: 0, incomplete: 0});
  expect(doctorExitCode(found, {failOn: 'error', helper: true})).toBe(1);
});

test.each(referenceNames.filter(name => !/^win|^azure$|^aws/.test(name)))(
  '%s is not healthy while it is unknown whether its agent runs',
  name => {
    const scenario = new Scenario(reference(name)).listed({Pod: 'pods is forbidden'});
    for (const node of Object.values(scenario.document.nodes)) {
      lose(node, 'services', 'AccessDenied');
      lose(node, 'processes', 'AccessDenied');
    }
    const found = report(scenario);
    expect(found.summary).toMatchObject({healthy: 0, incomplete: found.nodes.length, errors: 0});
  },
);
