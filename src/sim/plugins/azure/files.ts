import {type JsonObject, listAt} from '../../json.js';
import {binary, containerdConfig, file, log, noFile} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, klogTime, minute, second} from '../../time.js';
import {
  cniLog,
  endpointsFile,
  exceptions,
  lockFile,
  networkName,
  proxyLog,
  stateFile,
  version,
  wireServer,
} from './names.js';
import {rememberedEndpoint, writeState} from './state-file.js';

interface Made {
  hnsNetworks: readonly JsonObject[];
  hnsEndpoints: readonly JsonObject[];
  /** The process ID of HNS, which an AKS task watches. */
  hns: unknown;
}

export function azureFiles(cluster: ClusterPlan, node: NodePlan, {hnsNetworks, hnsEndpoints, hns}: Made): JsonObject[] {
  const {random, joinedAt, bootedAt} = node;
  const installed = after(joinedAt, 2 * minute);
  return [
    containerdConfig(node, 'c:\\k\\azurecni\\bin', 'c:\\k\\azurecni\\netconf'),
    file('C:\\k\\azurecni\\netconf\\10-azure.conflist', installed, cniConfig(cluster, node)),
    binary('C:\\k\\azurecni\\bin\\azure-vnet.exe', installed, random.int(8_000_000, 20_000_000)),
    binary('C:\\k\\azurecni\\bin\\host-local.exe', installed, random.int(4_000_000, 9_000_000)),
    ...stateFiles(cluster, node, hnsNetworks, hnsEndpoints),
    noFile(lockFile),
    noFile('C:\\k\\azure-vnet-ipam.json'),
    noFile('C:\\k\\azure-vnet-ipam.json.lock'),
    file('C:\\k\\kubeclusterconfig.json', after(joinedAt, minute), clusterConfig(cluster)),
    binary('C:\\k\\windowsnodereset.log', after(bootedAt, 2 * minute), 18_211),
    file('C:\\k\\hns.pid', after(bootedAt, 3 * minute), `${hns}\r\n`),
    noFile('C:\\run\\flannel\\subnet.env'),
    noFile('C:\\etc\\cni\\net.d\\10-antrea.conflist'),
    noFile('C:\\openvswitch\\etc\\openvswitch\\conf.db'),
    noFile('C:\\sourcevip\\sourceVip.json'),
  ];
}

function stateFiles(
  cluster: ClusterPlan,
  node: NodePlan,
  networks: readonly JsonObject[],
  endpoints: readonly JsonObject[],
): JsonObject[] {
  const id = String(networks.find(network => network.Name === networkName)?.ID);
  const last = node.pods.at(-1);
  if (!last) return [noFile(stateFile), noFile(endpointsFile)];
  const remembered = node.pods.map((pod, index) => rememberedEndpoint(cluster, pod, id, String(endpoints[index]?.ID)));
  const byName = Object.fromEntries(remembered.map(endpoint => [String(endpoint.Id), endpoint]));
  return [
    writeState(cluster, node, {network: id, endpoints: byName}, last.startedAt),
    binary(endpointsFile, last.startedAt, 1_560 * node.pods.length),
  ];
}

function cniConfig(cluster: ClusterPlan, node: NodePlan): string {
  const policy = (value: object) => ({Name: 'EndpointPolicy', Value: value});
  const plugin = {
    type: 'azure-vnet',
    mode: 'bridge',
    bridge: 'azure0',
    capabilities: {portMappings: true, dns: true},
    ipam: {type: 'azure-cns', mode: 'overlay'},
    dns: {Nameservers: [cluster.dnsService, wireServer], Search: ['svc.cluster.local']},
    AdditionalArgs: [
      policy({Type: 'OutBoundNAT', ExceptionList: exceptions(cluster, node)}),
      policy({Type: 'ROUTE', DestinationPrefix: cluster.serviceNetwork, NeedEncap: true}),
    ],
    windowsSettings: {enableLoopbackDSR: true, hnsTimeoutDurationInSeconds: 120},
  };
  return JSON.stringify({cniVersion: '0.3.0', name: 'azure', adapterName: '', plugins: [plugin]}, undefined, 4);
}

function clusterConfig({version: kubernetes, serviceNetwork, dnsService}: ClusterPlan): string {
  const settings = {
    Cri: {Name: 'containerd', Images: {Pause: 'mcr.microsoft.com/oss/kubernetes/pause:3.9'}},
    Cni: {Name: 'azure', Plugin: {Name: 'bridge'}},
    Csi: {EnableProxy: true},
    Services: {HNSRemediator: {IntervalInMinutes: 1}, IsSkipCleanupNetwork: false},
    Kubernetes: {
      Source: {Release: kubernetes.slice(1)},
      Network: {ServiceCidr: serviceNetwork, VnetCidr: '10.0.0.0/8', DnsIp: dnsService},
    },
  };
  return JSON.stringify(settings, undefined, 2);
}

/** The time format of Azure CNI's log. */
export const cniTime = (date: Date) =>
  `${date.toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ')} [6032]`;

export function azureLogs(cluster: ClusterPlan, node: NodePlan, policyLists: readonly unknown[]): JsonObject[] {
  const {random} = node;
  const last = node.pods.at(-1);
  const added = last
    ? [
        `${cniTime(last.startedAt)} [cni-net] Plugin azure-vnet version ${version(cluster)}.`,
        `${cniTime(last.startedAt)} [cni-net] ADD command completed for pod ${last.name} with IPs:[{IP:${last.address} Mask:ffff0000}]`,
      ]
    : [];
  const synced = before(cluster.now, 41 * minute);
  return [
    log(cniLog, random.int(50_000, 600_000), last?.startedAt ?? node.bootedAt, added),
    log(proxyLog, random.int(50_000, 200_000), synced, [
      `${klogTime(before(synced, second))}    4188 hns.go:110] "Found HNS network" name="azure" networkType="L2Bridge"`,
      `${klogTime(synced)}    4188 proxier.go:1269] "Syncing Policies" serviceCount=${listAt({policyLists}, 'policyLists').length}`,
    ]),
  ];
}
