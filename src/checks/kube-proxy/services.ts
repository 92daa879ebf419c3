import {type ClusterModel, type KubeService, oncePerCluster} from '../../snapshot/cluster.js';
import {same} from '../../snapshot/hns.js';

/** Its IPv4 cluster addresses; empty if it is headless. */
export function clusterIps({spec}: KubeService): string[] {
  const all = spec.clusterIPs.length > 0 ? spec.clusterIPs : [spec.clusterIP ?? ''];
  return all.filter(ip => /^[\d.]+$/.test(ip));
}

function isProxied(service: KubeService): boolean {
  return (
    clusterIps(service).length > 0 &&
    service.metadata.labels['service.kubernetes.io/service-proxy-name'] === undefined &&
    service.spec.internalTrafficPolicy !== 'Local'
  );
}

/** Whether a Service has endpoints; assumed if no EndpointSlice was read. */
export function hasEndpoints(cluster: ClusterModel, {metadata}: KubeService): boolean {
  const ready = servicesWithEndpoints(cluster);
  return ready === undefined || ready.has(`${metadata.namespace}/${metadata.name}`);
}

const servicesWithEndpoints = oncePerCluster((cluster): ReadonlySet<string> | undefined => {
  const slices = cluster.some('EndpointSlice');
  if (slices.length === 0) return undefined;
  const ready = slices.filter(({endpoints}) =>
    endpoints.some(({addresses, conditions}) => addresses.length > 0 && conditions?.ready !== false),
  );
  return new Set(ready.map(({metadata}) => `${metadata.namespace}/${metadata.labels['kubernetes.io/service-name']}`));
});

/** The Services for which kube-proxy creates load balancers on every node. */
export const proxiedServices = oncePerCluster((cluster): readonly KubeService[] =>
  cluster.some('Service').filter(service => hasEndpoints(cluster, service) && isProxied(service)),
);

/** The addresses of all endpoints. */
export const endpointAddresses = oncePerCluster(
  (cluster): ReadonlySet<string> =>
    new Set(cluster.all('EndpointSlice').flatMap(({endpoints}) => endpoints.flatMap(({addresses}) => addresses))),
);

export const dnsService = oncePerCluster((cluster): KubeService | undefined => {
  const all = cluster
    .some('Service')
    .filter(service => clusterIps(service).length > 0 && service.spec.ports.some(({port}) => port === 53));
  return (
    all.find(({metadata}) => metadata.namespace === 'openshift-dns' && metadata.name === 'dns-default') ??
    all.find(
      ({metadata}) => metadata.namespace === 'kube-system' && same(metadata.labels['k8s-app'] ?? '', 'kube-dns'),
    ) ??
    all.find(
      ({metadata}) => metadata.namespace === 'kube-system' && /^(kube-dns|coredns|rke2-coredns.*)$/.test(metadata.name),
    )
  );
});
