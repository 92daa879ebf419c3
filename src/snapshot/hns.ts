import {
  anything,
  described,
  either,
  fields,
  flag,
  guid,
  jsonSchemaOf,
  list,
  mac,
  normalGuid,
  number,
  object,
  optional,
  readIfPossible,
  shaped,
  text,
} from './values.js';

// HNS has two schemas: v1 is flat (ManagementIP, VSID), v2 has the same under Policies[].Settings. Both are normalised
// into one. Sources: hcsshim hcn/ and internal/hns/.

export interface Subnet {
  prefix: string;
  gateway: string | undefined;
  /** VSID of the subnet: the VNI of an overlay. */
  vsid: number | undefined;
}

export interface RemoteRoute {
  prefix: string;
  provider: string | undefined;
  vni: number | undefined;
  mac: string | undefined;
}

export interface NetworkExtension {
  id: string;
  name: string;
  enabled: boolean;
}

export interface Network {
  id: string;
  name: string;
  /** As its creator spelled it; compare with `isType`. */
  type: string;
  subnets: Subnet[];
  /** The node's address on this network's switch, without prefix length. */
  managementIp: string | undefined;
  adapterName: string | undefined;
  drMac: string | undefined;
  sourceMac: string | undefined;
  flags: number;
  /** Its switch: networks with the same layer share one. */
  layeredOn: string | undefined;
  extensions: NetworkExtension[];
  remoteRoutes: RemoteRoute[];
  vxlanPort: number | undefined;
  /** HNS version as [major, minor], from (major << 32) | minor. */
  hnsVersion: readonly [number, number] | undefined;
  policyTypes: string[];
}

export interface EndpointRoute {
  prefix: string;
  needEncap: boolean;
}

export interface Endpoint {
  id: string;
  name: string;
  networkId: string | undefined;
  networkName: string | undefined;
  ip: string | undefined;
  prefixLength: number | undefined;
  gateway: string | undefined;
  mac: string | undefined;
  /** 0 Uninitialized, 1 Created, 2 Attached, 3 AttachedSharing, 4 Detached, 5 Degraded, 6 Destroyed. */
  state: number | undefined;
  remote: boolean;
  /** Ids of the containers that share it. */
  containers: string[];
  compartment: number | undefined;
  namespaceId: string | undefined;
  /** Exceptions of each OutBoundNAT policy. */
  outboundNat: string[][];
  routes: EndpointRoute[];
  providerAddress: string | undefined;
  createdAt: number | undefined;
}

type Policy = {Type: string; values: Record<string, unknown>};

/** A v1 policy (`{Type, …}`) or a v2 policy (`{Type, Settings: {…}}`; settings may be JSON text). */
export const policy = described(
  shaped(fields, ({Type, ...rest}): Policy => {
    const settings = typeof rest.Settings === 'string' ? parseObject(rest.Settings) : rest.Settings;
    return {Type: text(Type), values: isObject(settings) ? settings : rest};
  }),
  () => jsonSchemaOf(object({Type: text})),
);

const subnet = shaped(
  object({
    AddressPrefix: optional(text),
    IpAddressPrefix: optional(text),
    GatewayAddress: optional(text),
    Routes: list(object({NextHop: optional(text), DestinationPrefix: optional(text)})),
    Policies: list(policy),
  }),
  (value): Subnet => {
    const vsid = value.Policies.find(({Type}) => same(Type, 'VSID'))?.values;
    return {
      prefix: value.AddressPrefix ?? value.IpAddressPrefix ?? '',
      gateway: value.GatewayAddress ?? value.Routes.find(route => route.DestinationPrefix === '0.0.0.0/0')?.NextHop,
      vsid: asNumber(vsid?.VSID ?? vsid?.IsolationId),
    };
  },
);

const extension = shaped(
  object({Id: guid, Name: optional(text), IsEnabled: optional(flag)}),
  ({Id, Name, IsEnabled}): NetworkExtension => ({id: Id, name: Name ?? Id, enabled: IsEnabled ?? false}),
);

/** v2 has here what v1 has at the top level. */
const health = object({Extra: optional(object({LayeredOn: optional(guid), SharedContainers: list(text)}))});

