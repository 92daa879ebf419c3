import {host} from '../addresses.js';
import type {ApiObject} from '../api/object.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import {after, minute} from '../time.js';
import {deployment} from './workloads.js';

/** The CoreDNS pods run on the first Linux node, at the third and fourth address of its pod subnet. */
export function dnsBackends(cluster: ClusterPlan): {address: string; node: NodePlan}[] {
  const node = cluster.nodes.find(node => node.os === 'linux');
  return node ? [3, 4].map(number => ({address: host(node.podCIDR, number), node})) : [];
}

export function coreDns(cluster: ClusterPlan): ApiObject[] {
  const random = cluster.random.for('coredns');
  const replicaSet = `coredns-${random.suffix(9)}`;
  return deployment(cluster, {
    name: 'coredns',
    namespace: 'kube-system',
    labels: {'k8s-app': 'kube-dns'},
    replicaSet,
    spec: {
      containers: [{name: 'coredns', image: 'registry.k8s.io/coredns/coredns:v1.11.3'}],
      nodeSelector: {'kubernetes.io/os': 'linux'},
      tolerations: [{effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane'}],
    },
    pods: dnsBackends(cluster).map(({address, node}) => ({
      name: `${replicaSet}-${random.suffix(5)}`,
      node,
      startedAt: after(node.joinedAt, 6 * minute),
      address,
    })),
  });
}
