import type {ApiObject} from '../api/object.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import {after, minute} from '../time.js';
import {coreDns} from './dns.js';
import {configMap, daemonSet, object, runningPod} from './workloads.js';

export function namespaceObject(cluster: ClusterPlan, name: string, labels: Record<string, string> = {}): ApiObject[] {
  const base = object(cluster, 'v1', 'Namespace', name);
  const account = object(cluster, 'v1', 'ServiceAccount', 'default', name);
  return [
    {
      ...base,
      metadata: {...base.metadata, labels: {'kubernetes.io/metadata.name': name, ...labels}},
      spec: {finalizers: ['kubernetes']},
      status: {phase: 'Active'},
    },
    account,
  ];
}

/** What every kubeadm cluster has, regardless of the network plugin. */
export function systemObjects(cluster: ClusterPlan): ApiObject[] {
  const linux = cluster.nodes.filter(node => node.os === 'linux');
  const control = linux.filter(node => node.controlPlane);
  return [
    ...['default', 'kube-node-lease', 'kube-public', 'kube-system'].flatMap(name => namespaceObject(cluster, name)),
    kubeadmConfig(cluster),
    ...control.flatMap(node => staticPods(cluster, node)),
    ...kubeProxy(cluster, linux),
    ...coreDns(cluster),
  ];
}

function kubeadmConfig(cluster: ClusterPlan): ApiObject {
  const lines = [
    'apiVersion: kubeadm.k8s.io/v1beta3',
    'clusterName: kubernetes',
    `controlPlaneEndpoint: ${cluster.apiServer}:6443`,
    'kind: ClusterConfiguration',
    `kubernetesVersion: ${cluster.version}`,
    'networking:',
    '  dnsDomain: cluster.local',
    `  podSubnet: ${cluster.podNetwork}`,
    `  serviceSubnet: ${cluster.serviceNetwork}`,
  ];
  return configMap(cluster, 'kubeadm-config', 'kube-system', {ClusterConfiguration: `${lines.join('\n')}\n`});
}

function staticPods(cluster: ClusterPlan, node: NodePlan): ApiObject[] {
  const images = {
    etcd: 'registry.k8s.io/etcd:3.5.15-0',
    'kube-apiserver': `registry.k8s.io/kube-apiserver:${cluster.version}`,
    'kube-controller-manager': `registry.k8s.io/kube-controller-manager:${cluster.version}`,
    'kube-scheduler': `registry.k8s.io/kube-scheduler:${cluster.version}`,
  };
  return Object.entries(images).map(([name, image]) =>
    runningPod(cluster, {
      name: `${name}-${node.name}`,
      namespace: 'kube-system',
      labels: {component: name, tier: 'control-plane'},
      node,
      spec: {containers: [{name, image}], hostNetwork: true, priorityClassName: 'system-node-critical'},
      startedAt: after(node.joinedAt, minute),
      address: node.address,
    }),
  );
}

function kubeProxy(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  return daemonSet(cluster, {
    name: 'kube-proxy',
    namespace: 'kube-system',
    labels: {'k8s-app': 'kube-proxy'},
    nodes,
    spec: {
      containers: [
        {
          name: 'kube-proxy',
          image: `registry.k8s.io/kube-proxy:${cluster.version}`,
          command: [
            '/usr/local/bin/kube-proxy',
            '--config=/var/lib/kube-proxy/config.conf',
            '--hostname-override=$(NODE_NAME)',
          ],
        },
      ],
      hostNetwork: true,
      nodeSelector: {'kubernetes.io/os': 'linux'},
      tolerations: [{operator: 'Exists'}],
    },
  });
}
