import {describe, expect, test} from 'vitest';
import type {RawNode} from '../../checks/support.js';
import {but, setFile, setService} from '../scenes.js';
import {failing, order, type Patient, patient} from '../support.js';

// What a plan removes because it is unused, and what it keeps because it may be in use.

const flannel = (change: (node: RawNode) => void) =>
  but(patient('06-flannel-overlay-healthy', 'fl-win-a'), change, 'fl-win-a');
const steps = (scene: Patient, ...ids: string[]) => {
  const outcome = scene.outcome(
    {},
    ids.map(id => failing(id)),
  );
  return outcome.kind === 'plan' ? order(outcome.plan) : [];
};

describe('a host-local lease', () => {
  const path = 'C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.200';
  const container = 'ab'.repeat(32);
  const lease = (rest: object = {}, at = path) =>
    flannel(node => setFile(node, at, {Content: `${container}\r\neth0`, ...rest}));
  const removed = (scene: Patient) =>
    steps(scene, 'cni/host-local-leases').filter(step => step.startsWith('file.remove'));

  test('is removed if no pod and no endpoint has its address or its container', () => {
    expect(removed(lease())).toEqual([`file.remove ${path}`]);
    expect(removed(lease({Content: `  ${container}  \neth0`}))).toEqual([`file.remove ${path}`]);
  });

  test.each([
    ['is empty', {Content: ''}],
    ['is the source VIP of kube-proxy', {Content: 'dummy\r\neth0'}],
    ['was not read', {Content: undefined}],
    ['was written just now', {LastWriteTime: '2026-03-04T10:00:00+01:00'}],
    ['was written at an unknown time', {LastWriteTime: undefined}],
    ['does not exist', {Exists: false}],
  ])('stays if it %s', (_, rest) => {
    expect(removed(lease(rest))).toEqual([]);
  });

  test('is removed ten minutes after it was written', () => {
    expect(removed(lease({LastWriteTime: '2026-03-04T09:52:33+01:00'}))).toEqual([`file.remove ${path}`]);
  });

  test.each([
    'C:\\var\\lib\\cni\\networks\\flannel.4096\\last_reserved_ip.0',
    'C:\\var\\lib\\cni\\networks\\10.244.1.200',
    'C:\\var\\lib\\cni\\networks\\flannel.4096\\old\\10.244.1.200',
    'C:\\var\\lib\\cni\\10.244.1.200',
  ])('is recognised by its place: %s is none', at => {
    expect(removed(lease({}, at))).toEqual([]);
  });

  test('stays while a pod of the node has its address', () => {
    const scene = lease();
    const [pod] =
      scene
        .subject()
        .cluster?.podsOn('fl-win-a')
        .filter(({spec}) => !spec.hostNetwork) ?? [];
    scene.scenario.object('Pod', pod?.metadata.name ?? '', object => {
      object.status.podIP = '10.244.1.200';
      object.status.podIPs = [{ip: '10.244.1.200'}];
    });
    expect(removed(scene)).toEqual([]);
  });

  test('stays if it is unknown whether all pods were read', () => {
    const scene = lease();
    delete scene.scenario.document.cluster.lists;
    expect(removed(scene)).toEqual([]);
  });

  test.each([
    ['address', {IPAddress: '10.244.1.200'}],
    ['container', {SharedContainers: [container]}],
    ['container in its name', {Name: `${container}_flannel.4096`}],
  ])('stays while an endpoint has its %s', (_, rest) => {
    const scene = but(
      lease(),
      node => {
        const [first] = node.sections.hnsEndpoints;
        const other = {
          ID: '22222222-3333-4444-5555-666666666666',
          Name: 'x',
          IPAddress: '10.244.1.201',
          SharedContainers: [],
        };
        node.sections.hnsEndpoints.push({...first, ...other, ...rest});
      },
      'fl-win-a',
    );
    expect(removed(scene)).toEqual([]);
  });

  test('stays if the endpoints were not read', () => {
    const scene = lease();
    scene.scenario.without('hnsEndpoints');
    expect(removed(scene)).toEqual([]);
  });
});

describe('two forwarding extensions', () => {
  const two = (change: (rows: {SwitchName: string | null; Id: string; Enabled: boolean}[]) => void) =>
    but(patient('01-antrea-healthy'), node => change(node.sections.vmSwitchExtensions));
  const ovs = '583CC151-73EC-4A6A-8B47-578297AD7623';
  const vfp = 'F74F241B-440F-4433-BB28-00F89EAD20D8';
  const capture = '430BDADD-BAB0-41AB-A369-94B67FA5BE0A';
  const turned = (scene: Patient) => {
    const {steps: all} = scene.plan({force: true}, [failing('hns/two-extensions')]);
    return all.map(step =>
      step.do === 'vswitch.setExtension'
        ? `${step.with.switchName} ${step.with.extensionId.toUpperCase()} ${step.with.enabled}`
        : `${step.do} ${'name' in step.with ? step.with.name : ''}`,
    );
  };
  const on = (switchName: string, id: string) =>
    two(rows => {
      for (const row of rows) if (row.SwitchName === switchName && row.Id === id) row.Enabled = true;
    });

  test('OVS is disabled on another switch, VFP on its own, while ovs-vswitchd is stopped', () => {
    const around = (...middle: string[]) => ['service.stop ovs-vswitchd', ...middle, 'service.start ovs-vswitchd'];
    expect(turned(on('nat', ovs)).slice(0, 3)).toEqual(around(`nat ${ovs} false`));
    expect(turned(on('antrea-hnsnetwork', vfp)).slice(0, 3)).toEqual(around(`antrea-hnsnetwork ${vfp} false`));
  });

  test('what does not forward stays enabled, and so does VFP on other switches', () => {
    const all = turned(
      two(rows => {
        for (const row of rows)
          if (row.SwitchName === 'nat') row.Enabled = row.Id === ovs || row.Id === vfp || row.Id === capture;
      }),
    );
    expect(all.filter(step => step.endsWith('false'))).toEqual([`nat ${ovs} false`]);
  });
});

describe('the service of HNS', () => {
  test('is started if it does not run', () => {
    const scene = flannel(node => setService(node, 'hns', {State: 'Stopped', ProcessId: 0}));
    expect(steps(scene, 'hns/service')).toContain('service.start hns');
  });

  test('is not changed by a plan for something else', () => {
    expect(
      steps(
        flannel(() => {}),
        'tunnel/vtep-mac',
      ).join(),
    ).not.toContain('hns');
  });
});
