import {expect, test} from 'vitest';
import {winBridgeAfterReboot, withConf} from '../../repair/scenes.js';
import {expected, expectGolden, failing, order, patient} from '../../repair/support.js';

const routes = failing('net/peer-routes', {
  evidence: [{section: 'netRoutes', object: '10.190.0.0/24', seen: [], expected: '10.11.200.8'}],
});

test('after a reboot leases of removed containers are deleted, kube-proxy restarts, and routes are restored', async () => {
  const plan = winBridgeAfterReboot().plan({}, [routes, failing('cni/host-local-leases'), failing('cluster/rebooted')]);
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual([
    'file.remove C:\\var\\lib\\cni\\networks\\l2bridge\\10.190.6.77',
    'service.restart kube-proxy',
    'route.add 10.190.0.0/24',
  ]);
  await expectGolden(plan, 'win-bridge-after-reboot');
});

test('routes alone need no restart', () => {
  const plan = winBridgeAfterReboot().plan({}, [routes]);
  expect(order(plan)).not.toContainEqual(expect.stringContaining('service.'));
});

test('kube-proxy is a service here, and is restarted if its load balancers are wrong', () => {
  const plan = patient('13-win-bridge-outbound-nat').plan({}, [failing('kube-proxy/dns-load-balancer')]);
  expect(plan.level).toBe('soft');
  expect(order(plan)).toEqual(['service.restart kube-proxy']);
});

test('a wrong configuration needs manual action', () => {
  const name = '13-win-bridge-outbound-nat';
  expect(patient(name).outcome({}, expected(name))).toEqual({
    kind: 'nothing',
    why: expect.stringContaining('cni/outbound-nat-exceptions'),
  });
});

test('a network that nothing recreates is not removed, with or without force', () => {
  expect(patient('13-win-bridge-outbound-nat').reasons({level: 'hard', force: true}, [])).toEqual([
    expect.stringContaining('does not create its own network'),
  ]);
});

test('sdnbridge recreates its network with the next pod, so it may be removed', () => {
  const plan = withConf(winBridgeAfterReboot(), 'sdnbridge', 'l2bridge').plan({level: 'hard', force: true}, []);
  expect(order(plan)).toContain('hns.removeNetwork l2bridge');
  expect(plan.loses.map(({pod}) => pod)).toEqual(['portal-8qhkghxnb-kv2lw', 'search-gnqbv4kfm-n8zr4']);
});
