import type {JsonObject} from '../json.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import {after, before, day, hour, nodeTime, second} from '../time.js';
import {commandLineOf} from './programs.js';

export interface ServicePlan {
  name: string;
  display: string;
  path: string;
  mode?: 'Auto' | 'Manual';
  dependsOn?: readonly string[];
  account?: string;
  /** Seconds after boot. */
  after: number;
  /** The process of the service, if it is listed. */
  process?: string;
  threads?: number;
  /** A driver has no process. */
  driver?: boolean;
  /** The program that nssm starts, and its arguments. */
  wraps?: {application: string; arguments: string};
}

const nssm = 'C:\\k\\nssm.exe';

export const nssmService = (name: string, after: number, dependsOn: readonly string[] = []): ServicePlan => ({
  name,
  display: name,
  path: nssm,
  after,
  dependsOn,
});

/** Exists only with the Hyper-V role. */
export const hyperVService = 'vmms';

const commonServices: readonly ServicePlan[] = [
  {
    name: 'hns',
    display: 'Host Network Service',
    path: 'C:\\Windows\\System32\\svchost.exe -k NetSvcs -p',
    mode: 'Manual',
    dependsOn: ['RpcSs', 'nsi', 'vfpext'],
    after: 28,
    process: 'svchost.exe',
    threads: 31,
  },
  {
    name: 'vfpext',
    display: 'Microsoft Azure VFP Switch Extension',
    path: '\\SystemRoot\\system32\\drivers\\vfpext.sys',
    mode: 'Manual',
    account: '',
    after: 26,
    driver: true,
  },
  {
    name: 'vmcompute',
    display: 'Hyper-V Host Compute Service',
    path: 'C:\\Windows\\System32\\vmcompute.exe',
    mode: 'Manual',
    after: 31,
  },
  {
    name: hyperVService,
    display: 'Hyper-V Virtual Machine Management',
    path: 'C:\\Windows\\System32\\vmms.exe',
    dependsOn: ['RpcSs', 'WinMgmt'],
    after: 51,
  },
  {
    name: 'containerd',
    display: 'containerd',
    path: '"C:\\Program Files\\containerd\\containerd.exe" --run-service',
    after: 38,
    process: 'containerd.exe',
    threads: 21,
  },
  {...nssmService('kubelet', 56, ['containerd']), process: 'kubelet.exe', threads: 27},
];

export interface ProcessPlan {
  name: string;
  /** Seconds after boot. */
  after: number;
  threads: number;
}

/** Services and processes of a node that has not changed since boot. */
export function serviceSections(node: NodePlan, services: readonly ServicePlan[], processes: readonly ProcessPlan[]) {
  const random = node.random.for('services');
  const time = (seconds: number) => nodeTime(after(node.bootedAt, seconds * second));
  const all = [...commonServices, ...services].map(plan => ({plan, id: plan.driver ? 0 : 4 * random.int(200, 2700)}));
  // An nssm service and the program that it starts are two processes.
  const processId = (plan: ServicePlan, id: number) => (plan.path === nssm ? 4 * random.int(200, 2700) : id);
  const hns = all.find(({plan}) => plan.name === 'hns');
  const hnsStart = time(hns?.plan.after ?? 0);
  const threads = random.int(26, 44);
  return {
    services: all.map(({plan, id}) => ({
      Name: plan.name,
      DisplayName: plan.display,
      State: 'Running',
      StartMode: plan.mode ?? 'Auto',
      ProcessId: id,
      ExitCode: 0,
      PathName: plan.path,
      ...(plan.wraps && {Application: plan.wraps.application, AppParameters: plan.wraps.arguments}),
      StartName: plan.account ?? 'LocalSystem',
      DependsOn: plan.dependsOn ?? [],
      StartedAt: time(plan.after),
    })),
    processes: [
      ...all
        .filter(({plan}) => plan.process)
        .map(({plan, id}) => ({
          Name: plan.process,
          ProcessId: processId(plan, id),
          StartTime: time(plan.after + (plan.path === nssm ? 2 : 0)),
          ThreadCount: plan.name === 'hns' ? threads : (plan.threads ?? 10),
          ...(plan.name === 'hns' && {Service: 'hns'}),
          ...commandLineOf(plan.process),
        })),
      ...processes.map(({name, after, threads}) => ({
        Name: name,
        ProcessId: 4 * random.int(200, 2700),
        StartTime: time(after),
        ThreadCount: threads,
        ...commandLineOf(name),
      })),
    ],
    hnsService: {ProcessId: hns?.id, StartedAt: hnsStart, ThreadCount: threads, RespondedMs: random.int(8, 40)},
  };
}

export function processIdOf(sections: {processes: readonly JsonObject[]}, name: string): unknown {
  return sections.processes.find(process => process.Name === name)?.ProcessId;
}

