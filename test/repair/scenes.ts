import type {RawNode} from '../checks/support.js';
import {type Patient, patient} from './support.js';

// Unhealthy nodes, derived from healthy cases: only what a reboot or an accident changes.

// biome-ignore lint/suspicious/noExplicitAny: raw rows as Windows gives them
type Row = any;

const rowsOf = (node: RawNode, section: string): Row[] => node.sections[section] ?? [];

export function drop(node: RawNode, section: string, picks: (row: Row) => boolean): void {
  node.sections[section] = rowsOf(node, section).filter(row => !picks(row));
}

export function setFile(node: RawNode, path: string, rest: Row): void {
  drop(node, 'files', row => row.Path === path);
  rowsOf(node, 'files').push({
    Path: path,
    Exists: true,
    Length: 10,
    LastWriteTime: '2025-01-01T00:00:00+00:00',
    ...rest,
  });
}

export function setService(node: RawNode, name: string, change: Row): void {
  const service = rowsOf(node, 'services').find(row => row.Name === name);
  if (service) Object.assign(service, change);
  else rowsOf(node, 'services').push({Name: name, State: 'Running', StartMode: 'Auto', ProcessId: 4242, ...change});
}

const stopped = {State: 'Stopped', ProcessId: 0, ExitCode: 1067, StartedAt: null};

/** Sets the boot to some minutes ago, and the start of all processes right after it. */
export function bootedAgo(node: RawNode, minutes: number): void {
  const {os} = node.sections;
  const boot = new Date(Date.parse(os.SystemTime) - minutes * 60_000).toISOString();
  os.LastBootUpTime = boot;
  for (const row of [...rowsOf(node, 'processes'), ...rowsOf(node, 'services')]) {
    if (row.StartTime) row.StartTime = boot;
    if (row.StartedAt) row.StartedAt = boot;
  }
}

/** Removes a network, its endpoints and their adapters. */
export function loseNetwork(node: RawNode, name: string): void {
  const network = rowsOf(node, 'hnsNetworks').find(row => row.Name === name);
  const lost = rowsOf(node, 'hnsEndpoints').filter(row => row.VirtualNetwork === network?.ID);
  drop(node, 'hnsNetworks', row => row.Name === name);
  drop(node, 'hnsEndpoints', row => lost.includes(row));
  drop(node, 'netAdapters', row => lost.some(endpoint => row.Name === `vEthernet (${endpoint.Name})`));
}

/** Also removes the switch under a network: the address returns to the NIC. */
export function loseSwitch(node: RawNode, name: string, from: string, to: string): void {
  drop(node, 'vmSwitches', row => row.Name === name);
  drop(node, 'vmSwitchExtensions', row => row.SwitchName === name);
  drop(node, 'netAdapters', row => row.Name === from);
  for (const section of ['netIPAddresses', 'netRoutes', 'dnsServers', 'netIPInterfaces'])
    for (const row of rowsOf(node, section)) if (row.InterfaceAlias === from) row.InterfaceAlias = to;
  for (const row of rowsOf(node, 'adapterBindings')) if (row.Name === to) row.Enabled = row.ComponentID === 'ms_tcpip';
}

export function loseProcess(node: RawNode, ...names: string[]): void {
  drop(node, 'processes', row => names.includes(row.Name));
}

const change = (scene: Patient, act: (node: RawNode) => void, name?: string): Patient => {
  scene.scenario.node(act, name);
  return scene;
};

/** Pods that a reboot stopped have no address until their sandbox is recreated. */
function withoutPodAddresses(scene: Patient, node: string): Patient {
  for (const object of scene.scenario.document.cluster.objects)
    if (object.kind === 'Pod' && object.spec.nodeName === node && !object.spec.hostNetwork) {
      delete object.status.podIP;
      delete object.status.podIPs;
    }
  return scene;
}

export function kubeOvnAfterReboot(): Patient {
  const scene = change(patient('04-kube-ovn-healthy'), node => {
    bootedAgo(node, 45);
    loseNetwork(node, 'kube-ovn');
    loseSwitch(node, 'kube-ovn', 'br-provider', 'Ethernet1');
    drop(node, 'netAdapters', row => ['br-int', 'ovn0'].includes(row.Name));
    drop(node, 'netIPAddresses', row => ['br-int', 'ovn0'].includes(row.InterfaceAlias));
    for (const name of ['ovs-vswitchd', 'kube-ovn', 'ovn-controller']) setService(node, name, stopped);
    loseProcess(node, 'ovs-vswitchd.exe', 'kube-ovn-daemon.exe', 'ovn-controller.exe');
  });
  return withoutPodAddresses(scene, 'kovn-win-1');
}

export function flannelAfterReboot(): Patient {
  const scene = change(
    patient('06-flannel-overlay-healthy', 'fl-win-a'),
    node => {
      bootedAgo(node, 30);
      loseNetwork(node, 'flannel.4096');
      for (const list of rowsOf(node, 'hnsPolicyLists')) list.State = 2;
      setFile(node, 'C:\\sourcevip\\sourceVip.json', {
        Content: '{"cniVersion":"0.3.0","ips":[{"version":"4","address":"10.244.9.2/24","gateway":"10.244.9.1"}]}',
      });
    },
    'fl-win-a',
  );
  return withoutPodAddresses(scene, 'fl-win-a');
}

export function calicoAfterReboot(): Patient {
  const scene = change(
    patient('09-calico-vxlan-healthy', 'cal-win-1'),
    node => {
      bootedAgo(node, 30);
      drop(node, 'hnsEndpoints', row => row.State === 3);
    },
    'cal-win-1',
  );
  return withoutPodAddresses(scene, 'cal-win-1');
}

