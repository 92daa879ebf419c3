import type {ApiObject} from '../../api/object.js';
import {kubeProxyImage, kubeProxyWindows} from '../../cluster/kube-proxy.js';
import {namespaceObject as namespaceObjects} from '../../cluster/system.js';
import {configMap, daemonSet, deployment, object} from '../../cluster/workloads.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, minute, second} from '../../time.js';
import {nodeSelector, nodesOf} from '../plugin.js';
import {agentSet, cniImage, name, networkName, version, vni, windowsImage} from './names.js';
import {calicoResources} from './resources.js';

const namespace = 'calico-system';
const operatorNamespace = 'tigera-operator';

/** The cluster objects of an operator installation of Calico, and kube-proxy for Windows. */
export function calicoObjects(cluster: ClusterPlan): ApiObject[] {
  const nodes = nodesOf(cluster, name);
  const linux = nodes.filter(node => node.os === 'linux');
  const [first] = linux;
  return [
    ...[operatorNamespace, namespace].flatMap(its =>
      namespaceObjects(cluster, its, {name: its, 'pod-security.kubernetes.io/enforce': 'privileged'}),
    ),
    object(cluster, 'v1', 'ServiceAccount', 'calico-node', namespace),
    ...[operatorNamespace, namespace].map(its => serverAddress(cluster, its)),
    ...linuxAgents(cluster, linux),
    ...windowsAgents(
      cluster,
      nodes.filter(node => node.os === 'windows'),
    ),
    ...(first ? controllers(cluster, first) : []),
    ...kubeProxyWindows(cluster, name, networkName, kubeProxyImage(cluster, 'calico')),
    ...calicoResources(cluster, nodes),
  ];
}

/** Until kube-proxy has programmed its rules, a Windows node cannot reach the API server through its Service. */
const serverAddress = (cluster: ClusterPlan, its: string) =>
  configMap(cluster, 'kubernetes-services-endpoint', its, {
    KUBERNETES_SERVICE_HOST: cluster.apiServer,
    KUBERNETES_SERVICE_PORT: '6443',
  });

function linuxAgents(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  return daemonSet(cluster, {
    name: 'calico-node',
    namespace,
    labels: {'k8s-app': 'calico-node'},
    nodes,
    spec: {
      containers: [
        {
          name: 'calico-node',
          image: `docker.io/calico/node:${version(cluster)}`,
          env: [
            {name: 'FELIX_VXLANVNI', value: String(vni)},
            {name: 'CALICO_NETWORKING_BACKEND', value: 'vxlan'},
          ],
        },
      ],
      hostNetwork: true,
      nodeSelector: nodeSelector(cluster, name, 'linux'),
      serviceAccountName: 'calico-node',
      tolerations: [{operator: 'Exists'}],
    },
  });
}

function windowsAgents(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  const image = windowsImage(cluster);
  const env = Object.entries({
    CALICO_NETWORKING_BACKEND: 'vxlan',
    VXLAN_VNI: String(vni),
    KUBE_NETWORK: `${networkName}.*`,
    VXLAN_ADAPTER: '',
    K8S_SERVICE_CIDR: cluster.serviceNetwork,
    DNS_NAME_SERVERS: cluster.dnsService,
    IP_AUTODETECTION_METHOD: 'first-found',
  }).map(([key, value]) => ({name: key, value}));
  const ready = {
    exec: {command: ['$env:CONTAINER_SANDBOX_MOUNT_POINT/CalicoWindows/calico-node.exe', '-felix-ready']},
    periodSeconds: 10,
    timeoutSeconds: 10,
  };
  return daemonSet(cluster, {
    name: agentSet,
    namespace,
    labels: {'k8s-app': agentSet},
    nodes,
    startedAfterBoot: 2 * minute + 10 * second,
    spec: {
      initContainers: [
        {name: 'uninstall-calico', image},
        {name: 'install-cni', image: cniImage(cluster)},
      ],
      containers: [
        {name: 'felix', image, env, readinessProbe: ready},
        {name: 'node', image, env},
      ],
      hostNetwork: true,
      nodeSelector: nodeSelector(cluster, name, 'windows'),
      securityContext: {windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM'}},
      serviceAccountName: 'calico-node',
      tolerations: [{operator: 'Exists'}],
    },
  });
}

function controllers(cluster: ClusterPlan, node: NodePlan): ApiObject[] {
  const parts = [
    {part: 'calico-kube-controllers', image: `docker.io/calico/kube-controllers:${version(cluster)}`, namespace},
    {part: 'calico-typha', image: `docker.io/calico/typha:${version(cluster)}`, namespace},
    {part: 'tigera-operator', image: 'quay.io/tigera/operator:v1.36.2', namespace: operatorNamespace},
  ];
  return parts.flatMap(({part, image, namespace: its}) => {
    const random = cluster.random.for(part);
    const replicaSet = `${part}-${random.suffix(9)}`;
    return deployment(cluster, {
      name: part,
      namespace: its,
      labels: {'k8s-app': part},
      replicaSet,
      spec: {
        containers: [{name: part, image}],
        hostNetwork: true,
        nodeSelector: {'kubernetes.io/os': 'linux'},
        tolerations: [{operator: 'Exists'}],
      },
      pods: [
        {
          name: `${replicaSet}-${random.suffix(5)}`,
          node,
          startedAt: after(node.joinedAt, 6 * minute),
          address: node.address,
        },
      ],
    });
  });
}
