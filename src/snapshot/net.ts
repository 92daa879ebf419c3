import {
  commaList,
  either,
  flag,
  guid,
  list,
  mac,
  meaning,
  named,
  number,
  object,
  optional,
  shaped,
  text,
} from './values.js';

// Adapters, the TCP/IP stack and the firewall. Enumerations are numbers if they come from ConvertTo-Json of PowerShell
// 5.1 (MSFT_NetAdapter, MSFT_NetIPAddress, MSFT_NetFirewallRule).

const operationalStatus = {
  1: 'Up',
  2: 'Down',
  3: 'Testing',
  4: 'Unknown',
  5: 'Dormant',
  6: 'Not Present',
  7: 'Lower Layer Down',
};
const addressFamilies = {2: 'IPv4', 23: 'IPv6'};
const prefixOrigins = {0: 'Other', 1: 'Manual', 2: 'WellKnown', 3: 'Dhcp', 4: 'RouterAdvertisement'};
const addressStates = {0: 'Invalid', 1: 'Tentative', 2: 'Duplicate', 3: 'Deprecated', 4: 'Preferred'};
const routeStores = {0: 'PersistentStore', 1: 'ActiveStore'};
const ipProtocols = {1: 'ICMPv4', 6: 'TCP', 17: 'UDP', 58: 'ICMPv6', 256: 'Any'};
/** Where a firewall rule comes from (MSFT_NetFirewallRule). */
const ruleSources = {0: 'None', 1: 'Local', 2: 'GroupPolicy', 3: 'Dynamic', 4: 'Generated', 5: 'Hardcoded'};
/** MSFT_NetIPInterface uses 0 for disabled and 1 for enabled; some versions use 2 for enabled. */
const onOff = either(flag, meaning([2], true));
/** MSFT_NetFirewallRule uses 1 for enabled and 2 for disabled. */
const ruleEnabled = either(flag, meaning([2, '2'], false));
/** MSFT_NetFirewallProfile uses 2 for "not configured", which means that the firewall is on. */
const profileEnabled = either(flag, meaning([2, '2', 'NotConfigured'], true));

export const adapter = shaped(
  object({
    Name: text,
    InterfaceDescription: optional(text),
    InterfaceIndex: optional(number),
    InterfaceGuid: optional(guid),
    Status: optional(named(operationalStatus)),
    MacAddress: optional(mac),
    MtuSize: optional(number),
    Virtual: optional(flag),
    HardwareInterface: optional(flag),
    Hidden: optional(flag),
    LinkSpeed: optional(text),
    ComponentID: optional(text),
  }),
  value => ({
    name: value.Name,
    description: value.InterfaceDescription,
    index: value.InterfaceIndex,
    guid: value.InterfaceGuid,
    status: value.Status,
    mac: value.MacAddress,
    mtu: value.MtuSize,
    virtual: value.Virtual ?? false,
    hardware: value.HardwareInterface ?? false,
    /** Get-NetAdapter lists it only with -IncludeHidden. */
    hidden: value.Hidden,
    speed: value.LinkSpeed,
    component: value.ComponentID,
  }),
);

export const address = shaped(
  object({
    InterfaceAlias: text,
    InterfaceIndex: optional(number),
    IPAddress: text,
    PrefixLength: optional(number),
    AddressFamily: optional(named(addressFamilies)),
    PrefixOrigin: optional(named(prefixOrigins)),
    AddressState: optional(named(addressStates)),
    SkipAsSource: optional(flag),
  }),
  value => ({
    adapter: value.InterfaceAlias,
    index: value.InterfaceIndex,
    ip: value.IPAddress.split('%')[0] ?? value.IPAddress,
    prefixLength: value.PrefixLength,
    family: value.AddressFamily ?? (value.IPAddress.includes(':') ? 'IPv6' : 'IPv4'),
    origin: value.PrefixOrigin,
    state: value.AddressState,
    skipAsSource: value.SkipAsSource,
  }),
);

export const ipInterface = shaped(
  object({
    InterfaceAlias: text,
    InterfaceIndex: optional(number),
    AddressFamily: optional(named(addressFamilies)),
    NlMtu: optional(number),
    Forwarding: optional(onOff),
    Dhcp: optional(onOff),
    ConnectionState: optional(named({0: 'Disconnected', 1: 'Connected'})),
    InterfaceMetric: optional(number),
    AutomaticMetric: optional(onOff),
  }),
  value => ({
    adapter: value.InterfaceAlias,
    index: value.InterfaceIndex,
    family: value.AddressFamily ?? 'IPv4',
    mtu: value.NlMtu,
    forwarding: value.Forwarding,
    dhcp: value.Dhcp,
    state: value.ConnectionState,
    metric: value.InterfaceMetric,
    automaticMetric: value.AutomaticMetric,
  }),
);

