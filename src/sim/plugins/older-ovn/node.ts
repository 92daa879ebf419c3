import {host} from '../../addresses.js';
import type {JsonObject} from '../../json.js';
import {extensionsOf, HnsFactory} from '../../node/hns.js';
import type {HostNetwork, SimulatedAdapter} from '../../node/host-network.js';
import type {NodeState} from '../../node/state.js';
import {switchSections} from '../../node/switches.js';
import {
  commonSections,
  firewall,
  hyperVService,
  kubeletRule,
  processIdOf,
  type ServicePlan,
  serviceSections,
} from '../../node/windows.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {dashed} from '../../random.js';
import {after, fileTime, minute} from '../../time.js';
import {hostUplinkDescription, hostUplinkMac, hostUplinkName, prefixLength, switchedHost} from '../host.js';
import {olderOvnFiles, olderOvnLogs} from './files.js';
import {
  agentService,
  controllerLog,
  home,
  managementAddress,
  managementMac,
  managementPort,
  networkName,
  ovsDatabase,
  ovsHome,
  ovsRunFolder,
  podMac,
  podMtu,
  portName,
  program,
  vswitchdLog,
} from './names.js';
import {olderOvnTables} from './ovs.js';

export interface OlderOvnAdapters {
  uplink: SimulatedAdapter;
  /** The management vNIC, which is also an OVS bridge. */
  host: SimulatedAdapter;
  bridge: SimulatedAdapter;
  management: SimulatedAdapter;
  pods: Map<string, SimulatedAdapter>;
}

/** A healthy Windows node with OVN-Kubernetes until 2020: OVS and OVN as services, the network created by a script. */
export function olderOvnNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const {network, management} = switchedHost(node);
  const adapters = addAdapters(cluster, node, network, management);
  const services = serviceSections(node, olderOvnServices, []);
  const common = commonSections(cluster, node);
  const probes = Array.isArray(common.probes) ? common.probes : [];
  return {
    sections: {
      ...common,
      ...hnsSections(cluster, node),
      ...network.sections(),
      ...switchSections(
        [{name: networkName, uplink: hostUplinkDescription, extensions: extensions(node)}],
        node.random.for('switches'),
      ),
      ovs: olderOvnTables(cluster, node, adapters),
      ...services,
      firewall: firewall(true, [kubeletRule, geneveRule]),
      bootOptions: {TestSigning: false, NoIntegrityChecks: false, LoadOptions: null},
      drivers: {ovsext: {Installed: true, Inf: [`oem${node.random.for('inf').int(2, 12)}.inf`], Signed: true}},
      files: olderOvnFiles(cluster, node, processIdOf(services, 'ovs-vswitchd.exe')),
      logs: olderOvnLogs(cluster, node),
      environment: [
        {Name: 'OVS_RUNDIR', Value: `${ovsRunFolder}\\`},
        {Name: 'OVS_LOGDIR', Value: `${ovsHome}\\logs\\`},
        {Name: 'OVS_SYSCONFDIR', Value: `${ovsHome}\\conf\\`},
      ],
      probes: [...probes, {Target: `${cluster.apiServer}:6642`, Kind: 'tcp', Ok: true, Ms: 3, Error: null}],
    },
    errors: {},
  };
}

/** The same extension under the vendor's name. */
const extensions = (node: NodePlan) =>
  extensionsOf(node.release, 'ovs', true).map(extension =>
    extension.name === 'Open vSwitch Extension' ? {...extension, name: `Cloudbase ${extension.name}`} : extension,
  );

const geneveRule = {
  DisplayName: 'Open vSwitch OVN GENEVE Port',
  Enabled: true,
  Direction: 'Inbound',
  Action: 'Allow',
  Protocol: 'UDP',
  LocalPort: '6081',
  Name: 'Open vSwitch OVN GENEVE Port',
};

const ovsService = (
  name: string,
  display: string,
  rest: string,
  dependsOn: string[],
  seconds: number,
): ServicePlan => ({
  name,
  display,
  path: `"${ovsHome}\\bin\\${name}.exe" ${rest}`,
  dependsOn,
  after: seconds,
  process: `${name}.exe`,
  threads: 4,
});

