import type {JsonObject} from '../json.js';
import type {Random} from '../random.js';
import {fileTime} from '../time.js';
import type {Release} from './release.js';

export const ovsExtension = '583CC151-73EC-4A6A-8B47-578297AD7623';
const filteringPlatform = 'E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A';

export interface Extension {
  id: string;
  name: string;
  type: 'Filter' | 'Forwarding' | 'Capture';
  enabled: boolean;
}

/** The extensions of a switch. At most one forwarding extension is enabled. */
export function extensionsOf(release: Release, forwarding: 'ovs' | 'vfp' | 'none', ovsInstalled: boolean): Extension[] {
  return [
    {id: filteringPlatform, name: 'Microsoft Windows Filtering Platform', type: 'Filter', enabled: false},
    ...(ovsInstalled
      ? [{id: ovsExtension, name: 'Open vSwitch Extension', type: 'Forwarding' as const, enabled: forwarding === 'ovs'}]
      : []),
    {id: release.vfp, name: 'Microsoft Azure VFP Switch Extension', type: 'Forwarding', enabled: forwarding === 'vfp'},
    {id: release.capture, name: 'Microsoft NDIS Capture', type: 'Capture', enabled: true},
  ];
}

/** Creates HNS objects with all fields of the in-box cmdlets, in their order. */
export class HnsFactory {
  readonly #release: Release;
  readonly #random: Random;
  readonly #switchId: string;

  constructor(release: Release, random: Random) {
    this.#release = release;
    this.#random = random;
    this.#switchId = random.guid();
  }

  network(made: Date, fields: NetworkFields): JsonObject {
    const activity = this.#random.guid();
    const {name, type, subnets, extensions, flags = 0, policies = [], ...rest} = fields;
    const pool = `00-15-5D-${this.#random.hex(2).toUpperCase()}-${this.#random.hex(1).toUpperCase()}`;
    return this.#ordered({
      ...this.#common(made, activity),
      CurrentEndpointCount: 0,
      Extensions: extensions.map(({id, enabled, name}) => ({Id: id, IsEnabled: enabled, Name: name})),
      Flags: flags,
      ID: this.#random.guid(),
      IPv6: false,
      LayeredOn: this.#random.guid(),
      MacPools: [{EndMacAddress: `${pool}F-FF`, StartMacAddress: `${pool}0-00`}],
      MaxConcurrentEndpoints: 0,
      Name: name,
      Policies: policies,
      State: 1,
      Subnets: subnets.map(subnet => this.#subnet(made, subnet)),
      TotalEndpoints: 0,
      Type: type,
      ...rest,
      Resources: {...this.#resources(made, activity, subnets), parentId: this.#random.guid()},
    });
  }

  endpoint(made: Date, network: JsonObject, fields: JsonObject): JsonObject {
    const activity = this.#random.guid();
    return this.#ordered({
      ...this.#common(made, activity),
      ID: this.#random.guid(),
      Policies: [],
      SharedContainers: [],
      State: 1,
      Type: network.Type,
      VirtualNetwork: network.ID,
      VirtualNetworkName: network.Name,
      ...fields,
      Resources: {...this.#resources(made, activity), parentId: this.#random.guid()},
    });
  }

  policyList(made: Date, network: JsonObject, policy: JsonObject, endpoints: readonly JsonObject[]): JsonObject {
    const activity = this.#random.guid();
    return this.#ordered({
      ...this.#common(made, activity),
      Flags: 0,
      HostComputeNetwork: network.ID,
      ID: this.#random.guid(),
      IsApplied: false,
      Policies: [policy],
      References: endpoints.map(endpoint => `/endpoints/${String(endpoint.ID).toLowerCase()}`),
      State: 2,
      Resources: this.#resources(made, activity),
    });
  }

  /** The network of Docker and of containerd's samples: internal, with its own NAT. */
  nat(made: Date, subnet: string, gateway: string, ovsInstalled: boolean): JsonObject {
    const zero = {MissedCount: 0, SequenceNumber: 0};
    const notices = ['Address', 'Interface', 'Route'].flatMap(kind =>
      Object.entries(zero).map(([key, value]) => [`${kind}Notification${key}`, value] as const),
    );
    const network = this.network(made, {
      name: 'nat',
      type: 'nat',
      subnets: [{prefix: subnet, gateway}],
      extensions: extensionsOf(this.#release, 'none', ovsInstalled),
      flags: this.#release.modernHns ? 8 : 0,
      policies: this.#release.modernHns ? [{Type: 'VLAN', VLAN: 1}] : [],
      NatName: `${this.#release.modernHns ? 'NAT' : 'ICS'}${this.#random.guid()}`,
    });
    const health = {...Object.fromEntries(notices), LastErrorCode: 0, LastUpdateTime: fileTime(made)};
    return {...network, Health: sorted(health)};
  }

  #common(made: Date, activity: string): JsonObject {
    return {
      ActivityId: activity,
      AdditionalParams: {},
      Health: {LastErrorCode: 0, LastUpdateTime: fileTime(made)},
      Version: this.#release.hnsVersion,
    };
  }

  #subnet(made: Date, {prefix, gateway, policies = []}: SubnetFields): JsonObject {
    const health = {LastErrorCode: 0, LastUpdateTime: fileTime(made)};
    const common = {AdditionalParams: {}, Health: health, Policies: [], State: 0};
    return sorted({
      ...common,
      AddressPrefix: prefix,
      GatewayAddress: gateway,
      ID: this.#random.guid(),
      ObjectType: 5,
      Policies: policies,
      ...(this.#release.modernHns && {
        Flags: 0,
        IpSubnets: [sorted({...common, Flags: 3, ID: this.#random.guid(), IpAddressPrefix: prefix, ObjectType: 6})],
      }),
    });
  }

  #resources(made: Date, activity: string, subnets: readonly SubnetFields[] = []): JsonObject {
    const isolated = subnets.flatMap(({policies = []}) => policies.filter(policy => policy.Type === 'VSID'));
    return {
      AdditionalParams: {},
      AllocationOrder: 1,
      Allocators: isolated.map(policy => this.#isolation(made, policy.VSID)),
      ...(this.#release.modernHns && {CompartmentOperationTime: 0, Flags: 0}),
      Health: {LastErrorCode: 0, LastUpdateTime: fileTime(made)},
      ID: activity,
      PortOperationTime: 0,
      State: 1,
      SwitchOperationTime: 0,
      VfpOperationTime: 0,
    };
  }

  /** The allocator of an overlay's virtual subnet on the switch. */
  #isolation(made: Date, id: unknown): JsonObject {
    return {
      AdditionalParams: {},
      AllocationOrder: 0,
      Health: {LastErrorCode: 0, LastUpdateTime: fileTime(made)},
      ID: this.#random.guid(),
      IsPolicy: false,
      Isolation_0: id,
      PortId: this.#random.guid(),
      RDID: this.#random.guid(),
      State: 3,
      SwitchId: this.#switchId,
      Tag: 'RDID',
    };
  }

  #ordered(object: JsonObject): JsonObject {
    const {Resources, ...rest} = object;
    return this.#release.modernHns ? {...sorted(rest), Resources} : sorted(object);
  }
}

export interface SubnetFields {
  prefix: string;
  gateway: string;
  policies?: readonly JsonObject[];
}

export interface NetworkFields extends JsonObject {
  name: string;
  type: string;
  subnets: readonly SubnetFields[];
  extensions: readonly Extension[];
  flags?: number;
  policies?: readonly JsonObject[];
}

const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
