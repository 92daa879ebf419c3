import {describe, expect, test} from 'vitest';
import {diagnose} from '../../src/diagnose/diagnose.js';
import {byRootCause} from '../../src/diagnose/root-causes.js';
import {remedySteps} from '../../src/model/remedies.js';
import {withPlannedRemedies} from '../../src/repair/plan/planned-remedies.js';
import {caseNames, expectation, type Raw, type Scenario, scenario} from '../checks/support.js';

/** What is shown beside each problem of the first node, root causes first. */
function fixes(changed: Scenario): (readonly string[])[] {
  const snapshot = changed.read();
  const names = [...snapshot.nodes.keys()];
  const {nodes, cluster} = diagnose({
    snapshot,
    names,
    failures: new Map(),
    selection: {},
    remedies: withPlannedRemedies,
    now: new Date(0),
  });
  const first = nodes.find(({name}) => name === names[0]);
  return byRootCause(first?.results ?? [], cluster.results).map(({root}) => remedySteps(root.remedy));
}

const notDone = /^cleanup cannot repair this: /;

test.each(caseNames)('%s: a fix starts with the manual action, and explains why cleanup does not follow', name => {
  const all = fixes(scenario(name));
  expect(all.length > 0).toBe(expectation(name).mustFail.length > 0);
  for (const steps of all) {
    expect(steps[0]).not.toMatch(notDone);
    expect(steps).toEqual(steps.toSorted((one, other) => Number(notDone.test(one)) - Number(notDone.test(other))));
  }
});

describe('a network on the wrong NIC', () => {
  const setNic =
    `First set the NIC of Calico (applies to all Windows nodes; autodetection also applies to Linux nodes): kubectl patch installation default --type merge ` +
    `-p '{"spec":{"windowsNodes":{"vxlanAdapter":"Ethernet 2"}}}'`;
  const wrongNic = () => scenario('10-calico-wrong-management-ip');

  test('is recreated there until the plugin is configured with the correct one', () => {
    const [steps = []] = fixes(wrongNic());
    expect(steps[0]).toBe(setNic);
    expect(steps[1]).toMatch(/^Run kubectl win cleanup lab-win against the cluster/);
  });

  test('that running pods use is removed after they are evicted', () => {
    const listed = wrongNic().listed({});
    expect(fixes(listed)[0]).toEqual([setNic, 'kubectl win cleanup lab-win --drain']);
  });

  test('is not the problem if the node address changed on the same NIC', () => {
    const changed = wrongNic()
      .listed({})
      .section('netIPAddresses', addresses => {
        addresses.splice(
          0,
          addresses.length,
          ...addresses.filter(({InterfaceAlias}: Raw) => InterfaceAlias !== 'Ethernet 2'),
        );
        addresses[1].IPAddress = '192.168.140.31';
      });
    expect(fixes(changed).map(steps => steps[0])).not.toContain(setNic);
  });
});

test('a node of the Windows Machine Config Operator is left to the operator', () => {
  expect(fixes(scenario('12-hybrid-overlay-network-missing'))[0]).toEqual([
    expect.stringMatching(/^Check the progress of the operator: oc /),
    expect.stringMatching(/^cleanup cannot repair this: ocp-win-0 is managed by the Windows Machine Config Operator/),
  ]);
});

test('a node whose HNS hangs is drained and rebooted', () => {
  expect(fixes(scenario('14-hns-not-answering'))[0]).toEqual([
    'HNS hangs: drain akswin2000004 and reboot it.',
    expect.stringMatching(/^cleanup cannot repair this: .*hnsNetworks: .*; hnsEndpoints: /),
  ]);
});
