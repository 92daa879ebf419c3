import {describe, expect, it} from 'vitest';
import {type Endpoint, isType, type Network} from '../../src/snapshot/hns.js';
import type {LoadBalancer} from '../../src/snapshot/load-balancers.js';
import {nodeModelOf} from '../../src/snapshot/node.js';

function node(sections: Record<string, unknown>) {
  return nodeModelOf('win-1', {sections, errors: {}});
}

function network(data: object): Network | undefined {
  return node({hnsNetworks: data}).hnsNetworks?.[0];
}

function endpoint(data: object): Endpoint | undefined {
  return node({hnsEndpoints: data}).hnsEndpoints?.[0];
}

function balancer(data: object): LoadBalancer | undefined {
  return node({hnsPolicyLists: data}).hnsPolicyLists?.[0];
}

const overlayV1 = {
  ID: 'C54DF1B1-49F1-48F9-8EE8-CE631045952E',
  Name: 'flannel.4096',
  Type: 'Overlay',
  ManagementIP: '10.71.8.40',
  NetworkAdapterName: 'Ethernet',
  DrMacAddress: '00-15-5D-B4-8F-45',
  Flags: 8,
  Version: 64424509440,
  Subnets: [{AddressPrefix: '10.237.9.0/24', GatewayAddress: '10.237.9.1', Policies: [{Type: 'VSID', VSID: 4096}]}],
  Policies: [
    {Type: 'HostRoute'},
    {
      Type: 'RemoteSubnetRoute',
      DestinationPrefix: '10.237.0.0/24',
      DistributedRouterMacAddress: '5e:97:fc:ad:b2:ef',
      IsolationId: 4096,
      ProviderAddress: '10.71.8.10',
    },
  ],
};

const overlayV2 = {
  ID: 'c54df1b1-49f1-48f9-8ee8-ce631045952e',
  Name: 'flannel.4096',
  Type: 'overlay',
  Flags: 8,
  Ipams: [
    {
      Type: 'Static',
      Subnets: [
        {
          IpAddressPrefix: '10.237.9.0/24',
          Routes: [{NextHop: '10.237.9.1', DestinationPrefix: '0.0.0.0/0'}],
          Policies: [{Type: 'VSID', Settings: {IsolationId: 4096}}],
        },
      ],
    },
  ],
  Policies: [
    {Type: 'NetAdapterName', Settings: {NetworkAdapterName: 'Ethernet'}},
    {Type: 'ProviderAddress', Settings: {ProviderAddress: '10.71.8.40'}},
    {Type: 'DrMacAddress', Settings: {Address: '00-15-5D-B4-8F-45'}},
    {Type: 'HostRoute', Settings: {}},
    {
      Type: 'RemoteSubnetRoute',
      Settings:
        '{"DestinationPrefix":"10.237.0.0/24","IsolationId":4096,"ProviderAddress":"10.71.8.10","DistributedRouterMacAddress":"5E-97-FC-AD-B2-EF"}',
    },
  ],
  SchemaVersion: {Major: 2, Minor: 0},
};

describe('an HNS network', () => {
  it('is the same in v1 and v2 format', () => {
    const comparable = (data: object) => {
      const {type, hnsVersion, policyTypes, ...rest} = network(data) ?? ({} as Network);
      return {...rest, type: type.toLowerCase()};
    };
    expect(comparable(overlayV2)).toEqual(comparable(overlayV1));
  });

  it('has its layer in Health.Extra in v2, and may have flags as names', () => {
    const LayeredOn = '6B9C4D64-B5AB-46D5-B32A-474B73C00BC0';
    const layered = network({...overlayV2, Flags: 'EnableNonPersistent', Health: {Extra: {LayeredOn}}});
    expect(layered).toMatchObject({flags: 8, layeredOn: network({...overlayV1, LayeredOn})?.layeredOn});
    expect(layered?.layeredOn).toBeDefined();
  });

  it('is compared by type case-insensitively', () => {
    const kubeOvn = network({ID: 'x', Name: 'kube-ovn', Type: 'transparent'});
    expect(kubeOvn && isType(kubeOvn, 'Transparent')).toBe(true);
  });

  it('has its management address without prefix length, in any notation', () => {
    expect(network({...overlayV1, ManagementIP: '10.71.8.40/24'})?.managementIp).toBe('10.71.8.40');
  });

  it('has the version of its HNS, which is above 2^32', () => {
    expect(network({...overlayV1, Version: '38654705669'})?.hnsVersion).toEqual([9, 5]);
  });

  it('accepts numbers above 2^53, which arrive as text', () => {
    expect(network({...overlayV1, Health: {LastUpdateTime: '134151200034108822'}})?.name).toBe('flannel.4096');
  });

  it('lists its extensions by ID, for any language of their names', () => {
    const extensions = [
      {Id: '{583CC151-73EC-4A6A-8B47-578297AD7623}', IsEnabled: true, Name: 'Open vSwitch-Erweiterung'},
    ];
    expect(network({...overlayV1, Extensions: extensions})?.extensions).toEqual([
      {id: '583cc151-73ec-4a6a-8b47-578297ad7623', name: 'Open vSwitch-Erweiterung', enabled: true},
    ]);
  });

  it('truncated by ConvertTo-Json is rejected, not mistaken for a network without subnets', () => {
    const cut = node({hnsNetworks: [{...overlayV1, Subnets: ['System.Object[]']}]});
    expect(cut.hnsNetworks).toBeUndefined();
    expect(cut.errors.hnsNetworks?.kind).toBe('Failed');
  });
});