const olderOvnServices: ServicePlan[] = [
  ovsService(
    'ovsdb-server',
    'Open vSwitch DB Service',
    `--log-file="${ovsHome}\\logs\\ovsdb-server.log" --pidfile --service --service-monitor --unixctl="${ovsRunFolder}\\ovsdb-server.ctl" --remote=punix:"${ovsRunFolder}\\db.sock" "${ovsDatabase}"`,
    [hyperVService],
    40,
  ),
  ovsService(
    'ovs-vswitchd',
    'Open vSwitch Service',
    `--log-file="${vswitchdLog}" unix:"${ovsRunFolder}\\db.sock" --unixctl="${ovsRunFolder}\\ovs-vswitchd.ctl" --pidfile --service --service-monitor`,
    ['ovsdb-server'],
    43,
  ),
  ovsService(
    'ovn-controller',
    'OVN Controller Service',
    `--log-file="${controllerLog}" unix:"${ovsRunFolder}\\db.sock" --unixctl="${ovsRunFolder}\\ovn-controller.ctl" --pidfile --service --service-monitor`,
    ['ovs-vswitchd'],
    95,
  ),
  {
    name: agentService,
    display: 'OVN Kubernetes Node',
    path: `"${home}\\servicewrapper.exe" --config "${home}\\ovnkube-servicewrapper-config.ini"`,
    dependsOn: ['ovn-controller'],
    after: 150,
    process: program,
    threads: 19,
  },
];

function addAdapters(
  cluster: ClusterPlan,
  node: NodePlan,
  network: HostNetwork,
  host: SimulatedAdapter,
): OlderOvnAdapters {
  const uplink = network.named(hostUplinkName(node)) ?? {
    name: hostUplinkName(node),
    index: 6,
    mac: hostUplinkMac(node),
    mtu: 1500,
  };
  const ports = addInternalPorts(cluster, node, network, 21);
  const pods = new Map(
    node.pods.map((pod, number) => {
      const fields = {name: `vEthernet (${portName(pod)})`, description: '', index: 50 + number, mac: podMac(pod)};
      return [pod.name, network.adapter({...fields, mtu: podMtu, elsewhere: true})] as const;
    }),
  );
  return {uplink, host, ...ports, pods};
}

/** The adapters of ovs-vswitchd: the bridge, and the host's port to the pods with its address and routes. */
function addInternalPorts(
  cluster: ClusterPlan,
  node: NodePlan,
  network: HostNetwork,
  index: number,
): {bridge: SimulatedAdapter; management: SimulatedAdapter} {
  const description = 'Hyper-V Virtual Ethernet Adapter';
  const bridge = network.adapter({
    name: 'br-int',
    description: `${description} #2`,
    index,
    mac: node.random.for('br-int').mac('00:15:5d'),
    mtu: 1500,
  });
  const management = network.adapter({
    name: managementPort(node),
    description: `${description} #3`,
    index: index + 1,
    mac: managementMac(node),
    mtu: podMtu,
  });
  network.address(management, managementAddress(node), prefixLength(node.podCIDR), 'Manual');
  for (const range of [cluster.podNetwork, cluster.serviceNetwork])
    network.route(range, host(node.podCIDR, 1), management);
  return {bridge, management};
}

function hnsSections(cluster: ClusterPlan, node: NodePlan): JsonObject {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const count = node.pods.length;
  const network: JsonObject = {
    ...factory.network(after(node.joinedAt, 35 * minute), {
      name: networkName,
      type: 'Transparent',
      subnets: [{prefix: node.podCIDR, gateway: host(node.podCIDR, 1)}],
      extensions: extensions(node),
      ManagementIP: node.address,
      NetworkAdapterName: hostUplinkName(node),
    }),
    CurrentEndpointCount: count,
    MaxConcurrentEndpoints: count,
    TotalEndpoints: count + 3,
  };
  return {
    hnsNetworks: [network],
    hnsEndpoints: node.pods.map(pod => factory.endpoint(pod.startedAt, network, podEndpoint(cluster, node, pod))),
    hnsPolicyLists: [],
  };
}

export function podEndpoint(cluster: ClusterPlan, node: NodePlan, pod: PodPlan): JsonObject {
  return {
    CreateProcessingStartTime: fileTime(pod.startedAt),
    DNSServerList: cluster.dnsService,
    DNSSuffix: `${pod.namespace}.svc.cluster.local,svc.cluster.local,cluster.local`,
    GatewayAddress: host(node.podCIDR, 1),
    IPAddress: pod.address,
    MacAddress: dashed(podMac(pod)),
    Name: portName(pod),
    Namespace: {ID: pod.random.for('namespace').uuid()},
    PrefixLength: prefixLength(node.podCIDR),
    SharedContainers: [pod.sandbox],
    State: 3,
  };
}
