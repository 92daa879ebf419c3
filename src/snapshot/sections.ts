import {endpoint, namespace, network, portPools} from './hns.js';
import {policyList} from './load-balancers.js';
import {adapter, address, binding, dns, firewall, ipInterface, nat, portRange, probe, route, vfpPort} from './net.js';
import {ovs, ovsFlows} from './ovs.js';
import {plans} from './stored-plans.js';
import {
  anything,
  commaList,
  flag,
  guid,
  list,
  named,
  number,
  object,
  optional,
  type Read,
  shaped,
  text,
  time,
  zonedTime,
} from './values.js';

// One reader per section, from Windows property names to those of the model. Enumerations are numbers if they come from
// ConvertTo-Json of PowerShell 5.1 (MSFT_NetAdapter, MSFT_NetIPAddress, Win32_Service).

/** Win32_Service returns names; Get-Service, through ConvertTo-Json of PowerShell 5.1, numbers. */
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
const taskStates = {0: 'Unknown', 1: 'Disabled', 2: 'Queued', 3: 'Ready', 4: 'Running'};

const os = shaped(
  object({
    Caption: optional(text),
    Version: optional(text),
    BuildNumber: number,
    UBR: optional(number),
    CSName: optional(text),
    LastBootUpTime: optional(time),
    OSLanguage: optional(number),
    SystemTime: optional(zonedTime),
  }),
  value => ({
    caption: value.Caption,
    build: value.BuildNumber,
    revision: value.UBR,
    hostName: value.CSName,
    bootedAt: value.LastBootUpTime,
    language: value.OSLanguage,
    clock: value.SystemTime?.at,
    /** Offset of its local time from UTC, in milliseconds. */
    utcOffset: value.SystemTime?.offset,
  }),
);

const vmSwitch = shaped(
  object({
    Name: text,
    Id: optional(guid),
    SwitchType: optional(named(switchTypes)),
    NetAdapterInterfaceDescription: optional(text),
    AllowManagementOS: optional(flag),
    SoftwareRscEnabled: optional(flag),
  }),
  value => ({
    name: value.Name,
    id: value.Id,
    type: value.SwitchType,
    adapterDescription: value.NetAdapterInterfaceDescription,
    managed: value.AllowManagementOS,
    softwareRsc: value.SoftwareRscEnabled,
  }),
);

const switchExtension = shaped(
  object({
    SwitchName: optional(text),
    SwitchId: optional(guid),
    Id: guid,
    Name: optional(text),
    ExtensionType: optional(named(extensionTypes)),
    Enabled: flag,
    Running: optional(flag),
  }),
  value => ({
    switchName: value.SwitchName,
    switchId: value.SwitchId,
    id: value.Id,
    name: value.Name,
    type: value.ExtensionType,
    enabled: value.Enabled,
    running: value.Running,
  }),
);

const service = shaped(
  object({
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
    Application: optional(text),
    AppParameters: optional(text),
  }),
  value => ({
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
    /** The program that nssm runs as this service, and the arguments of kube-proxy. */
    application: value.Application,
    arguments: value.AppParameters,
  }),
);

const process = shaped(
  object({
    Name: text,
    ProcessId: optional(number),
    StartTime: optional(time),
    ThreadCount: optional(number),
    Service: optional(text),
    CommandLine: optional(text),
  }),
  value => ({
    name: value.Name.replace(/\.exe$/i, '').toLowerCase(),
    id: value.ProcessId,
    startedAt: value.StartTime,
    threads: value.ThreadCount,
    service: value.Service,
    commandLine: value.CommandLine || undefined,
  }),
);

const feature = shaped(
  object({Name: text, InstallState: named({1: 'Enabled', 2: 'Disabled', 3: 'Absent'})}),
  value => ({name: value.Name, state: value.InstallState}),
);

const hotfix = shaped(object({HotFixID: text, InstalledOn: optional(time)}), value => ({
  id: value.HotFixID.toUpperCase(),
  installedAt: value.InstalledOn,
}));

const bootOptions = shaped(
  object({TestSigning: optional(flag), NoIntegrityChecks: optional(flag), LoadOptions: optional(text)}),
  value => ({
    testSigning: value.TestSigning ?? false,
    noIntegrityChecks: value.NoIntegrityChecks ?? false,
    loadOptions: value.LoadOptions,
  }),
);

