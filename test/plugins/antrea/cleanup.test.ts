import {expect, test} from 'vitest';
import {
  antreaAsService,
  antreaWithOvsInPod,
  but,
  drop,
  loseNetwork,
  loseProcess,
  setService,
} from '../../repair/scenes.js';
import {expected, expectGolden, failing, order, patient} from '../../repair/support.js';

const reboot = '02-antrea-after-reboot';

test('after a reboot the stale bridge and the pid file are removed before OVS and the agent start', async () => {
  const plan = patient(reboot).plan({}, expected(reboot));
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual([
    'node.cordon win-blue',
    'ovs.deleteBridge br-int',
    'file.remove C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
    'service.start ovs-vswitchd',
    '! pod.delete antrea-agent-windows-szg8m',
    'node.uncordon win-blue',
  ]);
  await expectGolden(plan, 'antrea-after-reboot');
});

test('a stopped database is started before its rows are deleted, even if they could not be read', () => {
  const scene = but(patient(reboot), node => {
    setService(node, 'ovsdb-server', {State: 'Stopped', ProcessId: 0});
    loseProcess(node, 'ovsdb-server.exe');
    delete node.sections.ovs;
    node.errors.ovs = {kind: 'Failed', message: 'database connection failed'};
  });
  expect(order(scene.plan({}, expected(reboot))).slice(1, 5)).toEqual([
    'file.remove C:\\openvswitch\\var\\run\\openvswitch\\ovsdb-server.pid',
    'service.start ovsdb-server',
    'ovs.deleteBridge br-int',
    'file.remove C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
  ]);
});

test('OVS in the agent pod is not started as a service, and starts with the pod', async () => {
  const plan = antreaWithOvsInPod(reboot).plan({}, expected(reboot));
  expect(order(plan)).not.toContainEqual(expect.stringContaining('service.'));
  await expectGolden(plan, 'antrea-ovs-in-pod-after-reboot');
});

test('OVS in the agent pod that does not run gets a new database instead of a deleted bridge', () => {
  const scene = but(antreaWithOvsInPod(reboot), node => loseProcess(node, 'ovsdb-server.exe'));
  const steps = order(scene.plan({}, expected(reboot)));
  expect(steps).toContain('file.remove C:\\openvswitch\\etc\\openvswitch\\conf.db');
  expect(steps).not.toContain('ovs.deleteBridge br-int');
});

test('an agent that is a service is restarted on the node, with the reachability check after the network it creates', async () => {
  const plan = antreaAsService(reboot).plan({}, [failing('ovs/stale-bridge'), failing('hns/network-present')]);
  expect(order(plan).slice(-4)).toEqual([
    'service.start ovs-vswitchd',
    '! service.restart antrea-agent',
    '! wait.until hnsNetwork',
    'node.uncordon win-blue',
  ]);
  expect(plan.deadMan).toEqual({
    address: '172.19.8.44',
    gateway: '172.19.8.1',
    apiServer: '172.19.8.10:6443',
    withinSeconds: 300,
  });
  await expectGolden(plan, 'antrea-as-service-after-reboot');
});

test('a disabled extension is enabled, and no pod loses its network', async () => {
  const name = '03-antrea-ovs-extension-off';
  const plan = patient(name).plan({}, expected(name));
  expect(plan.level).toBe('medium');
  expect(plan.loses).toEqual([]);
  expect(order(plan)).toEqual([
    'node.cordon wnode-7',
    '! vswitch.setExtension antrea-hnsnetwork',
    'pod.delete antrea-agent-windows-x8tpd',
    'node.uncordon wnode-7',
  ]);
  await expectGolden(plan, 'antrea-extension-off');
});

test('the extension is never enabled before ovs-vswitchd runs', () => {
  const scene = but(patient('03-antrea-ovs-extension-off'), node => {
    setService(node, 'ovs-vswitchd', {State: 'Stopped', ProcessId: 0});
    loseProcess(node, 'ovs-vswitchd.exe');
  });
  const steps = order(scene.plan({}, [failing('ovs/extension'), failing('ovs/services')]));
  const started = steps.indexOf('service.start ovs-vswitchd');
  expect(started).toBeGreaterThan(0);
  expect(steps.findIndex(step => step.includes('vswitch.setExtension'))).toBeGreaterThan(started);
});

test('the hard level removes the network in the order of Clean-AntreaNetwork.ps1', async () => {
  const plan = patient('01-antrea-healthy').plan({level: 'hard', force: true}, []);
  expect(order(plan).slice(1, 9)).toEqual([
    '! ovs.deleteBridge br-int',
    '! vnic.remove br-int',
    '! hns.removeNetwork antrea-hnsnetwork',
    '! adapter.setBinding Ethernet0',
    '! vswitch.remove antrea-hnsnetwork',
    '! ip.renew Ethernet0',
    'service.restart ovs-vswitchd',
    '! pod.delete antrea-agent-windows-kfkbc',
  ]);
  await expectGolden(plan, 'antrea-hard');
});

test('a switch that its network left behind requires a hard repair', () => {
  const scene = but(patient('01-antrea-healthy'), node => {
    loseNetwork(node, 'antrea-hnsnetwork');
    drop(node, 'netIPAddresses', row => row.InterfaceAlias === 'antrea-gw0');
  });
  const plan = scene.plan({}, [failing('hns/network-present')]);
  expect(plan.level).toBe('hard');
  expect(order(plan)).toContain('! vswitch.remove antrea-hnsnetwork');
  expect(order(plan)).not.toContainEqual(expect.stringContaining('hns.removeNetwork'));
});
