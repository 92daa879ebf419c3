import {expect, test} from 'vitest';
import {but, calicoAfterReboot, setService} from '../../repair/scenes.js';
import {expected, expectGolden, failing, order, passing, patient} from '../../repair/support.js';

test('after a reboot a restart is sufficient: Calico cleans up by itself', async () => {
  const plan = calicoAfterReboot().plan({}, [failing('cni/calico-boot-time')]);
  expect(plan.level).toBe('soft');
  expect(order(plan)).toEqual([
    'node.cordon cal-win-1',
    '! pod.delete calico-node-windows-jvpnd',
    'pod.delete kube-proxy-windows-sgxkr',
    'node.uncordon cal-win-1',
  ]);
  expect(plan.remakes).toEqual(['External', 'Calico']);
  await expectGolden(plan, 'calico-after-reboot');
});

test('a restart with a matching boot time removes nothing', () => {
  const scene = patient('09-calico-vxlan-healthy', 'cal-win-1');
  const plan = scene.plan({}, [failing('tunnel/vtep-mac'), passing('cni/calico-boot-time')]);
  expect(plan.remakes).toEqual([]);
  expect(order(plan)).toEqual(['pod.delete calico-node-windows-jvpnd']);
});

test('if it cannot be determined whether it cleans up, its pods count as lost', () => {
  const scene = patient('09-calico-vxlan-healthy', 'cal-win-1');
  expect(scene.reasons({}, [failing('tunnel/vtep-mac')])).toEqual([
    expect.stringContaining('Running pods would lose their network'),
  ]);
});

test('a wrong management address: the boot time is removed so that Calico cleans up, and the NIC is reported', async () => {
  const name = '10-calico-wrong-management-ip';
  expect(patient(name).reasons({}, expected(name))).toEqual([expect.stringContaining('apps/web-tvjj9pr6l-sx4cw')]);
  const plan = patient(name).plan({force: true}, expected(name));
  expect(plan.level).toBe('hard');
  expect(order(plan)).toEqual([
    'registry.removeValue LastBootTime',
    'pod.delete calico-node-windows-dbdlx',
    'pod.delete kube-proxy-windows-27hrn',
    'pod.delete web-tvjj9pr6l-sx4cw',
  ]);
  expect(plan.notes).toEqual([expect.stringContaining('VXLAN_ADAPTER')]);
  await expectGolden(plan, 'calico-wrong-management-ip');
});

test('if its own cleanup would remove foreign networks there is no plan, with or without force', () => {
  const scene = but(
    calicoAfterReboot(),
    node => {
      const [external] = node.sections.hnsNetworks;
      node.sections.hnsNetworks.push({...external, ID: '11111111-2222-3333-4444-555555555555', Name: 'customer-net'});
    },
    'cal-win-1',
  );
  expect(scene.reasons({force: true}, [failing('cni/calico-boot-time')])).toEqual([
    expect.stringContaining('customer-net'),
  ]);
});

test('as services, Felix stops first and starts last', () => {
  const scene = calicoAfterReboot();
  scene.scenario.removeObjects(({kind, metadata}) => kind === 'Pod' && /^calico-node-windows/.test(metadata.name));
  but(
    scene,
    node => {
      setService(node, 'CalicoNode', {});
      setService(node, 'CalicoFelix', {});
    },
    'cal-win-1',
  );
  expect(order(scene.plan({}, [failing('cni/calico-boot-time')])).slice(1, 6)).toEqual([
    'service.stop CalicoFelix',
    'service.stop CalicoNode',
    '! service.start CalicoNode',
    '! wait.until hnsNetwork',
    'service.start CalicoFelix',
  ]);
});
