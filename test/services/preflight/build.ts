import {type Raw, Scenario} from '../../checks/support.js';

// Small handwritten snapshots: one Linux node, one prepared Windows node, and what each plugin requires in addition.

const when = '2026-03-04T09:59:30Z';

export function node(name: string, address: string, podCIDR: string, windows: Raw | undefined): Raw {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {'kubernetes.io/os': windows ? 'windows' : 'linux', 'kubernetes.io/arch': 'amd64'},
      annotations: {},
    },
    spec: {podCIDR, podCIDRs: [podCIDR]},
    status: {
      addresses: [{type: 'InternalIP', address}],
      conditions: [{type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: when}],
      nodeInfo: {
        architecture: 'amd64',
        operatingSystem: windows ? 'windows' : 'linux',
        kubeletVersion: 'v1.29.4',
        containerRuntimeVersion: 'containerd://1.7.23',
        ...windows,
      },
    },
  };
}

export const workload = (kind: string, namespace: string, name: string, image: string, pod: Raw = {}): Raw => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: {namespace, name},
  spec: {
    template: {
      spec: {containers: [{name, image}], nodeSelector: {'kubernetes.io/os': 'linux'}, ...pod},
    },
  },
});

export const configMap = (namespace: string, name: string, data: Record<string, string>): Raw => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {namespace, name},
  data,
});

const service = (namespace: string, name: string, clusterIP: string): Raw => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {namespace, name},
  spec: {type: 'ClusterIP', clusterIP, ports: [{port: 443, protocol: 'TCP'}]},
});

export const running = (Name: string, PathName = 'C:\\k\\nssm.exe'): Raw => ({
  Name,
  DisplayName: Name,
  State: 'Running',
  StartMode: 'Auto',
  ProcessId: 1200,
  ExitCode: 0,
  PathName,
});

export const conf = (Path: string, json: Raw): Raw => ({Path, Exists: true, Content: JSON.stringify(json)});

