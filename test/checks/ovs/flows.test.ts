import {describe, expect, it} from 'vitest';
import {healthy, type Raw} from '../support.js';

const antrea = '01-antrea-healthy';
const kubeOvn = '04-kube-ovn-healthy';

const flows = (name: string, ...rows: Raw[]) =>
  healthy(name).node(node => {
    node.sections.ovsFlows = rows;
  });
const counted = (Bridge: string, Flows: number) => ({Bridge, Flows, Tables: Flows ? [{Table: 0, Flows}] : []});

describe('ovs/flows', () => {
  const id = 'ovs/flows';

  it('passes bridges with flows', () => {
    expect(flows(antrea, counted('br-int', 214)).outcomes(id)).toEqual(['pass']);
    expect(flows(kubeOvn, counted('br-int', 90), counted('br-provider', 1)).outcomes(id)).toEqual(['pass']);
  });

  it('fails with no flows', () => {
    const [found] = flows(antrea, counted('br-int', 0)).verdicts(id);
    expect(found).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: 'Bridge br-int has no flows: OVS drops all pod traffic.',
    });
  });

  it('is undetermined if flows were not counted, or not read', () => {
    expect(flows(antrea, {Bridge: 'br-int', Error: 'connection refused'}).verdicts(id)).toMatchObject([
      {outcome: 'unknown', message: expect.stringContaining('connection refused')},
    ]);
    expect(healthy(antrea).outcomes(id)).toEqual(['unknown']);
  });

  it('is skipped if flows cannot be counted because ovs-vswitchd is stopped', () => {
    const stopped = flows(antrea, {Bridge: 'br-int', Error: 'br-int is not a bridge or a socket'})
      .section('services', services => {
        services.find(({Name}: Raw) => Name === 'ovs-vswitchd').State = 'Stopped';
      })
      .section('processes', processes => {
        processes.splice(
          processes.findIndex(({Name}: Raw) => Name === 'ovs-vswitchd.exe'),
          1,
        );
      });
    expect(stopped.outcomes(id)).toEqual(['skipped']);
    expect(stopped.outcomes('ovs/services')).toContain('fail');
    expect(stopped.without('processes').outcomes(id)).toEqual(['unknown']);
  });
});

describe('ovs/bridge-mac', () => {
  const id = 'ovs/bridge-mac';

  it.each([antrea, kubeOvn])('passes %s', name => {
    expect(healthy(name).outcomes(id)).toEqual(['pass']);
  });

  it('finds a MAC address that differs from that of the network adapter', () => {
    const other = healthy(kubeOvn).section('netAdapters', adapters => {
      adapters.find(({Name}: Raw) => Name === 'br-provider').MacAddress = '00-15-5D-00-00-01';
    });
    expect(other.failures(id)[0]).toMatch(/^br-provider has MAC address .* but network adapter Ethernet1 has/);
  });
});

describe('ovs/pod-ports of Kube-OVN', () => {
  it('passes pods with ports, and finds one without', () => {
    expect(healthy(kubeOvn).outcomes('ovs/pod-ports')).toEqual(['pass']);
    const portless = healthy(kubeOvn).section('hnsEndpoints', endpoints => {
      endpoints[0].Name = 'aaaaaaaaaaaa';
    });
    expect(portless.failures('ovs/pod-ports')[0]).toMatch(/No OVS port has the name of HNS endpoint aaaaaaaaaaaa/);
  });
});
