import {expect, test} from 'vitest';
import {but, kubeOvnAfterReboot} from '../../repair/scenes.js';
import {expectGolden, failing, order, patient} from '../../repair/support.js';

const afterReboot = ['ovs/stale-bridge', 'hns/network-present', 'ovs/services', 'cluster/rebooted'].map(id =>
  failing(id),
);

test('after a reboot its services stop first, and ovn-controller waits for the extension', async () => {
  const plan = kubeOvnAfterReboot().plan({}, afterReboot);
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual([
    'node.cordon kovn-win-1',
    'service.stop ovn-controller',
    'service.stop kube-ovn',
    'ovs.deleteBridge br-int',
    'ovs.deleteBridge br-provider',
    'file.remove C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
    'service.start ovs-vswitchd',
    '! service.start kube-ovn',
    '! wait.until hnsNetwork',
    '! wait.until extension',
    '! ip.restore Ethernet1 -> br-provider',
    'service.start ovn-controller',
    'node.uncordon kovn-win-1',
  ]);
  await expectGolden(plan, 'kube-ovn-after-reboot');
});

test('a leased address needs no restore: only what Windows would lose is restored', () => {
  const scene = but(kubeOvnAfterReboot(), node => {
    for (const row of node.sections.netIPAddresses) if (row.PrefixOrigin === 'Manual') row.PrefixOrigin = 'Dhcp';
  });
  expect(order(scene.plan({}, afterReboot))).not.toContainEqual(expect.stringContaining('ip.restore'));
});

test('a network on a separate NIC does not interrupt the node', () => {
  const scene = kubeOvnAfterReboot();
  scene.scenario.object('Node', 'kovn-win-1', object => {
    object.metadata.annotations['ovn.kubernetes.io/tunnel_interface'] = 'Ethernet0';
  });
  const plan = scene.plan({}, afterReboot);
  expect(plan.deadMan).toBeUndefined();
  expect(order(plan)).not.toContainEqual(expect.stringMatching(/^!/));
});

test('a restart also waits for the extension', () => {
  const plan = patient('04-kube-ovn-healthy').plan({}, [failing('ovs/gateway-port')]);
  expect(plan.level).toBe('soft');
  expect(order(plan)).toEqual([
    'service.stop ovn-controller',
    'service.stop kube-ovn',
    'service.start kube-ovn',
    'wait.until extension',
    'service.start ovn-controller',
  ]);
});

test('the hard level gives the static address to the NIC, and back to the new adapter', async () => {
  const plan = patient('04-kube-ovn-healthy').plan({level: 'hard', force: true}, []);
  const steps = order(plan);
  const down = steps.indexOf('! ip.restore br-provider -> Ethernet1');
  const up = steps.indexOf('! ip.restore br-provider -> br-provider');
  expect(down).toBeGreaterThan(steps.indexOf('! hns.removeNetwork kube-ovn'));
  expect(up).toBeGreaterThan(steps.indexOf('! wait.until extension'));
  expect(up).toBeGreaterThan(down);
  await expectGolden(plan, 'kube-ovn-hard');
});

test('if no adapter matches the annotation, its agent is not stopped: it could not start again', () => {
  const scene = patient('05-kube-ovn-annotation-no-adapter');
  const results = [failing('ovs/gateway-port'), failing('tunnel/annotation-resolves')];
  expect(scene.reasons({}, results)).toEqual([
    expect.stringContaining('tunnel/annotation-resolves must be repaired first'),
  ]);
  expect(scene.plan({}, [failing('ovs/gateway-port')]).level).toBe('soft');
});
