import {z} from 'zod';
import {dnsServers, endpoint, network, policyList} from './hns.js';
import {ovs} from './ovs.js';
import {plan} from './plans.js';
import {commaList, flag, guid, list, mac, named, number, optional, text, time} from './values.js';

// One schema a section, from Windows' own property names to the model's. Numbers stand for names where
// PowerShell 5.1's ConvertTo-Json wrote an enumeration (MSFT_NetAdapter, MSFT_NetIPAddress, Win32_Service).

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
/** Win32_Service has names; Get-Service, through ConvertTo-Json of 5.1, numbers. */
const serviceStates = {
  1: 'Stopped',
  2: 'Start Pending',
  3: 'Stop Pending',
  4: 'Running',
  5: 'Continue Pending',
  6: 'Pause Pending',
  7: 'Paused',
};
const startModes = {0: 'Boot', 1: 'System', 2: 'Auto', 3: 'Manual', 4: 'Disabled'};
const switchTypes = {0: 'Private', 1: 'Internal', 2: 'External'};
const extensionTypes = {1: 'Capture', 2: 'Filter', 3: 'Forwarding'};
const routeStores = {0: 'PersistentStore', 1: 'ActiveStore'};
const taskStates = {0: 'Unknown', 1: 'Disabled', 2: 'Queued', 3: 'Ready', 4: 'Running'};
const ipProtocols = {1: 'ICMPv4', 6: 'TCP', 17: 'UDP', 58: 'ICMPv6', 256: 'Any'};
/** MSFT_NetIPInterface has 0 for disabled, 1 for enabled; some versions 2. */
const onOff = z.union([flag, z.literal(2).transform(() => true)]);
/** MSFT_NetFirewallRule has 1 for enabled and 2 for disabled. */
const ruleEnabled = z.union([z.literal([2, '2']).transform(() => false), flag]);
/** MSFT_NetFirewallProfile has 2 for "not configured", and then the firewall is on. */
const profileEnabled = z.union([z.literal([2, '2', 'NotConfigured']).transform(() => true), flag]);

const os = z
  .looseObject({
    Caption: optional(text),
    Version: optional(text),
    BuildNumber: number,
    UBR: optional(number),
    CSName: optional(text),
    LastBootUpTime: optional(time),
    OSLanguage: optional(number),
    SystemTime: optional(time),
  })
  .transform(value => ({
    caption: value.Caption,
    build: value.BuildNumber,
    revision: value.UBR,
    hostName: value.CSName,
    bootedAt: value.LastBootUpTime,
    language: value.OSLanguage,
    clock: value.SystemTime,
  }));

const adapter = z
  .looseObject({
    Name: text,
    InterfaceDescription: optional(text),
    InterfaceIndex: optional(number),
    InterfaceGuid: optional(guid),
    Status: optional(named(operationalStatus)),
    MacAddress: optional(mac),
    MtuSize: optional(number),
    Virtual: optional(flag),
    HardwareInterface: optional(flag),
    LinkSpeed: optional(text),
    ComponentID: optional(text),
  })
  .transform(value => ({
    name: value.Name,
    description: value.InterfaceDescription,
    index: value.InterfaceIndex,
    guid: value.InterfaceGuid,
    status: value.Status,
    mac: value.MacAddress,
    mtu: value.MtuSize,
    virtual: value.Virtual ?? false,
    hardware: value.HardwareInterface ?? false,
    speed: value.LinkSpeed,
    component: value.ComponentID,
  }));

const address = z
  .looseObject({
    InterfaceAlias: text,
    InterfaceIndex: optional(number),
    IPAddress: text,
    PrefixLength: optional(number),
    AddressFamily: optional(named(addressFamilies)),
    PrefixOrigin: optional(named(prefixOrigins)),
    AddressState: optional(named(addressStates)),
  })
  .transform(value => ({
    adapter: value.InterfaceAlias,
    index: value.InterfaceIndex,
    ip: value.IPAddress.split('%')[0] ?? value.IPAddress,
    prefixLength: value.PrefixLength,
    family: value.AddressFamily ?? (value.IPAddress.includes(':') ? 'IPv6' : 'IPv4'),
    origin: value.PrefixOrigin,
    state: value.AddressState,
  }));

const ipInterface = z
  .looseObject({
    InterfaceAlias: text,
    InterfaceIndex: optional(number),
    AddressFamily: optional(named(addressFamilies)),
    NlMtu: optional(number),
    Forwarding: optional(onOff),
    Dhcp: optional(onOff),
    ConnectionState: optional(named({0: 'Disconnected', 1: 'Connected'})),
  })
  .transform(value => ({
    adapter: value.InterfaceAlias,
    index: value.InterfaceIndex,
    family: value.AddressFamily ?? 'IPv4',
    mtu: value.NlMtu,
    forwarding: value.Forwarding,
    dhcp: value.Dhcp,
    state: value.ConnectionState,
  }));

