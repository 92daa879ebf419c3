import {host, offset} from '../addresses.js';
import type {ApiObject} from '../api/object.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import {after, minute} from '../time.js';
import {service} from './services.js';
import {configMap, daemonSet, deployment, object, runningPod} from './workloads.js';

export function namespace(cluster: ClusterPlan, name: string, labels: Record<string, string> = {}): ApiObject[] {
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

/** What every kubeadm cluster has, whatever its network plugin. */
export function systemObjects(cluster: ClusterPlan): ApiObject[] {
  const linux = cluster.nodes.filter(node => node.os === 'linux');
  const control = linux.filter(node => node.controlPlane);
  return [
    ...['default', 'kube-node-lease', 'kube-public', 'kube-system'].flatMap(name => namespace(cluster, name)),
    kubeadmConfig(cluster),
    ...control.flatMap(node => staticPods(cluster, node)),
    ...kubeProxy(cluster, linux),
    ...dns(cluster, linux),
    ...service(cluster, {
      name: 'kubernetes',
      namespace: 'default',
      clusterIP: host(cluster.serviceNetwork, 1),
      ports: [{name: 'https', port: 443, targetPort: 6443, protocol: 'TCP'}],
      backends: control.map(node => ({address: node.address})),
    }),
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

/** The pods of CoreDNS lie on the first Linux node, at the third and fourth address of its pod network. */
export function dnsBackends(cluster: ClusterPlan): {address: string; node: NodePlan}[] {
  const node = cluster.nodes.find(node => node.os === 'linux');
  if (!node) return [];
  return [3, 4].map(number => ({address: offset(host(node.podCIDR, 0), number), node}));
}

function dns(cluster: ClusterPlan, linux: readonly NodePlan[]): ApiObject[] {
  if (linux.length === 0) return [];
  const labels = {'k8s-app': 'kube-dns'};
  const backends = dnsBackends(cluster);
  const random = cluster.random.for('coredns');
  const replicaSet = `coredns-${random.suffix(9)}`;
  return [
    ...deployment(cluster, {
      name: 'coredns',
      namespace: 'kube-system',
      labels,
      replicaSet,
      spec: {
        containers: [{name: 'coredns', image: 'registry.k8s.io/coredns/coredns:v1.11.3'}],
        nodeSelector: {'kubernetes.io/os': 'linux'},
        tolerations: [{effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane'}],
      },
      pods: backends.map(({address, node}) => ({
        name: `${replicaSet}-${random.suffix(5)}`,
        node,
        startedAt: after(node.joinedAt, 6 * minute),
        address,
      })),
    }),
    ...service(cluster, {
      name: 'kube-dns',
      namespace: 'kube-system',
      clusterIP: cluster.dnsService,
      ports: [
        {name: 'dns', port: 53, targetPort: 53, protocol: 'UDP'},
        {name: 'dns-tcp', port: 53, targetPort: 53, protocol: 'TCP'},
        {name: 'metrics', port: 9153, targetPort: 9153, protocol: 'TCP'},
      ],
      selector: labels,
      backends: backends.map(({address, node}) => ({address, nodeName: node.name})),
    }),
  ];
}
