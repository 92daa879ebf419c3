import {host} from '../../addresses.js';
import type {JsonObject} from '../../json.js';
import {extensionsOf, HnsFactory} from '../../node/hns.js';
import {HostNetwork, type SimulatedAdapter} from '../../node/host-network.js';
import type {NodeState} from '../../node/state.js';
import {switchSections} from '../../node/switches.js';
import {
  commonSections,
  firewall,
  kubeletRule,
  type ProcessPlan,
  processIdOf,
  serviceSections,
} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {dashed} from '../../random.js';
import {after, minute, nodeTime, second} from '../../time.js';
import {nodesOf, runsAsService} from '../plugin.js';
import {antreaFiles, antreaLogs} from './files.js';
import {
  agentKubeconfig,
  agentService,
  bootTask,
  gatewayName,
  hasOvsInPod,
  hnsNetworkName,
  home,
  name,
  ovsPrograms,
  podMac,
  portName,
  uplinkMac,
  uplinkName,
  virtualNodePortIP,
  virtualServiceIP,
} from './names.js';
import {antreaOvs} from './ovs.js';

const uplinkDescription = 'vmxnet3 Ethernet Adapter';
const natSubnet = '172.28.96.0/20';
/** 1500 minus the Geneve overhead. */
export const podMtu = 1450;

export interface AntreaAdapters {
  uplink: SimulatedAdapter;
  bridge: SimulatedAdapter;
  gateway: SimulatedAdapter;
  pods: Map<string, SimulatedAdapter>;
}

/** A healthy Antrea node: OVS as Windows services, the agent in a HostProcess pod, no kube-proxy. */
export function antreaNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const {release} = node;
  const network = new HostNetwork(node.random.for('network'));
  const adapters = addAdapters(cluster, node, network);
  const hns = hnsSections(cluster, node);
  const agent = {name: 'antrea-agent.exe', after: 192, threads: 22};
  const isService = runsAsService(cluster, name);
  const services = hasOvsInPod(cluster)
    ? serviceSections(node, [], [...ovsPrograms.map(program => ({name: program, after: 191, threads: 5})), agent])
    : serviceSections(
        node,
        isService ? [...ovsServices, agentAsService(agent)] : ovsServices,
        isService ? [] : [agent],
      );
  return {
    sections: {
      ...commonSections(cluster, node),
      ...hns,
      ...network.sections(),
      netNats: antreaNats(node),
      ...switchSections(
        [
          {name: hnsNetworkName, uplink: uplinkDescription, extensions: extensionsOf(release, 'ovs', true)},
          {name: 'nat', extensions: extensionsOf(release, 'none', true)},
        ],
        node.random.for('switches'),
      ),
      ovs: antreaOvs(node, adapters),
      ...services,
      ...(isService && {environment: environment(node)}),
      firewall: firewall(false, [...antreaRules, kubeletRule]),
      drivers: {ovsext: {Installed: true, Inf: [`oem${node.random.for('inf').int(2, 12)}.inf`], Signed: true}},
      files: antreaFiles(cluster, node, {
        ovsdb: processIdOf(services, 'ovsdb-server.exe'),
        vswitchd: processIdOf(services, 'ovs-vswitchd.exe'),
      }),
      scheduledTasks: [
        {
          TaskName: bootTask,
          State: 'Ready',
          LastRunTime: nodeTime(after(node.bootedAt, 35 * second)),
          LastTaskResult: 0,
        },
      ],
      logs: antreaLogs(cluster, node, hns.hnsNetworks[0]?.ID),
    },
    errors: {},
  };
}

const ovsServices = [
  {
    name: 'ovsdb-server',
    display: 'Open vSwitch ovsdb-server',
    path: 'C:\\openvswitch\\usr\\sbin\\ovsdb-server.exe C:\\openvswitch\\etc\\openvswitch\\conf.db -vfile:info --remote=punix:db.sock --remote=ptcp:6640:127.0.0.1 --log-file --pidfile --service --service-monitor',
    after: 41,
    process: 'ovsdb-server.exe',
    threads: 4,
  },
  {
    name: 'ovs-vswitchd',
    display: 'Open vSwitch ovs-vswitchd',
    path: 'C:\\openvswitch\\usr\\sbin\\ovs-vswitchd.exe --pidfile -vfile:info --log-file --service --service-monitor',
    dependsOn: ['ovsdb-server'],
    after: 44,
    process: 'ovs-vswitchd.exe',
    threads: 6,
  },
];

const agentAsService = ({name: process, after, threads}: ProcessPlan) => ({
  name: agentService,
  display: 'Antrea Agent',
  path: `${home}\\antrea-service.exe --config ${home}\\conf\\antrea-agent.conf`,
  after,
  process,
  threads,
});

/** The environment variables of the documentation. */
const environment = (node: NodePlan): JsonObject[] =>
  Object.entries({
    NODE_NAME: node.name,
    KUBECONFIG: agentKubeconfig,
    Antrea_Home: home,
    Antrea_LogDir: `${home}\\logs`,
    OVS_RUNDIR: 'C:\\openvswitch\\var\\run\\openvswitch',
  }).map(([Name, Value]) => ({Name, Value}));

const antreaRule = (display: string, direction: string) => ({
  DisplayName: display,
  Enabled: true,
  Direction: direction,
  Action: 'Allow',
  Protocol: 'Any',
  LocalPort: 'Any',
});