/** A number or the names of its bits: the documented schema has names, HNS returns numbers. */
const flags = (bits: Record<string, number>) =>
  either(
    number,
    shaped(text, names =>
      names.split(/[\s,|]+/).reduce((sum, name) => {
        const bit = Object.entries(bits).find(([known]) => same(known, name))?.[1] ?? 0;
        return sum | bit;
      }, 0),
    ),
  );

export const network = shaped(
  object({
    ID: guid,
    Name: text,
    Type: text,
    Subnets: list(subnet),
    Ipams: list(object({Subnets: list(subnet)})),
    ManagementIP: optional(text),
    NetworkAdapterName: optional(text),
    DrMacAddress: optional(mac),
    SourceMac: optional(mac),
    Flags: optional(flags({EnableNonPersistent: 8, DisableHostPort: 1024, EnableIov: 8192})),
    LayeredOn: optional(guid),
    Health: optional(health),
    Extensions: list(extension),
    Policies: list(policy),
    Version: optional(number),
  }),
  (value): Network => {
    const of = (type: string) => value.Policies.find(({Type}) => same(Type, type))?.values;
    const macOf = (candidate: unknown) => readIfPossible(mac, candidate);
    const enabledByPolicy = value.Policies.filter(({Type}) => same(Type, 'VSwitchExtension')).map(({values}) => ({
      id: normalGuid(String(values.ExtensionID)),
      name: String(values.ExtensionID),
      enabled: values.Enable === true,
    }));
    return {
      id: value.ID,
      name: value.Name,
      type: value.Type,
      subnets: [...value.Subnets, ...value.Ipams.flatMap(ipam => ipam.Subnets)],
      // Antrea writes it in CIDR form (antrea pkg/agent/util/net_windows.go), HNS itself as a bare address.
      managementIp: (value.ManagementIP ?? asText(of('ProviderAddress')?.ProviderAddress))?.split('/')[0],
      adapterName: value.NetworkAdapterName ?? asText(of('NetAdapterName')?.NetworkAdapterName),
      drMac: value.DrMacAddress ?? macOf(of('DrMacAddress')?.Address),
      sourceMac: value.SourceMac ?? macOf(of('SourceMacAddress')?.SourceMacAddress),
      flags: value.Flags ?? 0,
      layeredOn: value.LayeredOn ?? value.Health?.Extra?.LayeredOn,
      extensions: [...value.Extensions, ...enabledByPolicy],
      remoteRoutes: value.Policies.filter(({Type}) => same(Type, 'RemoteSubnetRoute')).map(({values}) => ({
        prefix: asText(values.DestinationPrefix) ?? '',
        provider: asText(values.ProviderAddress),
        vni: asNumber(values.IsolationId),
        mac: macOf(values.DistributedRouterMacAddress),
      })),
      vxlanPort: asNumber(of('VxlanPort')?.Port),
      hnsVersion:
        value.Version === undefined ? undefined : [Math.floor(value.Version / 2 ** 32), value.Version % 2 ** 32],
      policyTypes: value.Policies.map(({Type}) => Type),
    };
  },
);