describe('an HNS endpoint', () => {
  const v1 = {
    ID: 'D4F6A37D-FB0A-448C-932E-B7758EE07644',
    Name: '96c5_Calico',
    VirtualNetwork: '4754C799-5F0A-4FA6-A71C-3A8B018A918A',
    IPAddress: '10.230.41.134',
    GatewayAddress: '10.230.41.129',
    MacAddress: '0E-2A-0a-e6-29-86',
    State: 3,
    CreateProcessingStartTime: '134152636470004711',
    Policies: [
      {Type: 'OutBoundNAT', ExceptionList: ['10.231.0.0/16', '10.230.0.0/16']},
      {Type: 'ROUTE', DestinationPrefix: '10.231.0.0/16', NeedEncap: true},
      {Type: 'PA', PA: '10.71.8.52'},
    ],
  };
  const v2 = {
    ID: 'd4f6a37d-fb0a-448c-932e-b7758ee07644',
    Name: '96c5_Calico',
    HostComputeNetwork: '4754c799-5f0a-4fa6-a71c-3a8b018a918a',
    IpConfigurations: [{IpAddress: '10.230.41.134'}],
    Routes: [{NextHop: '10.230.41.129', DestinationPrefix: '0.0.0.0/0'}],
    MacAddress: '0E-2A-0a-e6-29-86',
    Flags: 0,
    Policies: [
      {Type: 'OutBoundNAT', Settings: {Exceptions: ['10.231.0.0/16', '10.230.0.0/16']}},
      {Type: 'SDNROUTE', Settings: {DestinationPrefix: '10.231.0.0/16', NeedEncap: true}},
      {Type: 'ProviderAddress', Settings: {ProviderAddress: '10.71.8.52'}},
    ],
  };

  it('is the same in both formats, except for what only v1 has', () => {
    const {state, createdAt, ...rest} = endpoint(v1) ?? ({} as Endpoint);
    expect(endpoint(v2)).toMatchObject(rest);
    expect({state, createdAt}).toEqual({state: 3, createdAt: Date.UTC(2026, 1, 11, 6, 7, 27)});
    expect(endpoint(v2)?.state).toBeUndefined();
  });

  it('is remote by its flag in v2, and by its property in v1', () => {
    expect(endpoint({...v2, Flags: 1})?.remote).toBe(true);
    expect(endpoint({...v1, IsRemoteEndpoint: true})?.remote).toBe(true);
    expect(endpoint({...v1, Flags: 1})?.remote).toBe(false);
    expect(endpoint({...v2, Flags: 'RemoteEndpoint'})?.remote).toBe(true);
    expect(endpoint({...v2, Flags: 'None'})?.remote).toBe(false);
  });

  it('names the containers that share it in Health.Extra in v2', () => {
    const SharedContainers = ['0c5c3b1b7a'];
    expect(endpoint({...v1, SharedContainers})?.containers).toEqual(SharedContainers);
    expect(endpoint({...v2, Health: {Extra: {SharedContainers}}})?.containers).toEqual(SharedContainers);
  });
});

describe('an HNS load balancer', () => {
  it('is the same as a v1 policy list and as a v2 load balancer', () => {
    const v1 = balancer({
      ID: '049D72F4-C7F6-4DB6-B4AB-EA05E218234A',
      References: ['/endpoints/E5C22737-21de-4ce4-845a-25062ee78276'],
      Policies: [
        {
          Type: 'ELB',
          Protocol: 17,
          InternalPort: 53,
          ExternalPort: 53,
          VIPs: ['10.231.0.10'],
          SourceVIP: '10.230.41.130',
        },
      ],
    });
    const v2 = balancer({
      ID: '049d72f4-c7f6-4db6-b4ab-ea05e218234a',
      HostComputeEndpoints: ['e5c22737-21de-4ce4-845a-25062ee78276'],
      FrontendVIPs: ['10.231.0.10'],
      SourceVIP: '10.230.41.130',
      PortMappings: [{Protocol: 17, InternalPort: 53, ExternalPort: 53}],
    });
    expect(v2).toEqual(v1);
    expect(v2?.ports).toEqual([{protocol: 'udp', external: 53, internal: 53}]);
  });
});
