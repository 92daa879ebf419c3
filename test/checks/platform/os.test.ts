import {describe, expect, it} from 'vitest';
import {healthy, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const calico2019 = '10-calico-wrong-management-ip';

describe('platform/os-build', () => {
  const id = 'platform/os-build';

  it('rejects versions older than Server 2019', () => {
    const old = healthy(antrea).section('os', os => {
      os.BuildNumber = '17134';
      os.UBR = 1;
    });
    expect(old.failures(id)).toEqual([
      'Windows build 17134.1 is older than Server 2019: Kubernetes does not support it.',
    ]);
  });

  it.each(['17763', '20348', '26100'])('accepts build %s', build => {
    const fine = healthy(antrea).section('os', os => {
      os.BuildNumber = build;
    });
    expect(fine.outcomes(id)).toEqual(['pass']);
  });

  it("uses the kubelet's value if the node was not read", () => {
    const unread = healthy(antrea)
      .without('os')
      .object('Node', 'winapp-01', node => {
        node.status.nodeInfo.kernelVersion = '10.0.14393.5582';
      });
    expect(unread.failures(id)).toHaveLength(1);
    unread.removeObjects(({kind}) => kind === 'Node');
    expect(unread.outcomes(id)).toEqual(['unknown']);
  });
});

describe('platform/hotfix', () => {
  const id = 'platform/hotfix';
  const updated = (UBR: number | undefined, IsDSR = false) =>
    scenario(calico2019)
      .section('os', os => Object.assign(os, {UBR}))
      .section('hnsPolicyLists', lists => {
        for (const {Policies} of lists) Policies[0].IsDSR = IsDSR;
      });

  it('warns of an overlay on Server 2019 before KB4489899', () => {
    expect(updated(378).verdicts(id)).toMatchObject([{outcome: 'fail', severity: 'warning'}]);
    expect(updated(379).outcomes(id)).toEqual(['pass']);
  });

  it('warns of direct server return only if load balancers use it', () => {
    expect(updated(1431, true).failures(id)[0]).toMatch(/direct server return/);
    expect(updated(1431).outcomes(id)).toEqual(['pass']);
    expect(updated(1431).without('hnsPolicyLists').outcomes(id)).toEqual(['unknown']);
  });

  it('does not pass if the update level is unknown', () => {
    expect(updated(undefined).outcomes(id)).toEqual(['unknown']);
    const listed = updated(undefined).section('hotfixes', fixes => fixes.push({HotFixID: 'kb4489899'}));
    expect(listed.outcomes(id)).toEqual(['pass']);
  });

  it('accepts later versions of Windows, and does not apply to plugins without an overlay', () => {
    const later = updated(1).section('os', os => {
      os.BuildNumber = '20348';
    });
    expect(later.outcomes(id)).toEqual(['pass']);
    expect(scenario('08-flannel-host-gw-after-reboot').outcomes(id)).toEqual(['skipped', 'skipped']);
  });
});

describe('what is told of a Windows', () => {
  it('is where its build was read', () => {
    const old = healthy(antrea).section('os', os => Object.assign(os, {BuildNumber: '17134', UBR: undefined}));
    expect(old.verdicts('platform/os-build')[0]).toMatchObject({
      message: expect.stringMatching(/^Windows build 17134 is older/),
      evidence: [{section: 'os', object: 'winapp-01', field: 'BuildNumber', seen: '17134'}],
    });
    const kernel = (kernelVersion: string) =>
      healthy(antrea)
        .without('os')
        .object('Node', 'winapp-01', node => {
          node.status.nodeInfo.kernelVersion = kernelVersion;
        })
        .verdicts('platform/os-build')[0];
    expect(kernel('10.0.14393.5582')).toMatchObject({
      evidence: [{section: 'cluster', field: 'nodeInfo.kernelVersion', seen: '14393.5582'}],
    });
    expect(kernel('10.0.14393')?.evidence[0]?.seen).toBe('14393');
    expect(kernel('6.3.9600')?.outcome).toBe('unknown');
    expect(kernel('x10.0.14393.1')?.outcome).toBe('unknown');
  });

  it('is the update that an overlay needs', () => {
    const before = scenario(calico2019).section('os', os => Object.assign(os, {UBR: 378}));
    expect(before.verdicts('platform/hotfix')[0]?.evidence[0]).toMatchObject({seen: expect.stringContaining('378')});
  });
});