/** The sections of a Windows node that do not depend on the network plugin. */
export function commonSections(cluster: ClusterPlan, node: NodePlan): JsonObject {
  const {release, random} = node;
  const boot = (milliseconds: number) => nodeTime(before(node.bootedAt, milliseconds));
  return {
    os: {
      Caption: release.caption,
      Version: release.version,
      BuildNumber: release.build,
      UBR: release.revision,
      CSName: node.name.toUpperCase().slice(0, 15),
      LastBootUpTime: nodeTime(node.bootedAt),
      InstallDate: nodeTime(before(node.joinedAt, 12 * day + 5 * hour)),
      OSLanguage: 1033,
      SystemTime: nodeTime(cluster.now),
    },
    netNats: [],
    windowsFeatures: [
      {Name: 'Containers', InstallState: 'Enabled'},
      {Name: 'Microsoft-Hyper-V', InstallState: 'Enabled'},
      {Name: 'Microsoft-Hyper-V-Management-PowerShell', InstallState: 'Enabled'},
      {Name: 'RemoteAccess', InstallState: 'Disabled'},
    ],
    hotfixes: release.hotfixes.map((id, index) => ({
      HotFixID: id,
      InstalledOn: `${boot((9 + 28 * index) * day).slice(0, 10)}T00:00:00+00:00`,
    })),
    bootOptions: {TestSigning: false, NoIntegrityChecks: false, LoadOptions: null},
    registry: [{Path: 'HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion', Name: 'UBR', Value: release.revision}],
    scheduledTasks: [],
    excludedPorts: [
      {Protocol: 'tcp', Start: 5985, End: 5985},
      {Protocol: 'tcp', Start: 47001, End: 47001},
    ],
    dynamicPorts: ['tcp', 'udp'].map(Protocol => ({Protocol, Start: 49152, End: 65535})),
    events: [],
    probes: [
      {Target: `${cluster.apiServer}:6443`, Kind: 'tcp', Ok: true, Ms: random.int(1, 4), Error: null},
      {Target: `${node.address}:10250`, Kind: 'tcp', Ok: true, Ms: random.int(1, 4), Error: null},
      {Target: node.gateway, Kind: 'icmp', Ok: true, Ms: random.int(1, 4), Error: null},
    ],
    plans: [],
  };
}

/** Why a node has no `ovs` section. */
export const withoutOvs = {
  kind: 'NotInstalled',
  message: 'ovs-vsctl.exe was not found',
};

export const kubeletRule = {
  DisplayName: 'kubelet',
  Enabled: true,
  Direction: 'Inbound',
  Action: 'Allow',
  Protocol: 'TCP',
  LocalPort: '10250',
  Name: 'kubelet',
};

export const firewall = (enabled: boolean, rules: readonly JsonObject[]) => ({
  Profiles: ['Domain', 'Private', 'Public'].map(name => ({Name: name, Enabled: enabled})),
  Rules: rules.map(rule => ({...rule, PolicyStoreSourceType: 'Local'})),
  Store: 'ActiveStore',
});

export const file = (path: string, written: Date, content: string): JsonObject => ({
  Path: path,
  Exists: true,
  Length: Buffer.byteLength(content),
  LastWriteTime: nodeTime(written),
  Content: content,
});

export const binary = (path: string, written: Date, length: number): JsonObject => ({
  Path: path,
  Exists: true,
  Length: length,
  LastWriteTime: nodeTime(written),
});

export const noFile = (path: string): JsonObject => ({Path: path, Exists: false, Length: null, LastWriteTime: null});

export const containerdConfig = (
  node: NodePlan,
  binaries = 'C:\\opt\\cni\\bin',
  configurations = 'C:\\etc\\cni\\net.d',
): JsonObject =>
  file(
    'C:\\Program Files\\containerd\\config.toml',
    before(node.bootedAt, 61 * day),
    `version = 2

[plugins]
  [plugins."io.containerd.grpc.v1.cri"]
    sandbox_image = "registry.k8s.io/pause:3.9"
    [plugins."io.containerd.grpc.v1.cri".cni]
      bin_dir = '${binaries}'
      conf_dir = '${configurations}'
`,
  );

export const startKubelet = (node: NodePlan, prelude: readonly string[] = []): JsonObject =>
  file(
    'C:\\k\\StartKubelet.ps1',
    node.joinedAt,
    [
      '$FileContent = Get-Content -Path "/var/lib/kubelet/kubeadm-flags.env"',
      "$kubeletArgs = $FileContent.TrimStart('KUBELET_KUBEADM_ARGS=').Trim('\"')",
      ...prelude,
      `$cmd = "C:\\k\\kubelet.exe $kubeletArgs --cert-dir=C:/var/lib/kubelet/pki --config=C:/var/lib/kubelet/config.yaml --hostname-override=${node.name} --kubeconfig=/etc/kubernetes/kubelet.conf"`,
      'Invoke-Expression $cmd',
      '',
    ].join('\r\n'),
  );

export const log = (path: string, length: number, written: Date, lines: readonly string[]): JsonObject => ({
  Path: path,
  Length: length,
  LastWriteTime: nodeTime(written),
  Tail: lines.join('\n'),
});
