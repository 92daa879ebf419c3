import {expect, test} from 'vitest';
import {but, drop, legacyOvn} from '../../repair/scenes.js';
import {expected, expectGolden, failing, order, patient} from '../../repair/support.js';

const missing = '12-hybrid-overlay-network-missing';

test('a node of the operator is left to it, unless forced', async () => {
  expect(patient(missing).reasons({}, expected(missing))).toEqual([
    expect.stringContaining('Windows Machine Config Operator'),
  ]);
  const plan = patient(missing).plan({force: true}, expected(missing));
  expect(plan.level).toBe('soft');
  expect(order(plan)).toEqual([
    'service.restart hybrid-overlay-node',
    'wait.until hnsNetwork',
    'service.start kube-proxy',
  ]);
  await expectGolden(plan, 'hybrid-overlay-network-missing');
});

test('a node without the operator gets its plan without force', () => {
  const scene = patient(missing);
  scene.scenario.object('Node', 'ocp-win-0', object => {
    for (const key of Object.keys(object.metadata.annotations))
      if (key.startsWith('windowsmachineconfig')) delete object.metadata.annotations[key];
  });
  but(scene, node => drop(node, 'services', row => row.Name === 'windows-instance-config-daemon'));
  expect(scene.plan({}, expected(missing)).level).toBe('soft');
});

test('the base network is never removed, not even with force', () => {
  const plan = patient(missing).plan({level: 'hard', force: true}, expected(missing));
  expect(order(plan)).not.toContainEqual(expect.stringContaining('hns.removeNetwork'));
});

test('the old OVN: its services start in order, and nothing is deleted that is not recreated', async () => {
  const plan = legacyOvn().plan({}, [failing('ovs/services'), failing('cni/agent-pod')]);
  expect(order(plan)).toEqual([
    'service.stop ovn-kubernetes-node',
    'service.stop ovn-controller',
    'file.remove C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
    'service.start ovs-vswitchd',
    'service.start ovn-controller',
    'service.start ovn-kubernetes-node',
  ]);
  await expectGolden(plan, 'ovn-legacy');
  expect(legacyOvn().reasons({level: 'hard', force: true}, [])).toEqual([
    expect.stringContaining('Nothing on this node recreates'),
  ]);
});