/** State that a power loss has filled with zero bytes, while HNS has kept the network. */
export function azureWithBrokenState(): Patient {
  const scene = patient('11-azure-cni-after-reboot');
  return change(scene, node => {
    const ext = rowsOf(node, 'hnsNetworks')[0];
    rowsOf(node, 'hnsNetworks').push({...ext, ID: 'E385EB7E-C63B-449A-A21E-F31DA4B4B4A4', Name: 'azure', Flags: 8});
    setFile(node, 'C:\\k\\azure-vnet.json', {Content: '\0\0\0\0'});
    rowsOf(node, 'hnsEndpoints').push({
      ID: '54239CDA-6630-4479-927F-754CB92D6AE4',
      Name: '2dc72fa1-eth0',
      VirtualNetwork: 'E385EB7E-C63B-449A-A21E-F31DA4B4B4A4',
      VirtualNetworkName: 'azure',
      IPAddress: '10.244.3.17',
      State: 4,
      CreateProcessingStartTime: 134100000000000000,
    });
  });
}

/** Only a lock from before the boot. */
export function azureWithStaleLock(): Patient {
  return change(patient('11-azure-cni-after-reboot'), node => {
    drop(node, 'files', row => /azure-vnet\.json$|azure-endpoints/.test(row.Path));
    setFile(node, 'C:\\k\\azure-vnet.json.lock', {});
  });
}

/** win-bridge after a reboot: the routes are missing, and leases of removed containers are left. */
export function winBridgeAfterReboot(): Patient {
  return change(patient('13-win-bridge-outbound-nat'), node => {
    bootedAgo(node, 30);
    drop(node, 'netRoutes', row => row.DestinationPrefix === '10.190.0.0/24');
    setFile(node, 'C:\\var\\lib\\cni\\networks\\l2bridge\\10.190.6.77', {Content: `${'ab'.repeat(32)}\r\neth0`});
  });
}

/** The same node with another plugin in its CNI configuration. */
export function withConf(scene: Patient, type: string, name: string): Patient {
  return change(scene, node => {
    const conf = rowsOf(node, 'files').find(row => /10-l2bridge\.conf$/.test(row.Path));
    conf.Content = JSON.stringify({cniVersion: '0.2.0', name, type, ipam: {type: 'host-local'}});
  });
}

/** Antrea with OVS in its pod: no OVS services; the daemons are processes. */
export function antreaWithOvsInPod(name: string): Patient {
  const scene = patient(name);
  scene.scenario.object('DaemonSet', 'antrea-agent-windows', addOvs).object('Pod', /^antrea-agent-windows/, addOvs);
  return change(scene, node => drop(node, 'services', row => /^ovs/.test(row.Name)));
}

function addOvs(object: Row): void {
  const spec = object.kind === 'Pod' ? object.spec : object.spec.template.spec;
  spec.containers.push({name: 'antrea-ovs', image: 'antrea/antrea-windows:v2.1.0'});
}

/** Antrea with its agent as a service, without a DaemonSet. */
export function antreaAsService(name: string): Patient {
  const scene = patient(name);
  scene.scenario.removeObjects(
    ({kind, metadata}) => /^antrea-agent-windows/.test(metadata.name) && ['DaemonSet', 'Pod'].includes(kind),
  );
  return change(scene, node => setService(node, 'antrea-agent', {StartedAt: node.sections.os.LastBootUpTime}));
}

/** OVN on Windows as it was until 2020. */
export function legacyOvn(): Patient {
  const scene = patient('04-kube-ovn-healthy');
  const isKubeOvn = ({kind, apiVersion}: Row) => kind === 'Deployment' || /kubeovn\.io/.test(apiVersion);
  scene.scenario.removeObjects(isKubeOvn).object('Node', 'kovn-win-1', object => {
    object.metadata.annotations = {ovn_host_subnet: '10.16.0.0/24'};
  });
  return change(scene, node => {
    bootedAgo(node, 45);
    drop(node, 'files', row => /kube-ovn/.test(row.Path));
    drop(node, 'services', row => row.Name === 'kube-ovn');
    loseProcess(node, 'kube-ovn-daemon.exe', 'ovs-vswitchd.exe');
    setService(node, 'ovn-kubernetes-node', stopped);
    setService(node, 'ovs-vswitchd', stopped);
    drop(node, 'netNats', () => true);
    for (const row of rowsOf(node, 'hnsNetworks')) if (row.Name === 'kube-ovn') row.Name = 'external';
    for (const table of Object.values<Row>(node.sections.ovs.Tables)) {
      const ids = table.headings.indexOf('external_ids');
      for (const row of table.data) if (ids >= 0) row[ids] = ['map', []];
    }
  });
}

export function awsVpc(): Patient {
  return change(patient('13-win-bridge-outbound-nat'), node => {
    const conf = rowsOf(node, 'files').find(row => /10-l2bridge\.conf$/.test(row.Path));
    conf.Content = JSON.stringify({cniVersion: '0.3.1', name: 'vpc', type: 'vpc-bridge'});
    for (const row of rowsOf(node, 'hnsNetworks')) if (row.Name === 'l2bridge') row.Name = 'vpcbr0a1b2c3d4e5f';
  });
}

/** Flannel's overlay as installed by setup_windowsnode.ps1: flanneld and kube-proxy as services. */
export function flannelAsService(name = 'fl-win-a'): Patient {
  const scene = patient('06-flannel-overlay-healthy', name);
  scene.scenario.removeObjects(
    ({kind, metadata}) => kind === 'Pod' && /^(kube-flannel-ds-windows|kube-proxy-windows)/.test(metadata.name),
  );
  return change(
    scene,
    node => {
      setService(node, 'flanneld', {});
      setService(node, 'kubeproxy', {});
    },
    name,
  );
}

export const but = change;