const route = z
  .looseObject({
    DestinationPrefix: text,
    NextHop: optional(text),
    InterfaceAlias: optional(text),
    InterfaceIndex: optional(number),
    RouteMetric: optional(number),
    Store: optional(named(routeStores)),
  })
  .transform(value => ({
    prefix: value.DestinationPrefix,
    nextHop: value.NextHop,
    adapter: value.InterfaceAlias,
    index: value.InterfaceIndex,
    metric: value.RouteMetric,
    persistent: /persistent/i.test(value.Store ?? ''),
  }));

const nat = z
  .looseObject({Name: text, InternalIPInterfaceAddressPrefix: optional(text), Active: optional(flag)})
  .transform(value => ({
    name: value.Name,
    prefix: value.InternalIPInterfaceAddressPrefix,
    active: value.Active ?? true,
  }));

const binding = z
  .looseObject({Name: text, ComponentID: text, Enabled: flag})
  .transform(value => ({adapter: value.Name, component: value.ComponentID.toLowerCase(), enabled: value.Enabled}));

const vmSwitch = z
  .looseObject({
    Name: text,
    Id: optional(guid),
    SwitchType: optional(named(switchTypes)),
    NetAdapterInterfaceDescription: optional(text),
    AllowManagementOS: optional(flag),
  })
  .transform(value => ({
    name: value.Name,
    id: value.Id,
    type: value.SwitchType,
    adapterDescription: value.NetAdapterInterfaceDescription,
    managed: value.AllowManagementOS,
  }));

const switchExtension = z
  .looseObject({
    SwitchName: optional(text),
    SwitchId: optional(guid),
    Id: guid,
    Name: optional(text),
    ExtensionType: optional(named(extensionTypes)),
    Enabled: flag,
    Running: optional(flag),
  })
  .transform(value => ({
    switchName: value.SwitchName,
    switchId: value.SwitchId,
    id: value.Id,
    name: value.Name,
    type: value.ExtensionType,
    enabled: value.Enabled,
    running: value.Running,
  }));

const service = z
  .looseObject({
    Name: text,
    DisplayName: optional(text),
    Description: optional(text),
    State: named(serviceStates),
    StartMode: optional(named(startModes)),
    ProcessId: optional(number),
    ExitCode: optional(number),
    PathName: optional(text),
    StartName: optional(text),
    DependsOn: optional(commaList),
    StartedAt: optional(time),
  })
  .transform(value => ({
    name: value.Name,
    displayName: value.DisplayName,
    description: value.Description,
    state: value.State,
    startMode: value.StartMode,
    processId: value.ProcessId,
    exitCode: value.ExitCode,
    path: value.PathName,
    user: value.StartName,
    dependsOn: value.DependsOn ?? [],
    startedAt: value.StartedAt,
  }));

const process = z
  .looseObject({
    Name: text,
    ProcessId: optional(number),
    StartTime: optional(time),
    ThreadCount: optional(number),
    Service: optional(text),
    CommandLine: optional(text),
  })
  .transform(value => ({
    name: value.Name.replace(/\.exe$/i, '').toLowerCase(),
    id: value.ProcessId,
    startedAt: value.StartTime,
    threads: value.ThreadCount,
    service: value.Service,
    commandLine: value.CommandLine,
  }));

const firewallRule = z
  .looseObject({
    Name: optional(text),
    DisplayName: optional(text),
    Enabled: ruleEnabled,
    Direction: named({1: 'Inbound', 2: 'Outbound'}),
    Action: named({2: 'Allow', 4: 'Block'}),
    Protocol: optional(named(ipProtocols)),
    LocalPort: optional(z.union([z.array(text).transform(ports => ports.join(',')), text])),
  })
  .transform(value => ({
    name: value.Name,
    displayName: value.DisplayName,
    enabled: value.Enabled,
    direction: value.Direction,
    action: value.Action,
    protocol: value.Protocol ?? 'Any',
    localPort: value.LocalPort ?? 'Any',
  }));

const firewall = z
  .looseObject({
    Profiles: list(z.looseObject({Name: text, Enabled: profileEnabled})),
    Rules: list(firewallRule),
  })
  .transform(value => ({
    profiles: value.Profiles.map(({Name, Enabled}) => ({name: Name, enabled: Enabled})),
    rules: value.Rules,
  }));

const feature = z
  .looseObject({Name: text, InstallState: named({1: 'Enabled', 2: 'Disabled', 3: 'Absent'})})
  .transform(value => ({name: value.Name, state: value.InstallState}));

const hotfix = z
  .looseObject({HotFixID: text, InstalledOn: optional(time)})
  .transform(value => ({id: value.HotFixID.toUpperCase(), installedAt: value.InstalledOn}));