const drivers = shaped(
  object({
    ovsext: optional(object({Installed: optional(flag), Inf: list(text), Signed: optional(flag)})),
  }),
  ({ovsext}) => ({
    ovsext: {installed: ovsext?.Installed, inf: ovsext?.Inf ?? [], signed: ovsext?.Signed},
  }),
);

const file = shaped(
  object({
    Path: text,
    Exists: optional(flag),
    Length: optional(number),
    LastWriteTime: optional(time),
    Content: optional(text),
    Error: optional(text),
  }),
  value => ({
    path: value.Path,
    exists: value.Exists ?? true,
    length: value.Length,
    writtenAt: value.LastWriteTime,
    content: value.Content,
    /** Why the file could not be read, or the folder could not be listed. */
    error: value.Error,
  }),
);

const registryValue = shaped(object({Path: text, Name: text, Value: anything}), value => ({
  path: value.Path,
  name: value.Name,
  value: value.Value,
}));

/** A machine-wide environment variable; the helper reads a fixed list of them. */
const environmentVariable = shaped(object({Name: text, Value: optional(text)}), value => ({
  name: value.Name,
  value: value.Value ?? '',
}));

const scheduledTask = shaped(
  object({
    TaskName: text,
    State: optional(named(taskStates)),
    LastRunTime: optional(time),
    LastTaskResult: optional(number),
  }),
  value => ({
    name: value.TaskName,
    state: value.State,
    lastRunAt: value.LastRunTime,
    lastResult: value.LastTaskResult,
  }),
);

const hnsService = shaped(
  object({
    ProcessId: optional(number),
    StartedAt: optional(time),
    ThreadCount: optional(number),
    RespondedMs: optional(number),
  }),
  value => ({
    processId: value.ProcessId,
    startedAt: value.StartedAt,
    threads: value.ThreadCount,
    respondedMs: value.RespondedMs,
  }),
);

const event = shaped(
  object({
    TimeCreated: optional(time),
    LogName: optional(text),
    ProviderName: optional(text),
    Id: optional(number),
    LevelDisplayName: optional(text),
    Message: optional(text),
  }),
  value => ({
    at: value.TimeCreated,
    log: value.LogName,
    provider: value.ProviderName,
    id: value.Id,
    level: value.LevelDisplayName,
    message: value.Message ?? '',
  }),
);

const log = shaped(
  object({
    Path: text,
    Length: optional(number),
    LastWriteTime: optional(time),
    Tail: optional(text),
    Error: optional(text),
  }),
  value => ({
    path: value.Path,
    length: value.Length,
    writtenAt: value.LastWriteTime,
    tail: value.Tail ?? '',
    error: value.Error,
  }),
);

const containerd = shaped(object({Config: optional(text), ConfDir: optional(text), BinDirs: list(text)}), value => ({
  config: value.Config,
  confDir: value.ConfDir,
  binDirs: value.BinDirs,
}));

export const sectionReaders = {
  os,
  hnsNetworks: list(network),
  hnsEndpoints: list(endpoint),
  hnsPolicyLists: list(policyList),
  hnsNamespaces: list(namespace),
  hnsPortPools: portPools,
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
  vfpPorts: list(vfpPort),
  ovs,
  ovsFlows: list(ovsFlows),
  services: list(service),
  processes: list(process),
  firewall,
  windowsFeatures: list(feature),
  hotfixes: list(hotfix),
  bootOptions,
  drivers,
  containerd,
  files: list(file),
  registry: list(registryValue),
  environment: list(environmentVariable),
  scheduledTasks: list(scheduledTask),
  excludedPorts: list(portRange),
  dynamicPorts: list(portRange),
  events: list(event),
  logs: list(log),
  probes: list(probe),
  plans,
} as const;

/** The normalised sections of a node, by the names of the snapshot's sections. */
export type Sections = {[Name in keyof typeof sectionReaders]: Read<(typeof sectionReaders)[Name]>};

export type Adapter = Sections['netAdapters'][number];
export type Address = Sections['netIPAddresses'][number];
export type Route = Sections['netRoutes'][number];
export type VmSwitch = Sections['vmSwitches'][number];
export type Service = Sections['services'][number];
export type Process = Sections['processes'][number];
export type FileEntry = Sections['files'][number];
