import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {diagnose} from '../../src/diagnose/diagnose.js';
import {isFailure} from '../../src/diagnose/failures.js';
import {type DoctorReport, doctorExitCode} from '../../src/diagnose/report.js';
import {type SectionName, sectionNames} from '../../src/snapshot/section-names.js';
import {caseNames, expectation, healthy, type RawNode, type Scenario} from '../checks/support.js';

const healthyCases = caseNames.filter(name => expectation(name).mustFail.length === 0);
const overOvs = ['01-antrea-healthy', '04-kube-ovn-healthy'];

function report(scenario: Scenario): DoctorReport {
  const snapshot = scenario.read();
  return diagnose({snapshot, names: [...snapshot.nodes.keys()], failures: new Map(), selection: {}, now: new Date(0)});
}

const failuresOf = ({nodes, cluster}: DoctorReport) =>
  [...cluster.results, ...nodes.flatMap(({results}) => results)]
    .filter(result => isFailure(result, 'error') || isFailure(result, 'warning'))
    .map(({id}) => id);

/** Sections without which nobody can call a node healthy. */
function coreOf(name: string): SectionName[] {
  return overOvs.includes(name) ? ['hnsNetworks', 'ovs', 'vmSwitchExtensions'] : ['hnsNetworks'];
}

type Loss = 'deleted' | 'AccessDenied' | 'Timeout' | 'Failed';

function lose(node: RawNode, section: string, loss: Loss): void {
  delete node.sections[section];
  delete node.errors[section];
  if (loss !== 'deleted') node.errors[section] = {kind: loss, message: `${loss} for a test`};
}

describe.each(healthyCases)('%s', name => {
  const before = new Set(failuresOf(report(healthy(name))));

  test('is never healthy while a core section is missing, and nothing is found from what was not read', () => {
    const losses = fc.dictionary(
      fc.constantFrom(...sectionNames),
      fc.constantFrom<Loss>('deleted', 'AccessDenied', 'Failed'),
    );
    fc.assert(
      fc.property(losses, lost => {
        const scenario = healthy(name);
        for (const node of Object.values(scenario.document.nodes))
          for (const [section, loss] of Object.entries(lost)) lose(node, section, loss);
        const {nodes, cluster, summary, ...rest} = report(scenario);
        const found = failuresOf({nodes, cluster, summary, ...rest});
        // That most of a node was refused is told of the helper, not of the node.
        expect(found.filter(id => !before.has(id) && id !== 'cluster/helper-access')).toEqual([]);
        if (!coreOf(name).some(section => section in lost)) return;
        expect(summary.healthy).toBe(0);
        expect(summary.incomplete).toBe(nodes.length);
        expect(doctorExitCode({nodes, cluster, summary, ...rest}, {failOn: 'error', helper: true})).toBe(4);
      }),
      {numRuns: 60},
    );
  });

  test('that answers nothing in time is not told that its HNS hangs', () => {
    const scenario = healthy(name);
    for (const node of Object.values(scenario.document.nodes))
      for (const section of sectionNames) lose(node, section, 'Timeout');
    const silent = report(scenario);
    expect(failuresOf(silent).filter(id => id.startsWith('hns/'))).toEqual([]);
    expect(silent.summary).toMatchObject({healthy: 0, incomplete: silent.nodes.length});
  });
});

test('a cluster of which a list was not read ends with 4, and says which', () => {
  const scenario = healthy('01-antrea-healthy').listed({Service: 'services is forbidden'});
  const found = report(scenario);
  expect(found.cluster.unread).toEqual(['services: services is forbidden']);
  expect(doctorExitCode(found, {failOn: 'never', helper: true})).toBe(4);
});

test('HNS that hangs is found, and is not called a node that was not inspected', () => {
  const scenario = healthy('01-antrea-healthy').without('hnsNetworks').without('hnsEndpoints').without('hnsService');
  const found = report(scenario);
  expect(failuresOf(found)).toContain('hns/responds');
  expect(found.summary).toMatchObject({healthy: 0, incomplete: 0});
  expect(doctorExitCode(found, {failOn: 'error', helper: true})).toBe(1);
});