const bootOptions = z
  .looseObject({TestSigning: optional(flag), NoIntegrityChecks: optional(flag), LoadOptions: optional(text)})
  .transform(value => ({
    testSigning: value.TestSigning ?? false,
    noIntegrityChecks: value.NoIntegrityChecks ?? false,
    loadOptions: value.LoadOptions,
  }));

const drivers = z
  .looseObject({
    ovsext: optional(z.looseObject({Installed: optional(flag), Inf: list(text), Signed: optional(flag)})),
  })
  .transform(({ovsext}) => ({
    ovsext: {installed: ovsext?.Installed, inf: ovsext?.Inf ?? [], signed: ovsext?.Signed},
  }));

const file = z
  .looseObject({
    Path: text,
    Exists: optional(flag),
    Length: optional(number),
    LastWriteTime: optional(time),
    Content: optional(text),
  })
  .transform(value => ({
    path: value.Path,
    exists: value.Exists ?? true,
    length: value.Length,
    writtenAt: value.LastWriteTime,
    content: value.Content,
  }));

const registryValue = z
  .looseObject({Path: text, Name: text, Value: z.unknown().optional()})
  .transform(value => ({path: value.Path, name: value.Name, value: value.Value}));

const scheduledTask = z
  .looseObject({
    TaskName: text,
    State: optional(named(taskStates)),
    LastRunTime: optional(time),
    LastTaskResult: optional(number),
  })
  .transform(value => ({
    name: value.TaskName,
    state: value.State,
    lastRunAt: value.LastRunTime,
    lastResult: value.LastTaskResult,
  }));

const portRange = z
  .looseObject({Protocol: text, Start: number, End: number})
  .transform(value => ({protocol: value.Protocol.toLowerCase(), start: value.Start, end: value.End}));

const hnsService = z
  .looseObject({
    ProcessId: optional(number),
    StartedAt: optional(time),
    ThreadCount: optional(number),
    RespondedMs: optional(number),
  })
  .transform(value => ({
    processId: value.ProcessId,
    startedAt: value.StartedAt,
    threads: value.ThreadCount,
    respondedMs: value.RespondedMs,
  }));

const event = z
  .looseObject({
    TimeCreated: optional(time),
    LogName: optional(text),
    ProviderName: optional(text),
    Id: optional(number),
    LevelDisplayName: optional(text),
    Message: optional(text),
  })
  .transform(value => ({
    at: value.TimeCreated,
    log: value.LogName,
    provider: value.ProviderName,
    id: value.Id,
    level: value.LevelDisplayName,
    message: value.Message ?? '',
  }));

const log = z
  .looseObject({Path: text, Length: optional(number), LastWriteTime: optional(time), Tail: optional(text)})
  .transform(value => ({
    path: value.Path,
    length: value.Length,
    writtenAt: value.LastWriteTime,
    tail: value.Tail ?? '',
  }));

const probe = z
  .looseObject({Target: text, Kind: text, Ok: flag, Ms: optional(number), Error: optional(text)})
  .transform(value => ({target: value.Target, kind: value.Kind, ok: value.Ok, ms: value.Ms, error: value.Error}));

const dns = dnsServers.transform(value => ({
  adapter: value.InterfaceAlias,
  index: value.InterfaceIndex,
  servers: value.ServerAddresses ?? [],
}));

export const sectionSchemas = {
  os,
  hnsNetworks: list(network),
  hnsEndpoints: list(endpoint),
  hnsPolicyLists: list(policyList),
  hnsService,
  netAdapters: list(adapter),
  netIPAddresses: list(address),
  netIPInterfaces: list(ipInterface),
  netRoutes: list(route),
  dnsServers: list(dns),
  netNats: list(nat),
  adapterBindings: list(binding),
  vmSwitches: list(vmSwitch),
  vmSwitchExtensions: list(switchExtension),
  ovs,
  services: list(service),
  processes: list(process),
  firewall,
  windowsFeatures: list(feature),
  hotfixes: list(hotfix),
  bootOptions,
  drivers,
  files: list(file),
  registry: list(registryValue),
  scheduledTasks: list(scheduledTask),
  excludedPorts: list(portRange),
  events: list(event),
  logs: list(log),
  probes: list(probe),
  plans: list(plan),
} as const;

/** The normalised sections of a node, by the names of the snapshot's sections. */
export type Sections = {[Name in keyof typeof sectionSchemas]: z.output<(typeof sectionSchemas)[Name]>};

export type Adapter = Sections['netAdapters'][number];
export type Address = Sections['netIPAddresses'][number];
export type Route = Sections['netRoutes'][number];
export type VmSwitch = Sections['vmSwitches'][number];
export type Service = Sections['services'][number];
export type Process = Sections['processes'][number];
export type FileEntry = Sections['files'][number];
