import {host} from '../../addresses.js';
import type {JsonObject} from '../../json.js';
import {extensionsOf, HnsFactory} from '../../node/hns.js';
import {HostNetwork, type SimulatedAdapter} from '../../node/host-network.js';
import type {NodeState} from '../../node/state.js';
import {switchSections} from '../../node/switches.js';
import {
  commonSections,
  firewall,
  hyperVService,
  kubeletRule,
  nssmService,
  processIdOf,
  type ServicePlan,
  serviceSections,
} from '../../node/windows.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {dashed} from '../../random.js';
import {after, fileTime, minute, second} from '../../time.js';
import {kubeOvnFiles, kubeOvnLogs} from './files.js';
import {
  gatewayName,
  hnsNetworkName,
  joinAddress,
  joinMac,
  joinSubnet,
  ovsDatabase,
  ovsHome,
  ovsRunFolder,
  podMac,
  podMtu,
  podSubnet,
  portName,
  prefixOf,
  southbound,
  uplinkMac,
  uplinkName,
  vswitchdLog,
} from './names.js';
import {kubeOvnTables} from './ovs.js';

export interface KubeOvnAdapters {
  uplink: SimulatedAdapter;
  provider: SimulatedAdapter;
  bridge: SimulatedAdapter;
  gateway: SimulatedAdapter;
  pods: Map<string, SimulatedAdapter>;
}

/** A healthy Windows node with Kube-OVN: everything runs as Windows services, no kube-proxy. */
export function kubeOvnNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const network = new HostNetwork(node.random.for('network'));
  const adapters = addAdapters(cluster, node, network);
  const services = serviceSections(node, kubeOvnServices, []);
  const common = commonSections(cluster, node);
  const probes = Array.isArray(common.probes) ? common.probes : [];
  return {
    sections: {
      ...common,
      ...hnsSections(cluster, node),
      ...network.sections(),
      netNats: [kubeOvnNat(cluster)],
      ...switchSections(
        [
          {
            name: hnsNetworkName,
            uplink: uplinkDescription(node),
            extensions: extensionsOf(node.release, 'ovs', true),
          },
        ],
        node.random.for('switches'),
      ),
      ovs: kubeOvnTables(cluster, node, adapters),
      ...services,
      firewall: firewall(false, [kubeletRule]),
      // Kube-OVN's OVS driver has only a test signature.
      bootOptions: {TestSigning: true, NoIntegrityChecks: false, LoadOptions: null},
      drivers: {ovsext: {Installed: true, Inf: [`oem${node.random.for('inf').int(2, 12)}.inf`], Signed: false}},
      files: kubeOvnFiles(cluster, node, processIdOf(services, 'ovs-vswitchd.exe')),
      logs: kubeOvnLogs(cluster, node),
      environment: [
        {Name: 'OVS_RUNDIR', Value: `${ovsRunFolder}\\`},
        {Name: 'OVS_LOGDIR', Value: `${ovsHome}\\logs\\`},
        {Name: 'OVS_SYSCONFDIR', Value: `${ovsHome}\\conf\\`},
        {Name: 'OVS_PKGDATADIR', Value: `${ovsHome}\\driver\\`},
        {Name: 'OVS_BINDIR', Value: `${ovsHome}\\bin\\`},
      ],
      probes: [...probes, {Target: `${southbound(cluster)}:6642`, Kind: 'tcp', Ok: true, Ms: 3, Error: null}],
    },
    errors: {},
  };
}

export const kubeOvnNat = (cluster: ClusterPlan) => ({
  Name: hnsNetworkName,
  InternalIPInterfaceAddressPrefix: joinSubnet(cluster),
  Active: true,
});

const kubeOvnServices: ServicePlan[] = [
  {
    name: 'ovsdb-server',
    display: 'Open vSwitch DB Service',
    path: `"${ovsHome}\\bin\\ovsdb-server.exe" --log-file="${ovsHome}\\logs\\ovsdb-server.log" --pidfile --service --service-monitor --unixctl="${ovsRunFolder}\\ovsdb-server.ctl" --remote=punix:"${ovsRunFolder}\\db.sock" "${ovsDatabase}"`,
    dependsOn: [hyperVService],
    after: 40,
    process: 'ovsdb-server.exe',
    threads: 4,
  },
  {
    name: 'ovs-vswitchd',
    display: 'Open vSwitch Service',
    path: `"${ovsHome}\\bin\\ovs-vswitchd.exe" --log-file="${vswitchdLog}" unix:"${ovsRunFolder}\\db.sock" --unixctl="${ovsRunFolder}\\ovs-vswitchd.ctl" --pidfile --service --service-monitor`,
    dependsOn: ['ovsdb-server'],
    after: 43,
    process: 'ovs-vswitchd.exe',
    threads: 6,
  },
  {...nssmService('kube-ovn', 151, ['ovs-vswitchd']), process: 'kube-ovn-daemon.exe', threads: 17},
  {...nssmService('ovn-controller', 200, ['ovs-vswitchd']), process: 'ovn-controller.exe', threads: 3},
];

