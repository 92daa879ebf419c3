import type {ApiObject} from '../../api/object.js';
import type {ResourceType} from '../../api/resource-types.js';
import {configMap, daemonSet, object} from '../../cluster/workloads.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {minute, second} from '../../time.js';
import {type NodeMarks, nodeSelector, nodesOf} from '../plugin.js';
import {agentSet, image, name, nodeManagerImage} from './names.js';

const namespace = 'kube-system';

export const azureTypes: readonly ResourceType[] = [
  {
    group: 'acn.azure.com',
    version: 'v1alpha',
    kind: 'NodeNetworkConfig',
    plural: 'nodenetworkconfigs',
    singular: 'nodenetworkconfig',
    namespaced: true,
    shortNames: ['nnc'],
    custom: true,
  },
];

/** The cluster objects of Azure CNI: azure-cns, which assigns addresses, for both operating systems. */
export function azureObjects(cluster: ClusterPlan): ApiObject[] {
  const nodes = nodesOf(cluster, name);
  const windows = nodes.filter(node => node.os === 'windows');
  return [
    configMap(cluster, 'cns-config', namespace, {
      'cns_config.json': JSON.stringify(
        {ManagedSettings: {NodeSyncIntervalInSeconds: 30}, ChannelMode: 'CRD', InitializeFromCNI: true},
        undefined,
        2,
      ),
    }),
    ...linuxAgents(
      cluster,
      nodes.filter(node => node.os === 'linux'),
    ),
    ...windowsAgents(cluster, windows),
    ...nodeManagers(cluster, windows),
    ...nodes.map(node => ({
      ...object(cluster, 'acn.azure.com/v1alpha', 'NodeNetworkConfig', node.name, namespace),
      spec: {requestedIPCount: 0},
    })),
  ];
}

function linuxAgents(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  return daemonSet(cluster, {
    name: 'azure-cns',
    namespace,
    labels: {'k8s-app': 'azure-cns'},
    nodes,
    spec: {
      containers: [{name: 'cns-container', image: image(cluster)}],
      hostNetwork: true,
      nodeSelector: nodeSelector(cluster, name, 'linux'),
      tolerations: [{operator: 'Exists'}],
    },
  });
}

const hostProcess = {windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM'}};

function windowsAgents(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  return daemonSet(cluster, {
    name: agentSet,
    namespace,
    labels: {app: agentSet},
    podLabels: {'k8s-app': agentSet},
    nodes,
    startedAfterBoot: 3 * minute + 58 * second,
    spec: {
      containers: [
        {
          name: 'cns-container',
          image: image(cluster),
          command: ['azure-cns.exe'],
          env: [
            {name: 'CNSIpAddress', value: '127.0.0.1'},
            {name: 'CNSPort', value: '10090'},
            {name: 'CNSStoreFilePath', value: '/k/'},
          ],
        },
      ],
      hostNetwork: true,
      nodeSelector: nodeSelector(cluster, name, 'windows'),
      securityContext: hostProcess,
      tolerations: [{operator: 'Exists'}],
    },
  });
}

function nodeManagers(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  return daemonSet(cluster, {
    name: 'cloud-node-manager-windows',
    namespace,
    labels: {component: 'cloud-node-manager'},
    podLabels: {component: 'cloud-node-manager-windows'},
    nodes,
    startedAfterBoot: 3 * minute + 40 * second,
    spec: {
      containers: [{name: 'cloud-node-manager', image: nodeManagerImage}],
      hostNetwork: true,
      nodeSelector: nodeSelector(cluster, name, 'windows'),
      securityContext: hostProcess,
      tolerations: [{operator: 'Exists'}],
    },
  });
}

const prefix = 'kubernetes.azure.com';
const group = 'orders-prod-rg';

/** The marks of an AKS node. Pod addresses come from azure-cns, so it has no pod CIDR. */
export function azureMarks(cluster: ClusterPlan, node: NodePlan): NodeMarks {
  const windows = node.os === 'windows';
  const pool = windows ? 'wnp' : 'sysp';
  const release = node.release.imageTag.replace('ltsc', '');
  const subscription = cluster.random.for('subscription').uuid();
  const scale = `${group}/providers/Microsoft.Compute/virtualMachineScaleSets/aks${pool}`;
  return {
    labels: {
      agentpool: pool,
      [`${prefix}/agentpool`]: pool,
      [`${prefix}/azure-cni-overlay`]: 'true',
      [`${prefix}/cluster`]: group,
      [`${prefix}/mode`]: windows ? 'user' : 'system',
      [`${prefix}/network-name`]: 'vnet-orders',
      [`${prefix}/os-sku`]: windows ? `Windows${release}` : 'Ubuntu',
      [`${prefix}/podnetwork-type`]: 'overlay',
      'node.kubernetes.io/instance-type': 'Standard_D4s_v5',
      'topology.kubernetes.io/region': 'westeurope',
      'topology.kubernetes.io/zone': '0',
    },
    annotations: {'csi.volume.kubernetes.io/nodeid': JSON.stringify({'disk.csi.azure.com': node.name})},
    spec: {
      providerID: `azure:///subscriptions/${subscription}/resourceGroups/${scale}/virtualMachines/${node.number}`,
    },
  };
}
