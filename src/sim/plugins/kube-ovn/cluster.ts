import {host} from '../../addresses.js';
import type {ApiObject} from '../../api/object.js';
import {daemonSet, deployment, object} from '../../cluster/workloads.js';
import type {JsonObject} from '../../json.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, minute} from '../../time.js';
import {nodeSelector, nodesOf} from '../plugin.js';
import {image, joinSubnet, name, podSubnet} from './names.js';

const namespace = 'kube-system';

/** The cluster objects of Kube-OVN, all for Linux. On Windows it runs as services, without a DaemonSet. */
export function kubeOvnObjects(cluster: ClusterPlan): ApiObject[] {
  const linux = nodesOf(cluster, name).filter(node => node.os === 'linux');
  const [node] = linux;
  return [
    object(cluster, 'v1', 'ServiceAccount', 'ovn', namespace),
    ...(node ? controllers(cluster, node) : []),
    ...agents(cluster, linux),
    ...networks(cluster),
  ];
}

function environment(cluster: ClusterPlan): JsonObject[] {
  return [
    {name: 'ENABLE_SSL', value: 'false'},
    {name: 'KUBE_NAMESPACE', value: namespace},
    {name: 'OVN_DB_IPS', value: cluster.apiServer},
  ];
}

function controllers(cluster: ClusterPlan, node: NodePlan): ApiObject[] {
  const controllerArgs = [
    '/kube-ovn/start-controller.sh',
    '--default-ls=ovn-default',
    `--default-cidr=${podSubnet(cluster)}`,
    `--default-gateway=${host(podSubnet(cluster), 1)}`,
    `--node-switch-cidr=${joinSubnet(cluster)}`,
    `--service-cluster-ip-range=${cluster.serviceNetwork}`,
    '--network-type=geneve',
    '--enable-np=true',
  ];
  const parts = {
    'kube-ovn-controller': controllerArgs,
    'ovn-central': ['/kube-ovn/start-db.sh'],
    'kube-ovn-monitor': ['/kube-ovn/start-ovn-monitor.sh'],
  };
  return Object.entries(parts).flatMap(([part, args]) => {
    const random = cluster.random.for(part);
    const replicaSet = `${part}-${random.suffix(9)}`;
    return deployment(cluster, {
      name: part,
      namespace,
      labels: {app: part, component: 'network'},
      replicaSet,
      spec: {
        containers: [{name: part, image: image(cluster), args, env: environment(cluster)}],
        hostNetwork: true,
        nodeSelector: {'kubernetes.io/os': 'linux'},
        serviceAccountName: 'ovn',
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

function agents(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  const cniArgs = [
    '--enable-mirror=false',
    '--network-type=geneve',
    `--service-cluster-ip-range=${cluster.serviceNetwork}`,
    '--iface=',
  ];
  const parts: [string, JsonObject][] = [
    ['kube-ovn-cni', {name: 'cni-server', args: cniArgs}],
    ['ovs-ovn', {name: 'openvswitch'}],
    ['kube-ovn-pinger', {name: 'pinger'}],
  ];
  return parts.flatMap(([part, container]) =>
    daemonSet(cluster, {
      name: part,
      namespace,
      labels: {app: part, component: 'network'},
      nodes,
      startedAfterBoot: 6 * minute,
      spec: {
        containers: [{...container, image: image(cluster), env: [{name: 'ENABLE_SSL', value: 'false'}]}],
        hostNetwork: true,
        nodeSelector: nodeSelector(cluster, name, 'linux'),
        serviceAccountName: 'ovn',
        tolerations: [{operator: 'Exists'}],
      },
    }),
  );
}

function networks(cluster: ClusterPlan): ApiObject[] {
  const subnet = (subnetName: string, cidr: string, isDefault: boolean): ApiObject => ({
    ...object(cluster, 'kubeovn.io/v1', 'Subnet', subnetName),
    spec: {
      cidrBlock: cidr,
      default: isDefault,
      excludeIps: [host(cidr, 1)],
      gateway: host(cidr, 1),
      gatewayType: isDefault ? 'distributed' : '',
      natOutgoing: isDefault,
      private: false,
      protocol: 'IPv4',
      provider: 'ovn',
      vpc: 'ovn-cluster',
    },
  });
  return [
    {
      ...object(cluster, 'kubeovn.io/v1', 'Vpc', 'ovn-cluster'),
      spec: {},
      status: {default: true, standby: true, router: 'ovn-cluster', subnets: ['ovn-default', 'join']},
    },
    subnet('ovn-default', podSubnet(cluster), true),
    subnet('join', joinSubnet(cluster), false),
  ];
}
