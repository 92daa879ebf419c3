import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../support.js';
import {emptySet, removeRow, setRow} from './tables.js';

const noDevice = (name: string) => ({ofport: -1, error: `could not open network device ${name} (No such device)`});

const breakPort = (node: Scenario, name: string) =>
  node.section('ovs', ovs => setRow(ovs, 'Interface', name, noDevice(name)));

describe('ovs/uplink-port', () => {
  it('finds an uplink that OVS could not open', () => {
    const broken = healthy('01-antrea-healthy').section('ovs', ovs =>
      setRow(ovs, 'Interface', 'Ethernet0', {ofport: -1}),
    );
    const [finding] = broken.verdicts('ovs/uplink-port');
    expect(finding).toMatchObject({outcome: 'fail', remedy: {cutsNetwork: true}});
    expect(finding?.message).toContain('Ethernet0');
  });

  it('finds an uplink without a port number', () => {
    const broken = healthy('04-kube-ovn-healthy').section('ovs', ovs =>
      setRow(ovs, 'Interface', 'Ethernet1', {ofport: emptySet}),
    );
    expect(broken.outcomes('ovs/uplink-port')).toEqual(['fail']);
  });

  it('finds a bridge with a different NIC than the network', () => {
    const broken = healthy('04-kube-ovn-healthy').section('hnsNetworks', ([network]) => {
      network.NetworkAdapterName = 'Ethernet0';
    });
    expect(broken.failures('ovs/uplink-port')).toEqual([expect.stringContaining('Ethernet0 of HNS network')]);
  });

  it('requires no specific port number: old releases had others', () => {
    const old = healthy('01-antrea-healthy').section('ovs', ovs => setRow(ovs, 'Interface', 'Ethernet0', {ofport: 3}));
    expect(old.outcomes('ovs/uplink-port')).toEqual(['pass']);
  });

  it('finds the NIC by its switch if HNS does not name it', () => {
    const unnamed = healthy('01-antrea-healthy').section('hnsNetworks', networks => {
      delete networks[0].NetworkAdapterName;
    });
    expect(unnamed.outcomes('ovs/uplink-port')).toEqual(['pass']);
  });

  it('is undetermined if nothing names the NIC', () => {
    const unnamed = healthy('01-antrea-healthy')
      .section('hnsNetworks', networks => {
        delete networks[0].NetworkAdapterName;
      })
      .without('vmSwitches')
      .without('adapterBindings');
    expect(unnamed.outcomes('ovs/uplink-port')).toEqual(['unknown']);
  });

  it('leaves a missing bridge to its own check', () => {
    const broken = healthy('01-antrea-healthy').section('ovs', ovs => removeRow(ovs, 'Bridge', 'br-int'));
    expect(broken.outcomes('ovs/uplink-port')).toEqual(['skipped']);
  });
});

describe('ovs/port-error', () => {
  it('reports ports of deleted pods, which cleanup removes', () => {
    const left = breakPort(healthy('01-antrea-healthy'), 'storefro-b7c588').section('hnsEndpoints', endpoints => {
      endpoints.splice(0, 1);
    });
    const [finding] = left.verdicts('ovs/port-error');
    expect(finding).toMatchObject({
      outcome: 'fail',
      severity: 'warning',
      remedy: {kind: 'command', command: 'kubectl win cleanup winapp-01', cutsNetwork: false},
    });
    expect(finding?.message).toContain('storefro-b7c588');
  });

  it('reports which pod to delete if a running pod has a failed port', () => {
    const [finding] = breakPort(healthy('04-kube-ovn-healthy'), '21ede65f4220').verdicts('ovs/port-error');
    expect(finding?.remedy).toMatchObject({
      kind: 'manual',
      steps: ['kubectl -n legacy delete pod crystal-reports-5d25j89zj-ns22f'],
    });
  });

  it('allows a pod its first minute', () => {
    const starting = breakPort(healthy('01-antrea-healthy'), 'storefro-b7c588').object('Pod', /^storefront/, pod => {
      pod.status.startTime = '2026-03-03T10:40:30Z';
    });
    expect(starting.outcomes('ovs/port-error')).toEqual(['pass']);
  });

  it('ignores the port of a pod that is being deleted', () => {
    const ending = breakPort(healthy('01-antrea-healthy'), 'storefro-b7c588').object('Pod', /^storefront/, pod => {
      pod.metadata.deletionTimestamp = '2026-03-03T10:40:30Z';
    });
    expect(ending.outcomes('ovs/port-error')).toEqual(['pass']);
  });

  it('finds a failed port of the plugin itself', () => {
    const broken = healthy('01-antrea-healthy').section('ovs', ovs =>
      setRow(ovs, 'Interface', 'antrea-tun0', {
        ofport: -1,
        error: 'could not add network device antrea-tun0 to ofproto (File exists)',
      }),
    );
    expect(broken.failures('ovs/port-error')).toEqual([expect.stringContaining('antrea-tun0')]);
  });

  it('is undetermined without the cluster: the pod may be starting', () => {
    const alone = breakPort(healthy('01-antrea-healthy'), 'storefro-b7c588');
    delete (alone.document as {cluster?: unknown}).cluster;
    expect(alone.outcomes('ovs/port-error')).toEqual(['unknown']);
  });

  it('leaves the ports of a stale bridge to that finding', () => {
    expect(scenario('02-antrea-after-reboot').outcomes('ovs/port-error')).toEqual(['skipped']);
  });
});