/** A Windows node that is set up for Kubernetes without a plugin. */
export function fresh(): Scenario {
  return new Scenario({
    apiVersion: 'kubectl-win/v1',
    kind: 'Snapshot',
    collectedAt: when,
    cluster: {
      version: 'v1.29.4',
      objects: [
        node('lx-1', '10.0.0.10', '10.244.0.0/24', undefined),
        node('win-1', '10.0.0.21', '10.244.1.0/24', {
          kernelVersion: '10.0.20348.2966',
          osImage: 'Windows Server 2022 Datacenter',
        }),
        configMap('kube-system', 'kubeadm-config', {
          ClusterConfiguration: 'networking:\n  podSubnet: 10.244.0.0/16\n  serviceSubnet: 10.96.0.0/12\n',
        }),
        workload('DaemonSet', 'kube-system', 'kube-proxy', 'registry.k8s.io/kube-proxy:v1.29.4'),
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {namespace: 'kube-system', name: 'coredns'},
          spec: {nodeName: 'lx-1', containers: [{name: 'coredns'}]},
        },
        service('kube-system', 'kube-dns', '10.96.0.10'),
        service('default', 'kubernetes', '10.96.0.1'),
        {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: {namespace: 'default', name: 'kubernetes'},
          endpoints: [{addresses: ['10.0.0.10']}],
          ports: [{port: 6443, protocol: 'TCP'}],
        },
      ],
    },
    nodes: {
      'win-1': {
        sections: {
          os: {
            Caption: 'Microsoft Windows Server 2022 Datacenter',
            BuildNumber: '20348',
            UBR: 2966,
            CSName: 'WIN-1',
            LastBootUpTime: '2026-03-01T06:00:00+00:00',
            SystemTime: '2026-03-04T09:59:30+00:00',
          },
          windowsFeatures: [
            {Name: 'Containers', InstallState: 'Enabled'},
            {Name: 'Microsoft-Hyper-V', InstallState: 'Enabled'},
            {Name: 'Microsoft-Hyper-V-Management-PowerShell', InstallState: 'Enabled'},
            {Name: 'RemoteAccess', InstallState: 'Disabled'},
          ],
          hotfixes: [{HotFixID: 'KB5048654', InstalledOn: '2026-02-17T00:00:00+00:00'}],
          bootOptions: {TestSigning: true, NoIntegrityChecks: false, LoadOptions: null},
          drivers: {ovsext: {Installed: false, Inf: [], Signed: null}},
          services: [running('hns', 'C:\\Windows\\System32\\svchost.exe'), running('containerd'), running('kubelet')],
          processes: [{Name: 'kubelet.exe', ProcessId: 1300}],
          firewall: {Profiles: [{Name: 'Domain', Enabled: false}], Rules: []},
          hnsNetworks: [],
          hnsEndpoints: [],
          vmSwitches: [],
          netAdapters: [
            {
              Name: 'Ethernet0',
              InterfaceDescription: 'Intel(R) Ethernet Controller X710',
              InterfaceIndex: 4,
              Status: 'Up',
              MacAddress: '00-50-56-A7-10-2B',
              Virtual: false,
              HardwareInterface: true,
              ComponentID: 'pci\\ven_8086&dev_1572',
            },
          ],
          netIPAddresses: [
            {
              InterfaceAlias: 'Ethernet0',
              InterfaceIndex: 4,
              IPAddress: '10.0.0.21',
              PrefixLength: 24,
              AddressFamily: 'IPv4',
            },
          ],
          netIPInterfaces: [
            {InterfaceAlias: 'Ethernet0', InterfaceIndex: 4, AddressFamily: 'IPv4', Forwarding: 'Enabled'},
          ],
          netRoutes: [
            {DestinationPrefix: '0.0.0.0/0', NextHop: '10.0.0.1', InterfaceAlias: 'Ethernet0', Store: 'ActiveStore'},
            {DestinationPrefix: '10.0.0.0/24', NextHop: '0.0.0.0', InterfaceAlias: 'Ethernet0', Store: 'ActiveStore'},
          ],
          files: [
            {
              Path: 'C:\\Program Files\\containerd\\config.toml',
              Exists: true,
              Content: "bin_dir = 'C:\\opt\\cni\\bin'\nconf_dir = 'C:\\etc\\cni\\net.d'\n",
            },
            {Path: 'C:\\k\\StartKubelet.ps1', Exists: true, Content: '& C:\\k\\antrea\\Prepare-AntreaAgent.ps1\n'},
          ],
          logs: [],
          scheduledTasks: [],
          probes: [
            {Target: '10.0.0.10:6443', Kind: 'tcp', Ok: true, Ms: 1},
            {Target: '10.0.0.21:10250', Kind: 'tcp', Ok: true, Ms: 1},
          ],
        },
        errors: {ovs: {kind: 'NotInstalled', message: 'ovs-vsctl.exe was not found'}},
      },
    },
  });
}

const emptyOvs: Raw = {
  Version: '3.0.5',
  Tables: {Open_vSwitch: null, Bridge: null, Port: null, Interface: null},
};

/** OVS with one unused bridge. */
export const staleOvs = (bridge: string): Raw => ({
  Version: '3.0.5',
  Tables: {
    Open_vSwitch: null,
    Bridge: {
      headings: ['_uuid', 'name', 'ports'],
      data: [[['uuid', '7a1d030b-70a4-4ce3-b08e-8a3295e20fee'], bridge, ['set', []]]],
    },
    Port: null,
    Interface: null,
  },
});

/** With OVS as Windows services. */
export function withOvs(scenario: Scenario): Scenario {
  return scenario.node(({sections, errors}) => {
    sections.services.push(running('ovsdb-server'), running('ovs-vswitchd'));
    sections.drivers = {ovsext: {Installed: true, Inf: ['oem3.inf'], Signed: false}};
    sections.ovs = emptyOvs;
    delete errors.ovs;
  });
}

export function withKubeProxy(scenario: Scenario): Scenario {
  return scenario.node(({sections}) => {
    sections.services.push(running('kube-proxy'));
    sections.processes.push({Name: 'kube-proxy.exe', ProcessId: 1400});
  });
}

/** Server 2019 instead of 2022. */
export function server2019(scenario: Scenario): Scenario {
  return scenario
    .section('os', os =>
      Object.assign(os, {Caption: 'Microsoft Windows Server 2019 Datacenter', BuildNumber: '17763', UBR: 6659}),
    )
    .object('Node', 'win-1', its => {
      its.status.nodeInfo.kernelVersion = '10.0.17763.6659';
      its.status.nodeInfo.osImage = 'Windows Server 2019 Datacenter';
    });
}
