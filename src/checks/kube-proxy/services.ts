import type {ClusterModel, KubeService} from '../../snapshot/cluster.js';
import {same} from '../../snapshot/hns.js';

/** Its IPv4 cluster addresses; empty if it is headless. */
export function clusterIps({spec}: KubeService): string[] {
  const all = spec.clusterIPs.length > 0 ? spec.clusterIPs : [spec.clusterIP ?? ''];
  return all.filter(ip => /^[\d.]+$/.test(ip));
}

export function isProxied(service: KubeService): boolean {
  return (
    clusterIps(service).length > 0 &&
    service.metadata.labels['service.kubernetes.io/service-proxy-name'] === undefined &&
    service.spec.internalTrafficPolicy !== 'Local'
  );
}

/** Whether a Service has endpoints; assumed if no EndpointSlice was read. */
export function hasEndpoints(cluster: ClusterModel, {metadata}: KubeService): boolean {
  const slices = cluster.some('EndpointSlice');
  if (slices.length === 0) return true;
  return slices.some(
    slice =>
      slice.metadata.namespace === metadata.namespace &&
      slice.metadata.labels['kubernetes.io/service-name'] === metadata.name &&
      slice.endpoints.some(its => its.addresses.length > 0 && its.conditions?.ready !== false),
  );
}

export function dnsService(cluster: ClusterModel): KubeService | undefined {
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
}