const uplinkDescription = (node: NodePlan) =>
  node.otherAdapters.length > 0
    ? `vmxnet3 Ethernet Adapter #${node.otherAdapters.length + 1}`
    : 'vmxnet3 Ethernet Adapter';

function addAdapters(cluster: ClusterPlan, node: NodePlan, network: HostNetwork): KubeOvnAdapters {
  const {dhcp} = node;
  const origin = dhcp ? 'Dhcp' : 'Manual';
  const others = node.otherAdapters.map(({name, address, prefix}, number) => {
    const description = `vmxnet3 Ethernet Adapter${number > 0 ? ` #${number + 1}` : ''}`;
    const mac = node.random.for(name).mac('00:50:56');
    const adapter = network.physical({name, description, index: 5 + number, mac, mtu: 1500, dhcp: false}, false);
    network.address(adapter, address, prefix, 'Manual');
    network.dns(adapter, []);
    return adapter;
  });
  const mac = uplinkMac(node);
  const uplink = network.physical(
    {name: uplinkName(node), description: uplinkDescription(node), index: 7 + others.length, mac, mtu: 1500, dhcp},
    true,
  );
  const description = 'Hyper-V Virtual Ethernet Adapter';
  // The daemon renames the management vNIC, so the node's address is on `br-provider`.
  const provider = network.adapter({name: 'br-provider', description, index: 15, mac, mtu: 1500, dhcp});
  const {bridge, gateway} = addInternalPorts(cluster, node, network, {bridge: 18, gateway: 23});
  const pods = new Map(
    node.pods.map((pod, number) => {
      const alias = `vEthernet (${portName(pod)})`;
      const fields = {name: alias, description: '', index: 50 + number, mac: podMac(pod), mtu: podMtu};
      return [pod.name, network.adapter({...fields, elsewhere: true})] as const;
    }),
  );
  network.defaultRoute(provider, node.gateway, !dhcp);
  network.address(provider, node.address, node.prefix, origin);
  network.dns(provider, [node.nameServer]);
  return {uplink, provider, bridge, gateway, pods};
}

/** The port of the bridge itself, and the host's port to the pods with its address and routes. */
export function addInternalPorts(
  cluster: ClusterPlan,
  node: NodePlan,
  network: HostNetwork,
  index: {bridge: number; gateway: number},
): {bridge: SimulatedAdapter; gateway: SimulatedAdapter} {
  const description = 'Hyper-V Virtual Ethernet Adapter';
  const mac = node.random.for('br-int').mac('00:15:5d');
  const bridge = network.adapter({
    name: 'br-int',
    description: `${description} #2`,
    index: index.bridge,
    mac,
    mtu: 1500,
  });
  const gateway = network.adapter({
    name: gatewayName,
    description: `${description} #3`,
    index: index.gateway,
    mac: joinMac(node),
    mtu: podMtu,
  });
  network.address(gateway, joinAddress(cluster, node), prefixOf(joinSubnet(cluster)), 'Manual');
  network.route(podSubnet(cluster), host(joinSubnet(cluster), 1), gateway);
  network.route(cluster.serviceNetwork, host(joinSubnet(cluster), 1), gateway);
  return {bridge, gateway};
}

function hnsSections(cluster: ClusterPlan, node: NodePlan): JsonObject {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const count = node.pods.length;
  const network: JsonObject = {
    ...kubeOvnNetwork(factory, cluster, node, after(node.bootedAt, 2 * minute + 40 * second)),
    CurrentEndpointCount: count,
    MaxConcurrentEndpoints: count,
    TotalEndpoints: count + 4,
  };
  return {
    hnsNetworks: [network],
    hnsEndpoints: node.pods.map(pod => factory.endpoint(pod.startedAt, network, podEndpoint(cluster, pod))),
    hnsPolicyLists: [],
  };
}

/** Has the subnets that exist at creation; later subnets are never added. */
export function kubeOvnNetwork(factory: HnsFactory, cluster: ClusterPlan, node: NodePlan, made: Date): JsonObject {
  return factory.network(made, {
    name: hnsNetworkName,
    // Kube-OVN requests it in lower case, and HNS returns it unchanged.
    type: 'transparent',
    subnets: [podSubnet(cluster), joinSubnet(cluster)].map(prefix => ({prefix, gateway: host(prefix, 1)})),
    extensions: extensionsOf(node.release, 'ovs', true),
    ManagementIP: node.address,
    NetworkAdapterName: uplinkName(node),
  });
}

export function podEndpoint(cluster: ClusterPlan, pod: PodPlan): JsonObject {
  return {
    CreateProcessingStartTime: fileTime(pod.startedAt),
    DNSServerList: cluster.dnsService,
    DNSSuffix: `${pod.namespace}.svc.cluster.local,svc.cluster.local,cluster.local`,
    GatewayAddress: host(podSubnet(cluster), 1),
    IPAddress: pod.address,
    MacAddress: dashed(podMac(pod)),
    Name: portName(pod),
    Namespace: {ID: pod.random.for('namespace').uuid()},
    PrefixLength: prefixOf(podSubnet(cluster)),
    SharedContainers: [pod.sandbox],
    State: 3,
  };
}