export const route = shaped(
  object({
    DestinationPrefix: text,
    NextHop: optional(text),
    InterfaceAlias: optional(text),
    InterfaceIndex: optional(number),
    RouteMetric: optional(number),
    Store: optional(named(routeStores)),
  }),
  value => ({
    prefix: value.DestinationPrefix,
    nextHop: value.NextHop,
    adapter: value.InterfaceAlias,
    index: value.InterfaceIndex,
    metric: value.RouteMetric,
    persistent: /persistent/i.test(value.Store ?? ''),
  }),
);

export const nat = shaped(
  object({Name: text, InternalIPInterfaceAddressPrefix: optional(text), Active: optional(flag)}),
  value => ({
    name: value.Name,
    prefix: value.InternalIPInterfaceAddressPrefix,
    active: value.Active ?? true,
  }),
);

export const binding = shaped(object({Name: text, ComponentID: text, Enabled: flag}), value => ({
  adapter: value.Name,
  component: value.ComponentID.toLowerCase(),
  enabled: value.Enabled,
}));

const firewallRule = shaped(
  object({
    Name: optional(text),
    DisplayName: optional(text),
    Enabled: ruleEnabled,
    Direction: named({1: 'Inbound', 2: 'Outbound'}),
    Action: named({0: 'NotConfigured', 2: 'Allow', 3: 'AllowBypass', 4: 'Block'}),
    Protocol: optional(named(ipProtocols)),
    LocalPort: optional(shaped(list(text), ports => ports.join(','))),
    PolicyStoreSourceType: optional(named(ruleSources)),
  }),
  value => ({
    name: value.Name,
    displayName: value.DisplayName,
    enabled: value.Enabled,
    direction: value.Direction,
    action: value.Action,
    protocol: value.Protocol ?? 'Any',
    localPort: value.LocalPort ?? 'Any',
    source: value.PolicyStoreSourceType,
  }),
);

export const firewall = shaped(
  object({
    Profiles: list(object({Name: text, Enabled: profileEnabled})),
    Rules: list(firewallRule),
    Store: optional(text),
  }),
  value => ({
    profiles: value.Profiles.map(({Name, Enabled}) => ({name: Name, enabled: Enabled})),
    rules: value.Rules,
    /** `ActiveStore`: includes the rules set by Group Policy. */
    store: value.Store,
  }),
);

export const portRange = shaped(object({Protocol: text, Start: number, End: number}), value => ({
  protocol: value.Protocol.toLowerCase(),
  start: value.Start,
  end: value.End,
}));

export const probe = shaped(
  object({Target: text, Kind: text, Ok: flag, Ms: optional(number), Error: optional(text)}),
  value => ({target: value.Target, kind: value.Kind, ok: value.Ok, ms: value.Ms, error: value.Error}),
);

export const dns = shaped(
  object({
    InterfaceAlias: text,
    InterfaceIndex: optional(number),
    AddressFamily: optional(named(addressFamilies)),
    ServerAddresses: optional(commaList),
    Origin: optional(text),
  }),
  value => ({
    adapter: value.InterfaceAlias,
    index: value.InterfaceIndex,
    family: value.AddressFamily ?? (value.ServerAddresses?.[0]?.includes(':') ? 'IPv6' : 'IPv4'),
    servers: value.ServerAddresses ?? [],
    /** `Manual` if configured statically, `Automatic` if received by DHCP. */
    origin: value.Origin,
  }),
);

/** A VFP port of a virtual switch; the name of a pod's port is the id of its endpoint. */
export const vfpPort = shaped(
  object({
    Name: guid,
    FriendlyName: optional(text),
    SwitchName: optional(text),
    MacAddress: optional(mac),
    Enabled: optional(flag),
    Blocked: optional(flag),
    Error: optional(text),
  }),
  value => ({
    id: value.Name,
    name: value.FriendlyName,
    switchId: value.SwitchName,
    mac: value.MacAddress,
    enabled: value.Enabled,
    blocked: value.Blocked,
    /** Why its state could not be read. */
    error: value.Error,
  }),
);