export const antreaRules = [
  antreaRule('Antrea: accept packets from local Pods', 'Inbound'),
  antreaRule('Antrea: accept packets to local Pods', 'Outbound'),
];

function addAdapters(cluster: ClusterPlan, node: NodePlan, network: HostNetwork): AntreaAdapters {
  const mac = uplinkMac(node);
  const uplink = network.physical(
    {name: uplinkName(node), description: uplinkDescription, index: 4, mac, mtu: 1500, dhcp: node.dhcp},
    true,
  );
  // The agent renames the management vNIC to the name of the bridge, so the node's address is on `br-int`.
  const bridge = network.adapter({
    name: 'br-int',
    description: 'Hyper-V Virtual Ethernet Adapter',
    index: 14,
    mac,
    mtu: 1500,
    dhcp: node.dhcp,
    forwarding: true,
  });
  const pods = new Map(
    node.pods.map((pod, number) => {
      const alias = `vEthernet (${portName(pod)})`;
      const fields = {name: alias, description: '', index: 40 + number, mac: podMac(pod), mtu: podMtu};
      return [pod.name, network.adapter({...fields, elsewhere: true})] as const;
    }),
  );
  const nat = network.adapter({
    name: 'vEthernet (nat)',
    description: 'Hyper-V Virtual Ethernet Container Adapter',
    index: 33,
    mac: node.random.for('nat').mac('00:15:5d'),
    mtu: 1500,
  });
  network.defaultRoute(bridge, node.gateway, !node.dhcp);
  network.address(bridge, node.address, node.prefix, node.dhcp ? 'Dhcp' : 'Manual');
  const gateway = addGateway(cluster, node, network, 21);
  network.address(nat, host(natSubnet, 1), 20, 'Manual');
  network.dns(bridge, [node.nameServer]);
  return {uplink, bridge, gateway, pods};
}

/** The gateway of the pods, and the host's route to pods and Services. */
export function addGateway(
  cluster: ClusterPlan,
  node: NodePlan,
  network: HostNetwork,
  index: number,
): SimulatedAdapter {
  const gateway = network.adapter({
    name: gatewayName,
    description: 'Hyper-V Virtual Ethernet Adapter #2',
    index,
    mac: node.random.for('gateway').mac('00:15:5d'),
    mtu: podMtu,
    forwarding: true,
  });
  network.address(gateway, host(node.podCIDR, 1), Number(node.podCIDR.split('/')[1]), 'Manual');
  for (const peer of nodesOf(cluster, name)) {
    if (peer !== node) network.route(peer.podCIDR, host(peer.podCIDR, 1), gateway);
  }
  network.route(`${virtualServiceIP}/32`, '0.0.0.0', gateway, 50);
  network.route(`${virtualNodePortIP}/32`, virtualServiceIP, gateway, 50);
  network.route(cluster.serviceNetwork, virtualServiceIP, gateway, 50);
  return gateway;
}

export const antreaNats = (node: NodePlan) => [
  {Name: 'antrea-nat', InternalIPInterfaceAddressPrefix: node.podCIDR, Active: true},
  {Name: 'antrea-nat-nodeport', InternalIPInterfaceAddressPrefix: `${virtualNodePortIP}/32`, Active: true},
];

function hnsSections(cluster: ClusterPlan, node: NodePlan) {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const count = node.pods.length;
  const network: JsonObject = {
    ...antreaNetwork(factory, node, after(node.bootedAt, 4 * minute)),
    CurrentEndpointCount: count,
    MaxConcurrentEndpoints: count + 1,
    TotalEndpoints: count + 6,
  };
  const nat = factory.nat(after(node.bootedAt, 47 * second), natSubnet, host(natSubnet, 1), true);
  return {
    hnsNetworks: [network, nat],
    hnsEndpoints: node.pods.map(pod => factory.endpoint(pod.startedAt, network, podEndpoint(cluster, node, pod))),
    hnsPolicyLists: [],
  };
}

export function antreaNetwork(factory: HnsFactory, node: NodePlan, made: Date): JsonObject {
  return factory.network(made, {
    name: hnsNetworkName,
    type: 'Transparent',
    subnets: [{prefix: node.podCIDR, gateway: host(node.podCIDR, 1)}],
    extensions: extensionsOf(node.release, 'ovs', true),
    // Antrea sets the address with its prefix length, and the uplink's MAC for the switch.
    ManagementIP: `${node.address}/${node.prefix}`,
    NetworkAdapterName: uplinkName(node),
    SourceMac: uplinkMac(node),
  });
}

export function podEndpoint(cluster: ClusterPlan, node: NodePlan, pod: NodePlan['pods'][number]): JsonObject {
  return {
    CreateProcessingStartTime: (pod.startedAt.getTime() + 11_644_473_600_000) * 10_000,
    DNSServerList: cluster.dnsService,
    DNSSuffix: `${pod.namespace}.svc.cluster.local,svc.cluster.local,cluster.local`,
    GatewayAddress: host(node.podCIDR, 1),
    IPAddress: pod.address,
    MacAddress: dashed(podMac(pod)),
    Name: portName(pod),
    Namespace: {ID: pod.random.for('namespace').uuid()},
    PrefixLength: Number(node.podCIDR.split('/')[1]),
    SharedContainers: [pod.sandbox],
    State: 3,
  };
}
