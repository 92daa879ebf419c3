import {describe, expect, it} from 'vitest';
import {healthy} from '../../checks/support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw objects
type Raw = any;

/** The healthy VXLAN case with BGP instead, on its first node. */
function bgp(routes: Record<string, string>) {
  return healthy('09-calico-vxlan-healthy')
    .object('DaemonSet', 'calico-node-windows', set => {
      for (const container of set.spec.template.spec.containers)
        container.env.find(({name}: Raw) => name === 'CALICO_NETWORKING_BACKEND').value = 'windows-bgp';
    })
    .node(node => {
      for (const network of node.sections.hnsNetworks) network.Type = 'L2Bridge';
      const endpoint = node.sections.hnsEndpoints.find(({Name}: Raw) => Name === 'Calico_ep');
      Object.assign(endpoint, {IsRemoteEndpoint: false, State: 2});
      node.sections.netIPAddresses.push({InterfaceAlias: 'vEthernet (Calico_ep)', IPAddress: endpoint.IPAddress});
      for (const [DestinationPrefix, NextHop] of Object.entries(routes))
        node.sections.netRoutes.push({DestinationPrefix, NextHop, Store: 'ActiveStore'});
    });
}

describe('Calico with BGP', () => {
  const of = (changed: ReturnType<typeof bgp>, id: string) =>
    changed.verdicts(id).find(({node}) => node === 'cal-win-1')?.outcome;

  it('requires a route to each block, which a router may announce for several together', () => {
    expect(of(bgp({'10.48.11.64/26': '10.33.64.10', '10.48.201.0/26': '10.33.65.22'}), 'net/peer-routes')).toBe('pass');
    expect(of(bgp({'10.48.0.0/16': '10.33.64.1'}), 'net/peer-routes')).toBe('pass');
    expect(of(bgp({'10.48.11.64/26': '10.33.64.10'}), 'net/peer-routes')).toBe('fail');
  });

  it('has its endpoint attached to the node, and no tunnel', () => {
    const changed = bgp({'10.48.0.0/16': '10.33.64.1'});
    expect(of(changed, 'hns/host-endpoint')).toBe('pass');
    expect(of(changed, 'tunnel/vtep-mac')).toBe('skipped');
  });
});
