import type {ApiObject} from '../../api/object.js';
import {namespaceObject as namespaceObjects} from '../../cluster/system.js';
import {daemonSet, deployment, object} from '../../cluster/workloads.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, minute} from '../../time.js';
import {nodeSelector, nodesOf} from '../plugin.js';
import {image, name, namespace} from './names.js';

/** The cluster objects of OVN-Kubernetes of 2020: databases and master on Linux. On Windows there are only services. */
export function olderOvnObjects(cluster: ClusterPlan): ApiObject[] {
  const linux = nodesOf(cluster, name).filter(node => node.os === 'linux');
  const [first] = linux;
  return [
    ...namespaceObjects(cluster, namespace, {'pod-security.kubernetes.io/enforce': 'privileged'}),
    object(cluster, 'v1', 'ServiceAccount', 'ovn', namespace),
    ...(first ? ['ovnkube-db', 'ovnkube-master'].flatMap(part => master(cluster, first, part)) : []),
    ...daemonSet(cluster, {
      name: 'ovnkube-node',
      namespace,
      labels: {app: 'ovnkube-node', component: 'network'},
      nodes: linux,
      spec: {
        containers: [{name: 'ovn-node', image: image(cluster)}],
        hostNetwork: true,
        nodeSelector: nodeSelector(cluster, name, 'linux'),
        serviceAccountName: 'ovn',
        tolerations: [{operator: 'Exists'}],
      },
    }),
  ];
}

function master(cluster: ClusterPlan, node: NodePlan, part: string): ApiObject[] {
  const random = cluster.random.for(part);
  const replicaSet = `${part}-${random.suffix(9)}`;
  return deployment(cluster, {
    name: part,
    namespace,
    labels: {app: part, component: 'network'},
    replicaSet,
    spec: {
      containers: [{name: part, image: image(cluster)}],
      hostNetwork: true,
      nodeSelector: {'kubernetes.io/os': 'linux'},
      serviceAccountName: 'ovn',
      tolerations: [{operator: 'Exists'}],
    },
    pods: [
      {
        name: `${replicaSet}-${random.suffix(5)}`,
        node,
        startedAt: after(node.joinedAt, 5 * minute),
        address: node.address,
      },
    ],
  });
}
