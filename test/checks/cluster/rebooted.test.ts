import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const id = 'cluster/rebooted';
const antrea = '01-antrea-healthy';
const flannel = '06-flannel-overlay-healthy';
const rebooted = '02-antrea-after-reboot';

const file = (change: object) => (files: Raw[]) => files.push({Exists: true, Length: 4, ...change});
const beforeBoot = '2026-02-24T03:00:00+00:00';
const afterBoot = '2026-02-24T03:20:00+00:00';

describe('cluster/rebooted', () => {
  it('names every leftover and points to cleanup', () => {
    const [found] = scenario(rebooted).verdicts(id);
    expect(found).toMatchObject({
      outcome: 'fail',
      severity: 'warning',
      remedy: {command: 'kubectl win cleanup win-blue', cutsNetwork: false},
    });
    expect(found?.evidence.map(({object}) => object)).toEqual([
      'Bridge br-int',
      'C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
    ]);
  });

  it('waits for the node to settle', () => {
    const booting = scenario(rebooted).section('os', os => {
      os.LastBootUpTime = '2026-03-06T07:28:00+00:00';
    });
    expect(booting.outcomes(id)).toEqual(['info']);
  });

  it('does not wait for an agent that crash-loops', () => {
    const looping = scenario(rebooted)
      .section('os', os => {
        os.LastBootUpTime = '2026-03-06T07:28:00+00:00';
      })
      .object('Pod', /^antrea-agent-windows/, pod => {
        pod.status.containerStatuses[0].state = {waiting: {reason: 'CrashLoopBackOff'}};
      });
    expect(looping.outcomes(id)).toEqual(['fail']);
  });

  it('finds state, endpoints and annotations of networks that are gone', () => {
    const objects = (name: string) =>
      scenario(name)
        .verdicts(id)
        .flatMap(({evidence}) => evidence.map(({object}) => object));
    expect(objects('11-azure-cni-after-reboot')).toEqual(['C:\\k\\azure-vnet.json']);
    expect(objects('08-flannel-host-gw-after-reboot')).toEqual(['endpoint cbr0_ep']);
    expect(objects('12-hybrid-overlay-network-missing')).toEqual([
      'annotation k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac',
    ]);
  });

  it('finds a lock and leases from before the boot', () => {
    const stale = healthy(antrea)
      .section('files', file({Path: 'C:\\k\\azure-vnet.json.lock', LastWriteTime: beforeBoot}))
      .section(
        'files',
        file({Path: 'C:/var/lib/cni/networks/antrea/10.124.1.77', LastWriteTime: beforeBoot, Content: 'abc'}),
      );
    expect(stale.verdicts(id)[0]?.evidence).toHaveLength(2);
  });

  it.each([
    [
      'a lease that was written after it',
      {Path: 'C:\\var\\lib\\cni\\networks\\antrea\\10.124.1.77', LastWriteTime: afterBoot},
    ],
    [
      'a lease of a live endpoint',
      {Path: 'C:\\var\\lib\\cni\\networks\\antrea\\10.124.1.14', LastWriteTime: beforeBoot},
    ],
    [
      'the reserved lease of a source VIP',
      {Path: 'C:\\var\\lib\\cni\\networks\\antrea\\10.124.1.2', LastWriteTime: beforeBoot, Content: 'dummy\r\ndummy'},
    ],
    ['a missing file', {Path: 'C:\\k\\azure-vnet.json.lock', Exists: false, LastWriteTime: beforeBoot}],
    ['a pid file of a running daemon', {Path: 'C:\\ovs\\ovsdb-server.pid', LastWriteTime: beforeBoot}],
  ])('does not mistake %s for a leftover', (_, entry) => {
    expect(healthy(antrea).section('files', file(entry)).outcomes(id)).toEqual(['pass']);
  });

  it('evaluates a source VIP from before the boot by whether it still matches', () => {
    const vip = (address: string) =>
      healthy(flannel).section(
        'files',
        files => {
          const entry = files.find(({Path}: Raw) => Path.endsWith('sourceVip.json') && Path.includes('sourcevip'));
          entry.LastWriteTime = '2026-02-01T00:00:00+00:00';
          entry.Content = entry.Content.replace('10.244.1.2/', `${address}/`);
        },
        'fl-win-a',
      );
    expect(vip('10.244.1.2').failures(id)).toEqual([]);
    expect(vip('10.244.9.2').failures(id)).toHaveLength(1);
  });

  it('does not pass if it could not be inspected', () => {
    expect(healthy(antrea).without('ovs').outcomes(id)).toEqual(['unknown']);
    expect(
      scenario('12-hybrid-overlay-network-missing')
        .removeObjects(({kind}) => kind === 'Node')
        .outcomes(id),
    ).not.toContain('pass');
    const clockless = healthy(antrea).section('os', os => {
      delete os.LastBootUpTime;
    });
    expect(clockless.outcomes(id)).toEqual(['unknown']);
  });
});
