import type {ClusterModel} from './cluster.js';
import type {LoadBalancer} from './load-balancers.js';

/** The Services whose addresses a load balancer has, as NAMESPACE/NAME; empty if Services were not read. */
export function balancedServices(cluster: ClusterModel | undefined, {vips}: LoadBalancer): string[] {
  const services = cluster?.known('Service') ?? [];
  return services
    .filter(({spec}) => vips.some(vip => spec.clusterIP === vip || spec.clusterIPs.includes(vip)))
    .map(({metadata}) => `${metadata.namespace}/${metadata.name}`);
}

/** A load balancer by its Service, or by its address if the Service is unknown, followed by its id. */
export function balancerName(cluster: ClusterModel | undefined, balancer: LoadBalancer): string {
  const {id, vips, ports} = balancer;
  const [service] = balancedServices(cluster, balancer);
  const port = ports.map(({external, protocol}) => `${external ?? '?'}/${protocol}`).join(', ');
  return `${service ?? (vips.join(', ') || 'NodePort')}${port === '' ? '' : `:${port}`} (${id})`;
}
