import type {ApiObject} from '../../api/object.js';
import {namespaceObject as namespaceObjects} from '../../cluster/system.js';
import {daemonSet, deployment, object} from '../../cluster/workloads.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, minute} from '../../time.js';
import {type NodeMarks, nodeSelector, nodesOf} from '../plugin.js';
import {
  addressAnnotation,
  chassisAnnotation,
  hybridRange,
  image,
  macAnnotation,
  name,
  namespace,
  ovnSubnets,
  routerAddress,
  routerMac,
  subnetAnnotation,
} from './names.js';

/** The cluster objects of OVN-Kubernetes: OVN on Linux nodes, no pods on Windows nodes. */
export function hybridObjects(cluster: ClusterPlan): ApiObject[] {
  const linux = nodesOf(cluster, name).filter(node => node.os === 'linux');
  const [first] = linux;
  return [
    ...namespaceObjects(cluster, namespace, {'pod-security.kubernetes.io/enforce': 'privileged'}),
    object(cluster, 'v1', 'ServiceAccount', 'ovnkube-node', namespace),
    ...(first ? controlPlane(cluster, first) : []),
    ...daemonSet(cluster, {
      name: 'ovnkube-node',
      namespace,
      labels: {app: 'ovnkube-node', component: 'network'},
      nodes: linux,
      spec: {
        containers: [{name: 'ovnkube-controller', image: image(cluster), args: hybridFlags(cluster)}],
        hostNetwork: true,
        nodeSelector: nodeSelector(cluster, name, 'linux'),
        serviceAccountName: 'ovnkube-node',
        tolerations: [{operator: 'Exists'}],
      },
    }),
  ];
}

const hybridFlags = (cluster: ClusterPlan) => [
  '--enable-hybrid-overlay',
  `--hybrid-overlay-cluster-subnets=${hybridRange(cluster)}/24`,
  '--no-hostsubnet-nodes=kubernetes.io/os=windows',
];

function controlPlane(cluster: ClusterPlan, node: NodePlan): ApiObject[] {
  const random = cluster.random.for('ovnkube-control-plane');
  const replicaSet = `ovnkube-control-plane-${random.suffix(9)}`;
  return deployment(cluster, {
    name: 'ovnkube-control-plane',
    namespace,
    labels: {app: 'ovnkube-control-plane', component: 'network'},
    replicaSet,
    spec: {
      containers: [{name: 'ovnkube-cluster-manager', image: image(cluster), args: hybridFlags(cluster)}],
      hostNetwork: true,
      nodeSelector: {'kubernetes.io/os': 'linux'},
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

/** The control plane assigns subnets; the agent of a node writes its router MAC. */
export function hybridMarks(node: NodePlan): NodeMarks {
  const mac = {[macAnnotation]: routerMac(node)};
  if (node.os === 'windows') return {spec: {}, annotations: {...mac, [subnetAnnotation]: node.podCIDR}};
  return {
    spec: {},
    annotations: {
      ...mac,
      [addressAnnotation]: routerAddress(node),
      [ovnSubnets]: JSON.stringify({default: [node.podCIDR]}),
      [chassisAnnotation]: node.random.for('chassis').uuid(),
    },
  };
}
