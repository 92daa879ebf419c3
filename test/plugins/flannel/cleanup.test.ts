import {expect, test} from 'vitest';
import {but, flannelAfterReboot, loseNetwork, loseSwitch, setService} from '../../repair/scenes.js';
import {expected, expectGolden, failing, order, patient} from '../../repair/support.js';

const afterReboot = ['hns/network-present', 'cluster/rebooted', 'cni/host-local-leases'].map(id => failing(id));

test('overlay after a reboot: load balancers, leases and source VIP go, then flanneld starts, then kube-proxy', async () => {
  const plan = flannelAfterReboot().plan({}, afterReboot);
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual([
    'hns.removePolicyLists some',
    'file.remove C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.5',
    'file.remove C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.6',
    'file.remove C:\\sourcevip\\sourceVip.json',
    'pod.delete kube-flannel-ds-windows-amd64-2bchx',
    'pod.delete kube-proxy-windows-znmx9',
  ]);
  await expectGolden(plan, 'flannel-overlay-after-reboot');
});

test('the lease that keeps the source VIP stays', () => {
  expect(order(flannelAfterReboot().plan({}, afterReboot))).not.toContainEqual(expect.stringContaining('10.244.1.2'));
});

test('a source VIP that fits stays', () => {
  const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
  const plan = scene.plan({level: 'medium'}, [failing('cni/host-local-leases'), failing('tunnel/vtep-mac')]);
  expect(order(plan)).not.toContainEqual(expect.stringContaining('sourceVip'));
});

test('with nothing stale a missing network takes no more than restarts', () => {
  const scene = but(
    patient('06-flannel-overlay-healthy', 'fl-win-b'),
    node => loseNetwork(node, 'flannel.4096'),
    'fl-win-b',
  );
  const plan = scene.plan({}, [failing('hns/network-present')]);
  expect(plan.level).toBe('soft');
  expect(order(plan)).toEqual([
    'pod.delete kube-flannel-ds-windows-amd64-g6pv6',
    'pod.delete kube-proxy-windows-cgcbp',
  ]);
});

test('without network External the agent has to make the switch, and the node blinks', () => {
  const scene = but(
    patient('06-flannel-overlay-healthy', 'fl-win-a'),
    node => {
      loseNetwork(node, 'flannel.4096');
      loseNetwork(node, 'External');
      loseSwitch(node, 'External', 'vEthernet (Ethernet)', 'Ethernet');
    },
    'fl-win-a',
  );
  expect(order(scene.plan({}, [failing('hns/network-present')]))).toEqual([
    'node.cordon fl-win-a',
    '! pod.delete kube-flannel-ds-windows-amd64-2bchx',
    'pod.delete kube-proxy-windows-znmx9',
    'node.uncordon fl-win-a',
  ]);
});

test('host-gw after a reboot: the leftover of cbr0_ep goes before flanneld starts', async () => {
  const name = '08-flannel-host-gw-after-reboot';
  const plan = patient(name, 'hg-win-1').plan({}, expected(name));
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual([
    'hns.removeEndpoint 8d53e75b-7255-48cb-8b36-ecb16f59274f',
    'pod.delete kube-flannel-ds-windows-amd64-g7j4k',
  ]);
  await expectGolden(plan, 'flannel-host-gw-after-reboot');
});

test('a cbr0_ep that is attached stays, whatever else is wrong', () => {
  const scene = patient('08-flannel-host-gw-after-reboot', 'hg-win-2');
  const plan = scene.plan({level: 'medium'}, [failing('hns/host-endpoint')]);
  expect(order(plan)).toEqual(['pod.delete kube-flannel-ds-windows-amd64-psfwf']);
});

test('the hard level removes load balancers before the network, and leaves External alone', async () => {
  const plan = patient('06-flannel-overlay-healthy', 'fl-win-a').plan({level: 'hard', force: true}, []);
  expect(order(plan).slice(0, 2)).toEqual(['hns.removePolicyLists all', 'hns.removeNetwork flannel.4096']);
  expect(plan.deadMan).toBeUndefined();
  await expectGolden(plan, 'flannel-overlay-hard');
});

test('taking down the only network on the switch cuts the node, and its address comes back to the NIC', async () => {
  const plan = patient('08-flannel-host-gw-after-reboot', 'hg-win-1').plan({level: 'hard', force: true}, []);
  expect(order(plan).slice(1, 4)).toEqual([
    'hns.removePolicyLists all',
    '! hns.removeNetwork cbr0',
    '! ip.renew Ethernet0',
  ]);
  await expectGolden(plan, 'flannel-host-gw-hard');
});

test('as services, kube-proxy and flanneld stop before the network goes, and start in turn', () => {
  const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
  scene.scenario.removeObjects(
    ({kind, metadata}) => kind === 'Pod' && /^(kube-flannel-ds-windows|kube-proxy-windows)/.test(metadata.name),
  );
  but(
    scene,
    node => {
      setService(node, 'flanneld', {});
      setService(node, 'kube-proxy', {});
    },
    'fl-win-a',
  );
  expect(order(scene.plan({level: 'hard', force: true}, [])).slice(0, 7)).toEqual([
    'service.stop kube-proxy',
    'service.stop flanneld',
    'hns.removePolicyLists all',
    'hns.removeNetwork flannel.4096',
    'service.start flanneld',
    'wait.until hnsNetwork',
    'service.start kube-proxy',
  ]);
});

test('flanneld that nothing restarts is told, not guessed', () => {
  const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
  scene.scenario.removeObjects(({kind, metadata}) => kind === 'Pod' && /^kube-flannel-ds-windows/.test(metadata.name));
  expect(scene.reasons({}, [failing('tunnel/vtep-mac')])).toEqual([
    expect.stringContaining('neither in a pod nor as a service'),
  ]);
});

test('a network that flanneld would remake is one that its pods lose', () => {
  const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
  expect(scene.reasons({}, [failing('hns/subnet')])).toEqual([expect.stringContaining('apps/web-h4wp8z5t4-x9dsp')]);
  expect(scene.plan({}, [failing('tunnel/vtep-mac')]).loses).toEqual([]);
});
