import {listProperty, property} from '../lib/json-properties.js';
import {type ClusterModel, oncePerCluster} from '../snapshot/cluster.js';

// Kubernetes has no single place for its address ranges: each kind of cluster has them elsewhere. IPv4 only.

/** The pod CIDRs of the whole cluster; empty if unknown. */
export function podRanges(cluster: ClusterModel | undefined): readonly string[] {
  return cluster ? readPodRanges(cluster) : [];
}

const readPodRanges = oncePerCluster(cluster =>
  firstOf(
    kubeadm(cluster, 'podSubnet'),
    flagOf(cluster, 'kube-controller-manager', 'cluster-cidr'),
    line(cluster.find('ConfigMap', 'kube-proxy', 'kube-system')?.data['config.conf'], 'clusterCIDR'),
    openshift(cluster, 'clusterNetwork'),
  ),
);

/** The Service CIDRs; empty if unknown. */
export function serviceRanges(cluster: ClusterModel | undefined): readonly string[] {
  return cluster ? readServiceRanges(cluster) : [];
}

const readServiceRanges = oncePerCluster(cluster => {
  const installation = cluster.custom('operator.tigera.io', 'Installation')[0];
  return firstOf(
    kubeadm(cluster, 'serviceSubnet'),
    cluster.custom('networking.k8s.io', 'ServiceCIDR').flatMap(range => listProperty(property(range, 'spec'), 'cidrs')),
    flagOf(cluster, 'kube-apiserver', 'service-cluster-ip-range'),
    openshift(cluster, 'serviceNetwork'),
    listProperty(property(installation, 'spec'), 'serviceCIDRs'),
  );
});

function firstOf(...candidates: (readonly unknown[] | undefined)[]): string[] {
  for (const candidate of candidates) {
    const ranges = candidate?.filter(
      (range): range is string => typeof range === 'string' && /^[\d.]+\/\d+$/.test(range),
    );
    if (ranges && ranges.length > 0) return ranges;
  }
  return [];
}

function kubeadm(cluster: ClusterModel, key: string): string[] {
  return line(cluster.find('ConfigMap', 'kubeadm-config', 'kube-system')?.data.ClusterConfiguration, key);
}

/** The comma-separated value of a key in a YAML text. */
function line(yaml: string | undefined, key: string): string[] {
  const value = new RegExp(`^[ \\t]*${key}:[ \\t]*["']?([^"'\\s#]+)`, 'm').exec(yaml ?? '')?.[1];
  return value?.split(',') ?? [];
}

/** A flag of a static control plane pod. */
function flagOf(cluster: ClusterModel, component: string, flag: string): string[] {
  const pod = cluster.all('Pod').find(({metadata}) => metadata.labels.component === component);
  const words = pod?.spec.containers.flatMap(({command, args}) => [...command, ...args]) ?? [];
  const prefix = `--${flag}=`;
  return (
    words
      .find(word => word.startsWith(prefix))
      ?.slice(prefix.length)
      .split(',') ?? []
  );
}

function openshift(cluster: ClusterModel, key: string): unknown[] {
  const network = ['operator.openshift.io', 'config.openshift.io'].flatMap(group =>
    cluster.custom(group, 'Network'),
  )[0];
  return listProperty(property(network, 'spec'), key).map(entry => property(entry, 'cidr') ?? entry);
}
