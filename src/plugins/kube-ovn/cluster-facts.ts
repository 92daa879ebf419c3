import {property, textProperty} from '../../lib/json-properties.js';
import {isIpv4} from '../../snapshot/addresses.js';
import type {ClusterModel, CustomResource, KubeNode, Workload} from '../../snapshot/cluster.js';
import {ofPlugin} from '../../snapshot/plugin-objects.js';

export function controller(cluster: ClusterModel | undefined): Workload | undefined {
  return ofPlugin(
    (cluster?.all('Deployment') ?? []).filter(({metadata}) => metadata.name === 'kube-ovn-controller'),
  )[0];
}

/** A Kube-OVN annotation of a node; the IPv4 part of a dual-stack list (`10.1.2.3,fd00::3`). */
export function nodeAnnotation(node: KubeNode | undefined, key: string): string | undefined {
  const parts = node?.metadata.annotations[`ovn.kubernetes.io/${key}`]?.split(',').map(part => part.trim());
  return (parts?.find(part => isIpv4(part.split('/')[0])) ?? parts?.[0]) || undefined;
}

/** A pod subnet of the cluster. Subnets of other providers are secondary networks, which Windows does not support. */
export interface ClusterSubnet {
  readonly name: string;
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

export function podSubnets(cluster: ClusterModel): ClusterSubnet[] {
  return cluster
    .custom('kubeovn.io', 'Subnet')
    .filter(subnet => subnet.metadata.deletionTimestamp === undefined && isOvn(subnet))
    .map(subnet => {
      const cidrs = (textProperty(property(subnet, 'spec'), 'cidrBlock') ?? '')
        .split(',')
        .map(cidr => cidr.trim())
        .filter(cidr => cidr !== '');
      return {
        name: subnet.metadata.name,
        ipv4: cidrs.filter(cidr => !cidr.includes(':')),
        ipv6: cidrs.filter(cidr => cidr.includes(':')),
      };
    });
}

function isOvn(subnet: CustomResource): boolean {
  const provider = textProperty(property(subnet, 'spec'), 'provider');
  return provider === undefined || provider === 'ovn';
}

/** The node's chassis id in OVN; undefined: it has no tunnels. */
export const chassisOf = (node: KubeNode | undefined): string | undefined => nodeAnnotation(node, 'chassis');

/** The adapter that all Linux nodes are configured to use. */
export function linuxTunnelAdapter(cluster: ClusterModel): string | undefined {
  return ofPlugin(cluster.all('DaemonSet').filter(({metadata}) => metadata.name === 'kube-ovn-cni'))
    .flatMap(({spec}) => spec.template.spec.containers)
    .flatMap(({args}) => args)
    .map(arg => /^--iface=(.+)$/.exec(arg)?.[1])
    .find(value => value !== undefined);
}
