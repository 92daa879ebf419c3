import {describe, expect, test} from 'vitest';
import {contradictions, withAgreeingRemedies} from '../../src/diagnose/agreement.js';
import {allChecks, checkCluster, checkNode, subjectOf} from '../../src/diagnose/engine.js';
import {manual, type Remedy} from '../../src/model/remedies.js';
import type {Result} from '../../src/model/result.js';
import type {Snapshot} from '../../src/snapshot/snapshot.js';
import {caseNames, healthy, scenario} from '../checks/support.js';
import fc from '../seeded.js';

const subject = (() => {
  const snapshot = healthy('01-antrea-healthy').read();
  return subjectOf(snapshot, 'winapp-01', 0);
})();

const finding = (id: string, remedy: Remedy, rest: Partial<Result> = {}): Result => ({
  id,
  outcome: 'fail',
  severity: 'error',
  title: id,
  message: id,
  evidence: [],
  docs: '',
  remedy,
  ...rest,
});

const remediesOf = (results: readonly Result[]) =>
  withAgreeingRemedies(results, subject).map(({remedy}) => (remedy?.kind === 'manual' ? remedy.steps[0] : remedy));

describe('two remedies for one node', () => {
  test.each([
    ["Start-Service 'kubeproxy'", "Stop-Service 'kubeproxy'; Set-Service 'kubeproxy' -StartupType Disabled"],
    ['Restart-Service hns -Force', 'Stop-Service hns'],
    ["Enable-NetAdapter -Name 'Ethernet 2'", "Disable-NetAdapter -Name 'Ethernet 2'"],
    [
      "New-NetRoute -DestinationPrefix '10.1.0.0/16' -NextHop '10.0.0.1' -InterfaceAlias br-int",
      "Remove-NetRoute -PolicyStore PersistentStore -DestinationPrefix '10.1.0.0/16' -NextHop '10.0.0.1'",
    ],
    [
      'Set-NetIPInterface -InterfaceAlias br-int -NlMtuBytes 1450',
      'Set-NetIPInterface -InterfaceAlias br-int -NlMtuBytes 1400',
    ],
    ['kubectl win annotate-tunnel win-1 Ethernet1', 'kubectl win annotate-tunnel win-1 Ethernet2 --overwrite'],
    [
      `kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanVNI":4096}}'`,
      `kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanVNI":4097}}'`,
    ],
    ['kubectl win cleanup winapp-01', 'Get-HnsNetwork | Where-Object Name -eq antrea-hnsnetwork | Remove-HnsNetwork'],
  ])('that contradict each other: the second of "%s" and "%s" is dropped', (one, other) => {
    const [kept, withdrawn] = remediesOf([finding('a/first', manual(one)), finding('b/second', manual(other))]);
    expect(kept).toBe(one);
    expect(withdrawn).toMatch(/^Repair a\/first first/);
  });

  test('the cause keeps its own in any order', () => {
    const effect = finding('a/effect', manual('Start-Service kubeproxy'), {causedBy: ['b/cause']});
    const cause = finding('b/cause', manual('Stop-Service kubeproxy'), {severity: 'warning'});
    expect(remediesOf([effect, cause])).toEqual([
      expect.stringMatching(/^Repair b\/cause first/),
      'Stop-Service kubeproxy',
    ]);
  });

  test('that restart a service agree with those that start it', () => {
    const steps = ['Start-Service ovs-vswitchd', 'Stop-Service ovs-vswitchd; Start-Service ovs-vswitchd'];
    expect(remediesOf(steps.map((step, i) => finding(`a/${i}`, manual(step))))).toEqual(steps);
  });
});

/** What is shown for each node. */
function contradictionsIn(snapshot: Snapshot) {
  const subjects = [...snapshot.nodes.keys()].map(name => subjectOf(snapshot, name, 0));
  const cluster = checkCluster(snapshot.cluster, subjects, allChecks);
  return subjects.flatMap(each => contradictions(checkNode(each, allChecks, cluster), each, cluster));
}

test.each(caseNames)('%s: no two findings of a node recommend opposite actions', name => {
  expect(contradictionsIn(scenario(name).read())).toEqual([]);
});

test('nor with missing or duplicate objects', () => {
  const change = fc.record({
    name: fc.constantFrom(...caseNames),
    sections: fc.array(
      fc.record({
        section: fc.constantFrom('hnsNetworks', 'hnsEndpoints', 'services', 'processes', 'netRoutes', 'netIPAddresses'),
        at: fc.nat(12),
        how: fc.constantFrom('removed', 'doubled'),
      }),
      {minLength: 1, maxLength: 4},
    ),
  });
  fc.assert(
    fc.property(change, ({name, sections}) => {
      const changed = scenario(name);
      for (const {section, at, how} of sections)
        changed.node(({sections: all}) => {
          const rows = all[section];
          if (!Array.isArray(rows) || rows.length === 0) return;
          const i = at % rows.length;
          if (how === 'removed') rows.splice(i, 1);
          else rows.push(structuredClone(rows[i]));
        });
      expect(contradictionsIn(changed.read())).toEqual([]);
    }),
    {numRuns: 60},
  );
});
