import {describe, expect, it} from 'vitest';
import {healthy, scenario} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw HNS objects
type Raw = any;
const named = (endpoints: Raw[], name: string) => endpoints.find(endpoint => endpoint.Name === name);

/** Node hg-win-2 of the case is healthy; only it is inspected. */
const hostGateway = () => scenario('08-flannel-host-gw-after-reboot');
const second = 'hg-win-2';
const outcome = (changed: ReturnType<typeof hostGateway>) =>
  changed.verdicts('hns/host-endpoint').find(({node}) => node === second);

describe('hns/host-endpoint', () => {
  it('accepts the endpoint of Flannel host-gw, attached and with its adapter', () => {
    expect(outcome(hostGateway())?.outcome).toBe('pass');
  });

  it('finds that it is missing', () => {
    const changed = hostGateway().node(node => {
      node.sections.hnsEndpoints = node.sections.hnsEndpoints.filter(({Name}: Raw) => Name !== 'cbr0_ep');
    }, second);
    expect(outcome(changed)?.message).toMatch(/cbr0_ep.*does not exist/);
  });

  it('finds that it is created but not attached', () => {
    const changed = hostGateway().section(
      'hnsEndpoints',
      endpoints => {
        named(endpoints, 'cbr0_ep').State = 1;
      },
      second,
    );
    expect(outcome(changed)?.message).toMatch(/Created/);
  });

  it('uses the adapter for HNS v2, which reports no state', () => {
    const changed = hostGateway().section(
      'hnsEndpoints',
      endpoints => {
        delete named(endpoints, 'cbr0_ep').State;
      },
      second,
    );
    expect(outcome(changed)?.outcome).toBe('pass');
    changed.section(
      'netIPAddresses',
      addresses => {
        const index = addresses.findIndex(({InterfaceAlias}: Raw) => InterfaceAlias === 'vEthernet (cbr0_ep)');
        addresses.splice(index, 1);
      },
      second,
    );
    expect(outcome(changed)?.outcome).toBe('fail');
  });

  it('finds an address outside the subnet of the network', () => {
    const changed = hostGateway().section(
      'hnsEndpoints',
      endpoints => {
        named(endpoints, 'cbr0_ep').IPAddress = '10.212.77.2';
      },
      second,
    );
    expect(outcome(changed)?.message).toMatch(/outside the subnet/);
  });

  it('accepts one remote endpoint of Calico VXLAN in state 1, and rejects two', () => {
    const calico = healthy('09-calico-vxlan-healthy');
    expect(calico.outcomes('hns/host-endpoint')).toEqual(['pass', 'pass']);
    calico.section('hnsEndpoints', endpoints => {
      endpoints.push({...named(endpoints, 'Calico_ep'), ID: 'AAAAAAAA-0000-0000-0000-000000000000'});
    });
    expect(calico.failures('hns/host-endpoint')[0]).toMatch(/2 HNS endpoints/);
  });

  const changedEndpoint = (change: object) =>
    hostGateway().section('hnsEndpoints', endpoints => Object.assign(named(endpoints, 'cbr0_ep'), change), second);

  it('accepts an endpoint that is attached and shared', () => {
    expect(outcome(changedEndpoint({State: 3}))?.outcome).toBe('pass');
  });

  it('reports the state of an endpoint that is not attached', () => {
    const [state, address] = outcome(changedEndpoint({State: 1}))?.evidence ?? [];
    expect(state).toMatchObject({object: 'cbr0_ep', field: 'State', seen: '1 (Created)'});
    expect(address).toMatchObject({section: 'netIPAddresses', seen: expect.any(String)});
    expect(outcome(changedEndpoint({State: 77}))?.evidence[0]).toMatchObject({seen: '77 (unknown)'});
  });

  it('does not mistake an address that was not read for a missing one', () => {
    expect(outcome(changedEndpoint({IPAddress: undefined}))?.outcome).toBe('pass');
    expect(outcome(hostGateway().without('netIPAddresses'))?.outcome).toBe('pass');
  });

  it('accepts an address in any of the subnets, and is not evaluated if the network has none', () => {
    const subnets = (change: (network: Raw) => void) =>
      changedEndpoint({}).section(
        'hnsNetworks',
        networks => change(networks.find(({Name}: Raw) => Name === 'cbr0')),
        second,
      );
    const more = subnets(network => network.Subnets.unshift({AddressPrefix: '10.99.0.0/24'}));
    expect(outcome(more)?.outcome).toBe('pass');
    const none = subnets(network => {
      network.Subnets = [];
    });
    expect(outcome(none)?.outcome).toBe('pass');
  });
});