export const endpoint = shaped(
  object({
    ID: guid,
    Name: optional(text),
    VirtualNetwork: optional(guid),
    HostComputeNetwork: optional(guid),
    VirtualNetworkName: optional(text),
    IPAddress: optional(text),
    IpConfigurations: list(object({IpAddress: optional(text), PrefixLength: optional(number)})),
    PrefixLength: optional(number),
    GatewayAddress: optional(text),
    Routes: list(object({NextHop: optional(text), DestinationPrefix: optional(text)})),
    MacAddress: optional(mac),
    State: optional(number),
    Flags: optional(flags({RemoteEndpoint: 1})),
    IsRemoteEndpoint: optional(flag),
    SharedContainers: list(text),
    Health: optional(health),
    CompartmentId: optional(number),
    Namespace: optional(object({ID: optional(guid)})),
    HostComputeNamespace: optional(guid),
    Policies: list(policy),
    CreateProcessingStartTime: optional(number),
  }),
  (value): Endpoint => {
    const address = value.IpConfigurations[0];
    const isV2 = value.HostComputeNetwork !== undefined;
    return {
      id: value.ID,
      name: value.Name ?? '',
      networkId: value.VirtualNetwork ?? value.HostComputeNetwork,
      networkName: value.VirtualNetworkName,
      ip: value.IPAddress ?? address?.IpAddress,
      prefixLength: value.PrefixLength ?? address?.PrefixLength,
      gateway: value.GatewayAddress ?? value.Routes.find(route => route.DestinationPrefix === '0.0.0.0/0')?.NextHop,
      mac: value.MacAddress,
      state: value.State,
      remote: value.IsRemoteEndpoint ?? (isV2 && ((value.Flags ?? 0) & 1) === 1),
      containers: [...value.SharedContainers, ...(value.Health?.Extra?.SharedContainers ?? [])],
      compartment: value.CompartmentId,
      namespaceId: value.Namespace?.ID ?? value.HostComputeNamespace,
      outboundNat: value.Policies.filter(
        ({Type, values}) => same(Type, 'OutBoundNAT') && !('Destinations' in values),
      ).map(({values}) => texts(values.ExceptionList ?? values.Exceptions)),
      routes: value.Policies.filter(({Type}) => same(Type, 'ROUTE') || same(Type, 'SDNROUTE')).map(({values}) => ({
        prefix: asText(values.DestinationPrefix) ?? '',
        needEncap: values.NeedEncap === true,
      })),
      providerAddress: value.Policies.map(({values}) => asText(values.PA ?? values.ProviderAddress)).find(
        pa => pa !== undefined,
      ),
      createdAt: fromFileTime(value.CreateProcessingStartTime),
    };
  },
);

export function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** HNS returns a type as its creator spelled it: `Overlay`, `overlay`, `L2Bridge`, `l2bridge`. */
export function isType(network: Network, ...types: string[]): boolean {
  return types.some(type => same(network.type, type));
}

/**
 * Converts a FILETIME (100 ns since 1601) to milliseconds since 1970. Values exceed 2^53; the error is at most a
 * millisecond.
 */
function fromFileTime(fileTime: number | undefined): number | undefined {
  const milliseconds = Math.round((fileTime || Number.NaN) / 10_000 - 11_644_473_600_000);
  return Number.isNaN(new Date(milliseconds).getTime()) ? undefined : milliseconds;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return readIfPossible(number, value);
}

export function texts(value: unknown): string[] {
  return readIfPossible(list(text), value) ?? [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const resource = object({Type: optional(text), Data: optional(fields)});

/** An HNS network namespace, shared by a pod's containers. v1 has a ResourceList, v2 has Resources. */
export const namespace = shaped(
  object({
    ID: guid,
    IsDefault: optional(flag),
    CompartmentId: optional(number),
    NamespaceId: optional(number),
    ResourceList: list(resource),
    Resources: list(resource),
  }),
  value => {
    const resources = [...value.ResourceList, ...value.Resources];
    const idsOf = (type: string) =>
      resources
        .filter(({Type}) => Type?.toLowerCase() === type)
        .flatMap(({Data}) => Object.entries(Data ?? {}).filter(([key]) => key.toLowerCase() === 'id'))
        .map(([, id]) => normalGuid(String(id)));
    return {
      id: value.ID,
      isDefault: value.IsDefault,
      compartment: value.CompartmentId ?? value.NamespaceId,
      endpoints: idsOf('endpoint'),
      containers: idsOf('container'),
    };
  },
);

const allocation = object({RequiresHostPortReservation: optional(flag), PortRanges: list(anything)});

/** Ports that HNS has reserved, by pool. Their format is undocumented, so only their number is reported. */
export const portPools = described(
  shaped(list(fields), pools =>
    pools
      .flatMap(pool => list(allocation)('PortPoolAllocations' in pool ? pool.PortPoolAllocations : pool))
      .map(({RequiresHostPortReservation, PortRanges}) => ({
        onHost: RequiresHostPortReservation,
        ranges: PortRanges.length,
      })),
  ),
  () => jsonSchemaOf(list(object({PortPoolAllocations: list(allocation)}))),
);
