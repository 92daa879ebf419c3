import {expect, test} from 'vitest';
import {allChecks, checkNode, subjectOf} from '../../src/diagnose/engine.js';
import {planFor} from '../../src/repair/plan/plan-for-node.js';
import {caseNames, diagnose, expectation, healthy, scenario} from '../checks/support.js';

const kinds = ['ConfigMap', 'DaemonSet', 'Deployment', 'EndpointSlice', 'Event', 'Namespace', 'Pod', 'Service'];
const healthyCases = caseNames.filter(name => expectation(name).mustFail.length === 0);

test.each(healthyCases.flatMap(name => kinds.map(kind => [name, kind] as const)))(
  '%s: nothing is found from an unread list of %s',
  (name, kind) => {
    const before = healthy(name).listed().run().findings;
    const after = healthy(name)
      .listed({[kind]: 'the server has received too many requests'})
      .run().findings;
    const failed = (findings: typeof before) => findings.filter(({outcome}) => outcome === 'fail').map(({id}) => id);
    expect(failed(after).filter(id => !failed(before).includes(id))).toEqual([]);
  },
);

test('what depends on unread pods is undetermined, with the reason', () => {
  const {findings} = scenario('01-antrea-healthy').listed({Pod: 'pods is forbidden'}).run();
  const leaked = findings.find(({id}) => id === 'hns/leaked-endpoints');
  expect(leaked).toMatchObject({outcome: 'unknown'});
  expect(leaked?.message).toMatch(/^Undetermined: pods could not be read: pods is forbidden/);
});

test('without its Deployments a Kube-OVN node is not mistaken for another plugin', () => {
  const snapshot = scenario('04-kube-ovn-healthy').listed({Deployment: 'deployments.apps is forbidden'}).read();
  const detection = [...diagnose(snapshot).detections.values()][0];
  expect(detection?.name === 'kube-ovn' || detection?.undetermined !== undefined).toBe(true);
  expect(detection?.name).not.toBe('flannel');
});

test('an unambiguous plugin is recognised although a list of another one was not read', () => {
  const {detections} = scenario('06-flannel-overlay-healthy').listed({Deployment: 'forbidden'}).run();
  expect([...detections.values()].map(({name}) => name)).toEqual(['flannel', 'flannel']);
});

test.each(caseNames)('%s: no plan that removes anything is created if the pods were not read', name => {
  const snapshot = scenario(name).listed({Pod: 'forbidden'}).read();
  for (const node of snapshot.nodes.keys()) {
    const subject = subjectOf(snapshot, node, 0);
    const results = checkNode(subject, allChecks);
    for (const level of ['medium', 'hard'] as const) {
      const options = {level, force: true, id: '0d4f3a52-6a3b-4f0e-9f41-3f6f0a4f7b10', now: new Date(0)};
      const outcome = planFor(subject, results, options);
      const steps = outcome.kind === 'plan' ? outcome.plan.steps.map(step => step.do) : [];
      expect(steps.filter(step => /hns\.remove|vswitch\.remove|file\.remove/.test(step))).toEqual([]);
    }
  }
});
