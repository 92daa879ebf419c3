import {expect, it} from 'vitest';
import {scenario} from '../../checks/support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw objects
type Raw = any;
const mine = /^(tunnel|kube-proxy|cni)\/|^hns\/(host-endpoint|network-present)$/;

it('has no findings on a node with a working hybrid overlay and HNS v2 objects', () => {
  const networkId = '11111111-2222-3333-4444-555555555555';
  const endpoint = (id: string, name: string, ip: string, flags: number) => ({
    ID: `${id}-2222-3333-4444-555555555555`,
    Name: name,
    HostComputeNetwork: networkId,
    IpConfigurations: [{IpAddress: ip, PrefixLength: 24}],
    Flags: flags,
  });
  const openshift = scenario('12-hybrid-overlay-network-missing').node(node => {
    node.sections.hnsNetworks.push({
      ID: networkId,
      Name: 'OVNKubernetesHybridOverlayNetwork',
      Type: 'Overlay',
      Flags: 8,
      Ipams: [
        {Subnets: [{IpAddressPrefix: '10.132.1.0/24', Policies: [{Type: 'VSID', Settings: {IsolationId: 4097}}]}]},
      ],
      Policies: [
        {Type: 'ProviderAddress', Settings: {ProviderAddress: '10.204.30.77'}},
        {Type: 'DrMacAddress', Settings: {Address: '00-15-5D-5E-F2-00'}},
        {
          Type: 'RemoteSubnetRoute',
          Settings: {
            DestinationPrefix: '10.128.0.0/23',
            ProviderAddress: '10.204.30.21',
            DistributedRouterMacAddress: '0a:58:0a:80:00:03',
            IsolationId: 4097,
          },
        },
      ],
    });
    node.sections.hnsEndpoints = [
      endpoint('aaaaaaaa', 'VIPEndpoint', '10.132.1.2', 0),
      endpoint('bbbbbbbb', 'Ethernet', '10.128.0.12', 1),
    ];
    node.sections.netIPAddresses.push({
      InterfaceAlias: 'vEthernet (VIPEndpoint)',
      IPAddress: '10.132.1.2',
      PrefixLength: 24,
      AddressFamily: 'IPv4',
    });
    node.sections.hnsPolicyLists = [6, 17].map(protocol => ({
      ID: `cccccccc-2222-3333-4444-0000000000${protocol === 6 ? '06' : '17'}`,
      HostComputeEndpoints: ['bbbbbbbb-2222-3333-4444-555555555555'],
      SourceVIP: '10.132.1.2',
      FrontendVIPs: ['172.30.0.10'],
      PortMappings: [{Protocol: protocol, InternalPort: 5353, ExternalPort: 53}],
    }));
    node.sections.services.find(({Name}: Raw) => Name === 'kube-proxy').State = 'Running';
    node.sections.processes.push({Name: 'kube-proxy.exe', ProcessId: 9, StartTime: '2026-02-24T19:25:00+00:00'});
  });
  const findings = openshift.run().findings.filter(({id}) => mine.test(id));
  expect(findings.filter(({outcome}) => outcome === 'fail').map(({id, message}) => `${id}: ${message}`)).toEqual([]);
  for (const id of ['tunnel/vtep-mac', 'tunnel/remote-routes', 'kube-proxy/source-vip', 'hns/host-endpoint'])
    expect(findings.find(finding => finding.id === id)?.outcome, id).toBe('pass');
});
