import {host} from '../addresses.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import {dnsBackends} from './dns.js';
import type {ServicePort} from './services.js';

export interface ServiceBackend {
  address: string;
  /** The node it runs on. */
  node: NodePlan;
  /** In the node's network instead of the pod network. */
  onHost: boolean;
}

export interface ServiceEntry {
  name: string;
  namespace: string;
  clusterIP: string;
  ports: readonly ServicePort[];
  selector: Record<string, string> | undefined;
  backends: readonly ServiceBackend[];
}

/** All Services of the cluster with their backends: the source for API objects and for HNS load balancers. */
export function servicesOf(cluster: ClusterPlan): ServiceEntry[] {
  const control = cluster.nodes.filter(node => node.controlPlane);
  const [first] = cluster.nodes;
  const elsewhere = first ? [{address: cluster.apiServer, node: first, onHost: true}] : [];
  return [
    {
      name: 'kubernetes',
      namespace: 'default',
      clusterIP: host(cluster.serviceNetwork, 1),
      ports: [{name: 'https', port: 443, targetPort: 6443, protocol: 'TCP'}],
      selector: undefined,
      backends: control.length > 0 ? control.map(node => ({address: node.address, node, onHost: true})) : elsewhere,
    },
    {
      name: 'kube-dns',
      namespace: 'kube-system',
      clusterIP: cluster.dnsService,
      ports: [
        {name: 'dns', port: 53, targetPort: 53, protocol: 'UDP'},
        {name: 'dns-tcp', port: 53, targetPort: 53, protocol: 'TCP'},
        {name: 'metrics', port: 9153, targetPort: 9153, protocol: 'TCP'},
      ],
      selector: {'k8s-app': 'kube-dns'},
      backends: dnsBackends(cluster).map(({address, node}) => ({address, node, onHost: false})),
    },
    ...cluster.workloads
      .filter(({service}) => service)
      .map(({name, namespace, clusterIP, port, targetPort, replicaSet, nodes}) => ({
        name,
        namespace,
        clusterIP,
        ports: [{name: 'http', port, targetPort, protocol: 'TCP' as const}],
        selector: {app: name},
        backends: nodes.flatMap(node =>
          node.pods
            .filter(pod => pod.replicaSet === replicaSet)
            .map(pod => ({address: pod.address, node, onHost: false})),
        ),
      })),
  ];
}
