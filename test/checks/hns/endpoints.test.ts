import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const flannel = '06-flannel-overlay-healthy';
const winBridge = '13-win-bridge-outbound-nat';

/** A copy of a pod's endpoint, with changes. */
const another = (change: object) => (endpoints: Raw[]) =>
  endpoints.push({...structuredClone(endpoints[0]), ID: 'FFFFFFFF-0000-0000-0000-000000000001', ...change});

describe('hns/leaked-endpoints', () => {
  const id = 'hns/leaked-endpoints';
  const leaked = {Name: 'gone-b7c588', IPAddress: '10.124.1.99'};

  it('names an endpoint that belongs to no pod of the node', () => {
    const leak = healthy(antrea).section('hnsEndpoints', another(leaked));
    expect(leak.verdicts(id)).toMatchObject([
      {
        outcome: 'fail',
        severity: 'warning',
        evidence: [{object: 'gone-b7c588', seen: '10.124.1.99 (AttachedSharing)'}],
      },
    ]);
  });

  it('finds endpoints of a removed network', () => {
    const leak = scenario('02-antrea-after-reboot').section('hnsEndpoints', endpoints =>
      endpoints.push({ID: 'e', Name: 'web-1', VirtualNetwork: 'gone', IPAddress: '10.130.2.7', State: 3}),
    );
    expect(leak.failures(id)).toEqual([]);
    leak.removeObjects(({kind, spec}) => kind === 'Pod' && spec.nodeName === 'win-blue');
    expect(leak.failures(id)).toHaveLength(1);
  });

  it.each([
    ['remote', {...leaked, IsRemoteEndpoint: true}],
    ['five minutes old', {...leaked, CreateProcessingStartTime: '134170077670000000'}],
    ['of Docker on nat', {...leaked, VirtualNetwork: 'ABCD'}],
    ['of a host', {...leaked, Name: 'Calico_ep'}],
    ['attached to the host compartment', {...leaked, CompartmentId: 1}],
  ])('does not suspect an endpoint that is %s', (_, change) => {
    const fine = healthy(antrea)
      .section('hnsEndpoints', another(change))
      .section('hnsNetworks', networks => {
        networks.find(({Name}: Raw) => Name === 'nat').ID = 'ABCD';
      });
    expect(fine.outcomes(id)).toEqual(['pass']);
  });

  it("does not suspect kube-proxy's source VIP, nor the endpoint of the host", () => {
    expect(healthy(flannel).failures(id)).toEqual([]);
    expect(scenario(winBridge).failures(id)).toEqual([]);
  });

  it('allows for a pod that has no address yet, and for one in the host network', () => {
    const young = healthy(antrea)
      .section('hnsEndpoints', another(leaked))
      .addObject({
        kind: 'Pod',
        metadata: {name: 'new', namespace: 'shop'},
        spec: {nodeName: 'winapp-01', containers: []},
        status: {phase: 'Pending'},
      });
    expect(young.outcomes(id)).toEqual(['pass']);
  });

  it('does not attribute an old endpoint to a newer pod', () => {
    const stuck = healthy(antrea)
      .section('hnsEndpoints', another(leaked))
      .addObject({
        kind: 'Pod',
        metadata: {name: 'new', namespace: 'shop', creationTimestamp: '2026-03-03T10:20:00Z'},
        spec: {nodeName: 'winapp-01', containers: []},
        status: {phase: 'Pending'},
      });
    expect(stuck.failures(id)).toHaveLength(1);
  });

  it('is undetermined without the pods', () => {
    const blind = healthy(antrea).removeObjects(({kind}) => kind === 'Pod');
    expect(blind.outcomes(id)).toEqual(['unknown']);
  });
});

describe('hns/endpoint-state', () => {
  const id = 'hns/endpoint-state';
  const state = (value: number | undefined, change: object = {}) =>
    healthy(antrea).section('hnsEndpoints', endpoints => Object.assign(endpoints[0], {State: value}, change));

  it.each([0, 1, 4, 5, 6])('warns of a pod whose endpoint is in state %i, and names the pod', value => {
    const [found] = state(value).verdicts(id);
    expect(found).toMatchObject({outcome: 'fail', severity: 'warning'});
    expect(found?.message).toContain('of pod shop/storefront-s949w5skg-hg6j7');
    expect(found?.remedy).toMatchObject({steps: ['kubectl -n shop delete pod storefront-s949w5skg-hg6j7']});
  });

  it.each([2, 3])('accepts state %i', value => {
    expect(state(value).outcomes(id)).toEqual(['pass']);
  });

  it('allows a new endpoint a minute', () => {
    expect(state(1, {CreateProcessingStartTime: '134170080470000000'}).outcomes(id)).toEqual(['pass']);
  });

  it("knows that kube-proxy's source VIP and Calico's remote endpoint are never attached", () => {
    expect(healthy(flannel).failures(id)).toEqual([]);
    expect(healthy('09-calico-vxlan-healthy').failures(id)).toEqual([]);
  });

  it('folds a host endpoint under the check for it', () => {
    const found = scenario('08-flannel-host-gw-after-reboot').verdicts(id);
    expect(found.find(({outcome}) => outcome === 'fail')?.causedBy).toContain('hns/host-endpoint');
  });

  it('is undetermined for HNS v2 endpoints, which have no state', () => {
    const v2 = healthy(antrea).section('hnsEndpoints', endpoints => {
      for (const endpoint of endpoints) delete endpoint.State;
    });
    expect(v2.outcomes(id)).toEqual(['unknown']);
  });
});

describe('hns/vfp-blocked', () => {
  const id = 'hns/vfp-blocked';
  const event = (Message: string, ProviderName = 'Microsoft-Windows-Hyper-V-VfpExt') =>
    healthy(flannel).section('events', events => events.push({ProviderName, Id: 7, Message}), 'fl-win-a');

  it('fails if VFP reports a blocked port', () => {
    expect(event('Port 5F0C-1 is blocked.').failures(id)).toHaveLength(1);
  });

  const withPorts = (Blocked: boolean | null) =>
    healthy(flannel).node(node => {
      const [endpoint] = node.sections.hnsEndpoints;
      node.sections.vfpPorts = [
        {Name: '5F0C0000-0000-0000-0000-000000000001', FriendlyName: endpoint.ID, Enabled: true, Blocked},
        {Name: '5F0C0000-0000-0000-0000-000000000002', FriendlyName: 'ExternalPort', Enabled: true, Blocked: false},
      ];
    }, 'fl-win-a');

  it('names the endpoint of a currently blocked port', () => {
    const [failed] = withPorts(true).verdicts(id);
    const [endpoint] = withPorts(true).document.nodes['fl-win-a']?.sections.hnsEndpoints ?? [];
    expect(failed).toMatchObject({outcome: 'fail', message: expect.stringContaining(endpoint.Name)});
    expect(failed?.evidence).toMatchObject([{section: 'vfpPorts', seen: true}]);
  });

  it('passes if the ports were read and none is blocked', () => {
    expect(withPorts(false).outcomes(id)).toContain('pass');
  });

  it('does not pass if the state of one port could not be read', () => {
    expect(withPorts(null).outcomes(id)).toContain('unknown');
  });

  it('does not pass without the state of the ports', () => {
    expect(healthy(flannel).outcomes(id)).toEqual(['skipped', 'skipped']);
    expect(event('Port 5F0C-1 is blocked.', 'Other').failures(id)).toEqual([]);
  });
});
