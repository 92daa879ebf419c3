import {type ClusterModel, oncePerCluster} from './cluster.js';
import type {LoadBalancer} from './load-balancers.js';

/** The Services whose addresses a load balancer has, as NAMESPACE/NAME; empty if Services were not read. */
export function balancedServices(cluster: ClusterModel | undefined, {vips}: LoadBalancer): string[] {
  const services = cluster && servicesByAddress(cluster);
  return [...new Set(vips.flatMap(vip => services?.get(vip) ?? []))];
}

const servicesByAddress = oncePerCluster((cluster): ReadonlyMap<string, string[]> => {
  const services = cluster.known('Service').flatMap(({metadata, spec}) => {
    const addresses = new Set([spec.clusterIP, ...spec.clusterIPs].filter(ip => ip !== undefined));
    return [...addresses].map(ip => ({ip, name: `${metadata.namespace}/${metadata.name}`}));
  });
  const byAddress = new Map<string, string[]>();
  for (const [ip, its] of Map.groupBy(services, service => service.ip))
    byAddress.set(
      ip,
      its.map(({name}) => name),
    );
  return byAddress;
});

/** A load balancer by its Service, or by its address if the Service is unknown, followed by its id. */
export function balancerName(cluster: ClusterModel | undefined, balancer: LoadBalancer): string {
  const {id, vips, ports} = balancer;
  const [service] = balancedServices(cluster, balancer);
  const port = ports.map(({external, protocol}) => `${external ?? '?'}/${protocol}`).join(', ');
  return `${service ?? (vips.join(', ') || 'NodePort')}${port === '' ? '' : `:${port}`} (${id})`;
}
