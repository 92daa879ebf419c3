import {expect, test} from 'vitest';
import {azureWithBrokenState, azureWithStaleLock, but, drop} from '../../repair/scenes.js';
import {expected, expectGolden, failing, order, patient} from '../../repair/support.js';

const reboot = '11-azure-cni-after-reboot';

test('after a reboot the state of a network that no longer exists is removed', async () => {
  const plan = patient(reboot).plan({}, expected(reboot));
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual([
    'service.stop kubeproxy',
    'file.remove C:\\k\\azure-vnet.json',
    'file.remove C:\\k\\azurecns\\azure-endpoints.json',
    'service.start kubeproxy',
    'pod.delete azure-cns-win-sw6kp',
  ]);
  await expectGolden(plan, 'azure-after-reboot');
});

test('state that does not match its network removes both: load balancers, endpoints, network, state', async () => {
  const scene = but(azureWithBrokenState(), node => {
    node.sections.hnsPolicyLists = [
      {ID: '93043784-338A-4C6D-9761-9D627913537B', References: ['/endpoints/54239cda-6630-4479-927f-754cb92d6ae4']},
    ];
  });
  const plan = scene.plan({}, [failing('cni/azure-state')]);
  expect(plan.level).toBe('hard');
  expect(order(plan)).toEqual([
    'service.stop kubeproxy',
    'hns.removePolicyLists all',
    'hns.removeEndpoint 54239cda-6630-4479-927f-754cb92d6ae4',
    'hns.removeNetwork azure',
    'file.remove C:\\k\\azurecns\\azure-endpoints.json',
    'file.remove C:\\k\\azure-vnet.json',
    'service.start kubeproxy',
    'pod.delete azure-cns-win-sw6kp',
  ]);
  expect(plan.deadMan).toBeUndefined();
  await expectGolden(plan, 'azure-broken-state');
});

test('a network that matches its state stays, and so does its state', () => {
  const scene = but(azureWithBrokenState(), node => {
    const state = node.sections.files.find(({Path}: {Path: string}) => Path.endsWith('azure-vnet.json'));
    state.Content = '{"Network":{"HnsId":"E385EB7E-C63B-449A-A21E-F31DA4B4B4A4"}}';
    node.sections.files.push({
      Path: 'C:\\k\\azure-vnet.json.lock',
      Exists: true,
      LastWriteTime: '2026-01-01T00:00:00Z',
    });
    drop(node, 'hnsEndpoints', () => true);
  });
  const plan = scene.plan({}, [failing('cni/azure-state')]);
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual(['file.remove C:\\k\\azure-vnet.json.lock']);
});

test('a lock from before the boot is removed, one from after it stays', () => {
  const plan = azureWithStaleLock().plan({}, [failing('cni/azure-state')]);
  expect(order(plan)).toContain('file.remove C:\\k\\azure-vnet.json.lock');
  const young = but(azureWithStaleLock(), node => {
    for (const row of node.sections.files)
      if (row.Path.endsWith('.lock')) row.LastWriteTime = node.sections.os.SystemTime;
  });
  expect(order(young.plan({}, [failing('cni/azure-state')]))).not.toContainEqual(expect.stringContaining('.lock'));
});

test('HNS that does not answer is no basis for a plan', () => {
  const name = '14-hns-not-answering';
  expect(patient(name).reasons({force: true}, expected(name))).toEqual([
    'A hard plan is not possible: hnsNetworks: HNS did not answer GET /networks within 30 s; hnsEndpoints: HNS did not answer GET /endpoints within 30 s.',
  ]);
});
