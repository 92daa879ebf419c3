import {describe, expect, test} from 'vitest';
import {nodeViolations} from '../../../src/repair/plan/refusals.js';
import {but, flannelAfterReboot, flannelAsService, loseNetwork, loseSwitch} from '../../repair/scenes.js';
import {expected, expectGolden, failing, order, patient} from '../../repair/support.js';

const afterReboot = ['hns/network-present', 'cluster/rebooted', 'cni/host-local-leases'].map(id => failing(id));

test('overlay after a reboot: load balancers, leases and source VIP are removed, then flanneld starts, then kube-proxy', async () => {
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

test('the lease of the source VIP stays', () => {
  expect(order(flannelAfterReboot().plan({}, afterReboot))).not.toContainEqual(expect.stringContaining('10.244.1.2'));
});

test('a matching source VIP stays', () => {
  const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
  const plan = scene.plan({level: 'medium'}, [failing('cni/host-local-leases'), failing('tunnel/vtep-mac')]);
  expect(order(plan)).not.toContainEqual(expect.stringContaining('sourceVip'));
});

test('a missing network without stale state requires only restarts', () => {
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

test('without the External network the agent must create the switch, and the network is interrupted briefly', () => {
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

test('host-gw after a reboot: the leftover cbr0_ep is removed before flanneld starts', async () => {
  const name = '08-flannel-host-gw-after-reboot';
  const plan = patient(name, 'hg-win-1').plan({}, expected(name));
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual([
    'hns.removeEndpoint 8d53e75b-7255-48cb-8b36-ecb16f59274f',
    'pod.delete kube-flannel-ds-windows-amd64-g7j4k',
  ]);
  await expectGolden(plan, 'flannel-host-gw-after-reboot');
});

test('an attached cbr0_ep stays, regardless of other findings', () => {
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

test('removing the only network on the switch interrupts the node, and its address returns to the NIC', async () => {
  const plan = patient('08-flannel-host-gw-after-reboot', 'hg-win-1').plan({level: 'hard', force: true}, []);
  expect(order(plan).slice(1, 4)).toEqual([
    'hns.removePolicyLists all',
    '! hns.removeNetwork cbr0',
    '! ip.renew Ethernet0',
  ]);
  await expectGolden(plan, 'flannel-host-gw-hard');
});

describe('as services', () => {
  test('the hard level does what -Reset true does, and then what the setup does: External is also recreated', async () => {
    const plan = flannelAsService().plan({level: 'hard', force: true}, []);
    expect(order(plan)).toEqual([
      'node.cordon fl-win-a',
      'service.stop kubeproxy',
      'service.stop flanneld',
      'hns.removePolicyLists all',
      'hns.removeNetwork flannel.4096',
      '! hns.removeNetwork External',
      '! ip.renew Ethernet',
      '! hns.createExternal Ethernet',
      'wait.until adapter',
      '! ip.renew vEthernet (Ethernet)',
      'service.start flanneld',
      'wait.until hnsNetwork',
      'service.start kubeproxy',
      'pod.delete web-h4wp8z5t4-x9dsp',
      'pod.delete worker-7zspjgh6r-ckxg8',
      'node.uncordon fl-win-a',
    ]);
    expect(plan.deadMan).toBeDefined();
    expect(plan.notes).toContainEqual(expect.stringMatching(/-Reset true also deletes the services/));
    await expectGolden(plan, 'flannel-service-hard');
  });

  test('a static address is restored on the NIC and on the new switch, and an on-link route is left to its script', () => {
    const scene = but(
      flannelAsService(),
      node => {
        for (const row of node.sections.netIPAddresses ?? [])
          if (row.PrefixOrigin === 'Dhcp') row.PrefixOrigin = 'Manual';
        node.sections.netRoutes.push({
          DestinationPrefix: '169.254.169.254/32',
          NextHop: '0.0.0.0',
          InterfaceAlias: 'vEthernet (Ethernet)',
          Store: 'PersistentStore',
        });
      },
      'fl-win-a',
    );
    expect(order(scene.plan({level: 'hard', force: true}, []))).toEqual(
      expect.arrayContaining([
        '! ip.restore vEthernet (Ethernet) -> Ethernet',
        '! ip.restore vEthernet (Ethernet) -> vEthernet (Ethernet)',
      ]),
    );
  });

  test('if only External is missing, only that is created, under the guard', () => {
    const scene = but(flannelAsService(), node => loseNetwork(node, 'External'), 'fl-win-a');
    const plan = scene.plan({}, scene.results());
    expect(plan.repairs).toEqual(['hns/external-network']);
    expect(order(plan)).toEqual([
      'node.cordon fl-win-a',
      '! hns.createExternal Ethernet',
      'wait.until adapter',
      '! ip.renew vEthernet (Ethernet)',
      'node.uncordon fl-win-a',
    ]);
    expect(plan.loses).toEqual([]);
  });

  test('a foreign External stays', () => {
    const scene = but(
      flannelAsService(),
      node => {
        for (const row of node.sections.hnsNetworks)
          if (row.Name === 'External') row.Subnets = [{AddressPrefix: '10.1.0.0/16', GatewayAddress: '10.1.0.1'}];
      },
      'fl-win-a',
    );
    expect(order(scene.plan({level: 'hard', force: true}, []))).not.toContainEqual(
      expect.stringContaining('removeNetwork External'),
    );
  });

  test('in a pod Flannel needs no External, and a plan that creates one is refused', () => {
    const step = {do: 'hns.createExternal', with: {adapter: 'Ethernet'}} as const;
    expect(nodeViolations(patient('06-flannel-overlay-healthy', 'fl-win-a').subject(), [step])[0]?.reason).toMatch(
      /does not use a network External/,
    );
    const asService = flannelAsService().subject();
    expect(nodeViolations(asService, [step])).toEqual([]);
    for (const adapter of ['Ethernet 9', 'vEthernet (Ethernet)'])
      expect(nodeViolations(asService, [{do: 'hns.createExternal', with: {adapter}}])).toHaveLength(1);
  });
});

test('flanneld without a restart mechanism is reported, not guessed', () => {
  const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
  scene.scenario.removeObjects(({kind, metadata}) => kind === 'Pod' && /^kube-flannel-ds-windows/.test(metadata.name));
  expect(scene.reasons({}, [failing('tunnel/vtep-mac')])).toEqual([
    expect.stringContaining('neither in a pod nor as a service'),
  ]);
});

test('pods lose a network that flanneld would recreate', () => {
  const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
  expect(scene.reasons({}, [failing('hns/subnet')])).toEqual([expect.stringContaining('apps/web-h4wp8z5t4-x9dsp')]);
  expect(scene.plan({}, [failing('tunnel/vtep-mac')]).loses).toEqual([]);
});
