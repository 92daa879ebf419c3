import {own} from '../lib/own.js';
import {asNumber, asText, policy, same, texts} from './hns.js';
import {guid, list, normalGuid, number, object, optional, shaped, text} from './values.js';

// HNS v1 calls them policy lists, v2 load balancers: kube-proxy creates them for Services.

export interface LoadBalancer {
  id: string;
  vips: string[];
  sourceVip: string | undefined;
  ports: {protocol: 'tcp' | 'udp' | 'other'; external: number | undefined; internal: number | undefined}[];
  endpointIds: string[];
  /** 2: active. */
  state: number | undefined;
  dsr: boolean;
  networkId: string | undefined;
}

const protocols: Record<string, 'tcp' | 'udp'> = {6: 'tcp', 17: 'udp', tcp: 'tcp', udp: 'udp'};

export const policyList = shaped(
  object({
    ID: guid,
    References: list(text),
    HostComputeEndpoints: list(guid),
    HostComputeNetwork: optional(guid),
    Policies: list(policy),
    FrontendVIPs: list(text),
    SourceVIP: optional(text),
    PortMappings: list(
      object({Protocol: optional(text), InternalPort: optional(number), ExternalPort: optional(number)}),
    ),
    State: optional(number),
    Flags: optional(number),
  }),
  (value): LoadBalancer => {
    const balancers = value.Policies.filter(({Type}) => same(Type, 'ELB')).map(({values}) => values);
    return {
      id: value.ID,
      vips: [...value.FrontendVIPs, ...balancers.flatMap(({VIPs}) => texts(VIPs))],
      sourceVip: value.SourceVIP ?? balancers.map(({SourceVIP}) => asText(SourceVIP)).find(vip => vip !== undefined),
      ports: [...value.PortMappings, ...balancers].map(mapping => ({
        protocol: own(protocols, String(mapping.Protocol).toLowerCase()) ?? 'other',
        external: asNumber(mapping.ExternalPort),
        internal: asNumber(mapping.InternalPort),
      })),
      endpointIds: [
        ...value.HostComputeEndpoints,
        ...value.References.map(reference => normalGuid(reference.split('/').at(-1) ?? '')),
      ],
      state: value.State,
      dsr: balancers.some(({IsDSR}) => IsDSR === true) || ((value.Flags ?? 0) & 1) === 1,
      networkId: value.HostComputeNetwork,
    };
  },
);
