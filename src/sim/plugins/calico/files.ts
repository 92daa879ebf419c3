import type {JsonObject} from '../../json.js';
import {binary, containerdConfig, file, log, noFile, startKubelet} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, second} from '../../time.js';
import {block, bootNote, felixLog, nodeLog, nodeNameFile, vni} from './names.js';

export function calicoFiles(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const installed = after(node.bootedAt, 122 * second);
  return [
    containerdConfig(node),
    file('C:\\etc\\cni\\net.d\\10-calico.conflist', installed, cniConfig(cluster)),
    binary('C:\\opt\\cni\\bin\\calico.exe', installed, random.int(50_000_000, 60_000_000)),
    binary('C:\\opt\\cni\\bin\\calico-ipam.exe', installed, random.int(20_000_000, 60_000_000)),
    file(nodeNameFile, after(node.bootedAt, 199 * second), node.name),
    startKubelet(node),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\run\\flannel\\subnet.env'),
    noFile('C:\\sourcevip\\sourceVip.json'),
    noFile('C:\\etc\\cni\\net.d\\10-antrea.conflist'),
    noFile('C:\\openvswitch\\etc\\openvswitch\\conf.db'),
  ];
}

function cniConfig({serviceNetwork, dnsService}: ClusterPlan): string {
  const policy = (value: object) => ({Name: 'EndpointPolicy', Value: value});
  const plugin = {
    type: 'calico',
    name: 'Calico',
    mode: 'vxlan',
    vxlan_mac_prefix: '0E-2A',
    vxlan_vni: vni,
    windows_use_single_network: true,
    windows_loopback_DSR: true,
    policy: {type: 'k8s'},
    log_level: 'Info',
    capabilities: {dns: true},
    DNS: {Nameservers: [dnsService], Search: ['svc.cluster.local']},
    nodename_file: '/var/lib/calico/nodename',
    datastore_type: 'kubernetes',
    kubernetes: {kubeconfig: '/etc/cni/net.d/calico-kubeconfig'},
    ipam: {type: 'calico-ipam', subnet: 'usePodCidr'},
    policies: [
      policy({Type: 'OutBoundNAT', ExceptionList: [serviceNetwork]}),
      policy({Type: 'SDNROUTE', DestinationPrefix: serviceNetwork, NeedEncap: true}),
    ],
  };
  return JSON.stringify({name: 'k8s-pod-network', cniVersion: '0.3.1', plugins: [plugin]}, undefined, 2);
}

/** The time format of Calico's logs. */
const stamp = (date: Date) => date.toISOString().replace('T', ' ').slice(0, 23);

/** The log of a completed node setup. */
export function setUpLines(node: NodePlan, bootedAt: Date, at: Date): string[] {
  const subnet = `{"Name":"Calico","Type":"Overlay","Subnets":[{"AddressPrefix":"${block(node)}","Policies":[{"Type":"VSID","VSID":${vni}}]}]}`;
  return [
    `Management IP detected on vSwitch: ${node.address}.`,
    `Stored new lastBootTime ${bootNote(bootedAt)}`,
    `${stamp(at)} [INFO][5020] startup/dataplane_windows.go 357: Attempting to create HNSNetwork ${subnet} subnet="${block(node)}"`,
    `${stamp(after(at, 3 * second))} [INFO][5020] startup/dataplane_windows.go 553: Created HNSEndpoint Calico_ep`,
    'Calico node initialisation succeeded; monitoring kubelet for restarts...',
  ];
}

export const felixLines = (at: Date): string[] => [
  `${stamp(before(at, second))} [INFO][6212] felix/vxlan_mgr.go 233: All VXLAN route updates succeeded.`,
  `${stamp(at)} [INFO][6212] felix/summary.go 100: Summarising 8 dataplane reconciliation loops over 1m2s`,
];

export function calicoLogs(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const recent = before(cluster.now, 18 * second);
  return [
    log(
      nodeLog,
      random.int(300_000, 900_000),
      before(cluster.now, 26 * second),
      setUpLines(node, node.bootedAt, after(node.bootedAt, 199 * second)),
    ),
    log(felixLog, random.int(300_000, 900_000), recent, felixLines(before(cluster.now, 39 * second))),
  ];
}
