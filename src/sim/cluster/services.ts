import type {ApiObject} from '../api/object.js';
import type {ClusterPlan} from '../plan.js';
import type {ServiceEntry} from './service-table.js';
import {object} from './workloads.js';

export interface ServicePort {
  name: string;
  port: number;
  targetPort: number;
  protocol: 'TCP' | 'UDP';
}

const perSlice = 100;

/** A Service and its EndpointSlices. */
export function service(cluster: ClusterPlan, plan: ServiceEntry): ApiObject[] {
  const {name, namespace, clusterIP, ports, selector, backends} = plan;
  const base = object(cluster, 'v1', 'Service', name, namespace);
  const made: ApiObject = {
    ...base,
    metadata: {...base.metadata, ...(selector && {labels: selector})},
    spec: {
      clusterIP,
      clusterIPs: [clusterIP],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports,
      ...(selector && {selector}),
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
    status: {loadBalancer: {}},
  };
  const slices = Math.max(1, Math.ceil(backends.length / perSlice));
  return [made, ...Array.from({length: slices}, (_, index) => slice(cluster, plan, index, slices > 1 || !!selector))];
}

function slice(cluster: ClusterPlan, plan: ServiceEntry, index: number, generated: boolean): ApiObject {
  const random = cluster.random.for(`slice/${plan.namespace}/${plan.name}/${index}`);
  const name = generated ? `${plan.name}-${random.suffix(5)}` : plan.name;
  const base = object(cluster, 'discovery.k8s.io/v1', 'EndpointSlice', name, plan.namespace);
  return {
    ...base,
    metadata: {...base.metadata, labels: {'kubernetes.io/service-name': plan.name}},
    addressType: 'IPv4',
    endpoints: plan.backends.slice(index * perSlice, (index + 1) * perSlice).map(({address, node, onHost}) => ({
      addresses: [address],
      conditions: {ready: true, serving: true, terminating: false},
      ...(!onHost && {nodeName: node.name}),
    })),
    ports: plan.ports.map(({name, targetPort, protocol}) => ({name, port: targetPort, protocol})),
  };
}
