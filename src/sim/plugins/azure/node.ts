import {type JsonObject, listAt} from '../../json.js';
import {extensionsOf} from '../../node/hns.js';
import type {NodeState} from '../../node/state.js';
import {switchSections} from '../../node/switches.js';
import {
  commonSections,
  firewall,
  kubeletRule,
  nssmService,
  type ServicePlan,
  serviceSections,
  withoutOvs,
} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, nodeTime, second} from '../../time.js';
import {addPodAdapters, switchedHost} from '../host.js';
import {azureFiles, azureLogs} from './files.js';
import {azureHns} from './hns.js';
import {placeholderName, proxyService, resetTask, uplinkDescription, uplinkMac, wireServer} from './names.js';

/** A healthy AKS Windows node with Azure CNI: azure-cns in a pod, kube-proxy as a service, no OVS. */
export function azureNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const common = commonSections(cluster, node);
  const hns = azureHns(cluster, node);
  const services = serviceSections(node, azureServices, [{name: 'azure-cns.exe', after: 249, threads: 13}]);
  return {
    sections: {
      ...common,
      ...hns,
      ...hostSections(node, hns.hnsEndpoints.slice(0, node.pods.length)),
      ...switchSections(
        [{name: placeholderName, uplink: uplinkDescription, extensions: extensionsOf(node.release, 'vfp', false)}],
        node.random.for('switches'),
      ),
      ...services,
      // kubeletstart.ps1 disables it.
      firewall: firewall(false, [kubeletRule]),
      drivers: {ovsext: {Installed: false, Inf: [], Signed: null}},
      files: azureFiles(cluster, node, {...hns, hns: services.hnsService.ProcessId}),
      registry: [
        ...listAt(common, 'registry'),
        hnsValue('SDNRemoteArpMacAddress', '12-34-56-78-9a-bc'),
        hnsValue('HNSControlFlag', 3),
      ],
      scheduledTasks: [
        task(resetTask, after(node.bootedAt, 50 * second)),
        task('hns-remediator-task', before(cluster.now, 38 * second)),
        task('log-generator-task', before(cluster.now, 240 * second)),
      ],
      logs: azureLogs(cluster, node, hns.hnsPolicyLists),
    },
    errors: {ovs: withoutOvs},
  };
}

const azureServices: readonly ServicePlan[] = [
  {...nssmService(proxyService, 220, ['kubelet']), process: 'kube-proxy.exe', threads: 16},
  nssmService('csi-proxy', 59),
  nssmService('hosts-config-agent', 66),
];

const hnsValue = (name: string, value: unknown) => ({
  Path: 'HKLM:\\SYSTEM\\CurrentControlSet\\Services\\hns\\State',
  Name: name,
  Value: value,
});

const task = (name: string, lastRun: Date) => ({
  TaskName: name,
  State: 'Ready',
  LastRunTime: nodeTime(lastRun),
  LastTaskResult: 0,
});

function hostSections(node: NodePlan, pods: readonly JsonObject[]): JsonObject {
  const {network, management} = switchedHost(node, {
    mac: uplinkMac(node),
    description: uplinkDescription,
    index: 13,
    nameServers: [wireServer],
  });
  addPodAdapters(network, pods, 1500);
  for (const address of [wireServer, '169.254.169.254']) {
    network.route(`${address}/32`, node.gateway, management, 1);
  }
  const sections = network.sections();
  return {...sections, netAdapters: listAt(sections, 'netAdapters').map(azureAdapter)};
}

/** Azure VMs have a Hyper-V adapter. */
function azureAdapter(row: unknown): unknown {
  const adapter = row as JsonObject;
  if (adapter.HardwareInterface !== true) return adapter;
  return {...adapter, LinkSpeed: '50 Gbps', ComponentID: 'vmbus\\{f8615163-df3e-46c5-913f-f2d2f965ed0e}'};
}
