import {describe, expect, it} from 'vitest';
import {removeRow} from '../../checks/ovs/tables.js';
import {healthy, scenario} from '../../checks/support.js';

const id = 'ovs/pod-ports';

const portless = () => healthy('01-antrea-healthy').section('ovs', ovs => removeRow(ovs, 'Port', 'storefro-b7c588'));

describe(id, () => {
  it('names the endpoint of a running pod that has no OVS port', () => {
    const [finding] = portless().verdicts(id);
    expect(finding).toMatchObject({outcome: 'fail', severity: 'error'});
    expect(finding?.message).toContain('storefro-b7c588 (10.124.1.14)');
  });

  it('finds pods with hostNetwork that are not HostProcess pods: Windows also gives them an address', () => {
    const hostNetwork = portless().object('Pod', /^storefront/, ({spec, status}) => {
      spec.hostNetwork = true;
      status.podIP = status.hostIP;
    });
    expect(hostNetwork.outcomes(id)).toEqual(['fail']);
  });

  it('leaves endpoints of deleted pods to the check for leaked endpoints', () => {
    const gone = portless().removeObjects(({kind, metadata}) => kind === 'Pod' && /^storefront/.test(metadata.name));
    expect(gone.outcomes(id)).toEqual(['pass']);
  });

  it('allows a pod its first minute', () => {
    const starting = portless().object('Pod', /^storefront/, ({status}) => {
      status.startTime = '2026-03-03T10:40:40Z';
    });
    expect(starting.outcomes(id)).toEqual(['pass']);
  });

  it('uses the state of the endpoint if the cluster was not read', () => {
    const alone = portless();
    delete (alone.document as {cluster?: unknown}).cluster;
    expect(alone.outcomes(id)).toEqual(['fail']);
  });

  it('requires no ports for endpoints of other networks', () => {
    const foreign = portless().section('hnsEndpoints', ([endpoint]) => {
      endpoint.VirtualNetwork = '00000000-0000-0000-0000-00000000000c';
      endpoint.VirtualNetworkName = 'nat';
    });
    expect(foreign.outcomes(id)).toEqual(['pass']);
  });

  it('waits for the network and the bridge', () => {
    expect(scenario('02-antrea-after-reboot').outcomes(id)).toEqual(['skipped']);
  });
});
