import {podNetwork} from '../../checks/pod-network.js';
import {property, textProperty} from '../../lib/json-properties.js';
import {shellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {cleanupRemedy, manualCutting} from '../../model/remedies.js';
import {fail, skipped, unknown} from '../../model/verdict.js';
import {sameCidr} from '../../snapshot/addresses.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import {nodeAnnotation, podSubnets} from './cluster-facts.js';

export const subnetChecks: readonly Check[] = [
  check({
    id: 'hns/subnet-missing',
    title: 'HNS network has all subnets of the cluster',
    failure: 'HNS network lacks a subnet of the cluster',
    severity: 'error',
    repair: {level: 'hard', effect: 'cut', restarts: 'agent'},
    plugins: 'Kube-OVN',
    needs: ['hnsNetworks', 'cluster'],
    consequenceOf: ['hns/network-present'],
    appliesTo: runs('kube-ovn'),
    run({node, plugin, object, cluster}) {
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      // The join subnet is for nodes only; it has no pods.
      const join = nodeAnnotation(object, 'logical_switch') ?? 'join';
      const missing = podSubnets(cluster)
        .filter(({name}) => name !== join)
        .flatMap(({name, ipv4}) => ipv4.map(cidr => ({name, cidr})))
        .filter(({cidr}) => !network.subnets.some(({prefix}) => sameCidr(prefix, cidr)));
      if (missing.length === 0) return undefined;
      const names = missing.map(({name, cidr}) => `${name} (${cidr})`).join(', ');
      return fail(
        `${missing.length === 1 ? 'Subnet' : 'Subnets'} ${names} of the cluster ${missing.length === 1 ? 'is' : 'are'} not in HNS network ${network.name}: no pod of that subnet can start on this node.`,
      )
        .because({
          section: 'hnsNetworks',
          object: network.name,
          field: 'Subnets',
          seen: network.subnets.map(({prefix}) => prefix),
          expected: missing.map(({cidr}) => cidr),
        })
        .fixedBy(cleanupRemedy(node, {cuts: true}));
    },
    explain: {
      meaning:
        'Kube-OVN creates its HNS network with all subnets that exist at that time, and never adds one later. A subnet of the cluster is missing from it, so Windows rejects endpoints with addresses of that subnet.',
      why: 'The subnet was created after the network of this node. Kube-OVN on Windows requires all subnets to exist before a node is installed.',
      see: [
        'kubectl get subnets.kubeovn.io',
        'Get-HnsNetwork | Where-Object Name -eq kube-ovn | Select-Object -ExpandProperty Subnets',
      ],
      fix: [
        'Schedule pods of that subnet to Linux nodes only. Then no repair is needed.',
        'Otherwise drain the node and recreate the network (interrupts node networking): kubectl win cleanup NODE --level=hard',
      ],
      sources: [
        'https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md',
        'https://github.com/kubeovn/kube-ovn/blob/release-1.14/pkg/daemon/config_windows.go',
      ],
    },
  }),

  check({
    id: 'hns/subnet-stale',
    title: 'HNS network has only subnets of the cluster',
    failure: 'HNS network has a subnet that the cluster no longer has',
    severity: 'warning',
    plugins: 'Kube-OVN',
    needs: ['hnsNetworks', 'cluster'],
    consequenceOf: ['hns/network-present'],
    appliesTo: runs('kube-ovn'),
    run({node, plugin, cluster}) {
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      const known = everySubnet(cluster);
      if (known.length === 0) return unknown('The subnets of the cluster were not read.');
      const stale = network.subnets.filter(({prefix}) => !known.some(cidr => sameCidr(prefix, cidr)));
      if (stale.length === 0) return undefined;
      const prefixes = stale.map(({prefix}) => prefix).join(', ');
      return fail(
        `HNS network ${network.name} still has ${prefixes}, which the cluster no longer has: Windows routes these addresses to pods.`,
      )
        .because({
          section: 'hnsNetworks',
          object: network.name,
          field: 'Subnets',
          seen: network.subnets.map(({prefix}) => prefix),
          expected: known,
        })
        .fixedBy(
          manualCutting(
            'If nothing else uses these addresses, no action is needed until the node is repaired or reinstalled.',
            `kubectl win cleanup ${shellText(node.name)} --level=hard --force (recreates the network; interrupts node networking)`,
          ),
        );
    },
    explain: {
      meaning:
        'Kube-OVN creates its HNS network with the subnets that exist at that time, and never removes one. A subnet was deleted or changed since. Pods on this node cannot reach other machines with these addresses.',
      why: 'A subnet was deleted or its range was changed. Kube-OVN on Windows supports neither while a node is running.',
      see: [
        'kubectl get subnets.kubeovn.io',
        'Get-HnsNetwork | Where-Object Name -eq kube-ovn | Select-Object -ExpandProperty Subnets',
      ],
      fix: [
        'If nothing else uses these addresses, no repair is needed.',
        'Otherwise drain the node and recreate the network (interrupts node networking): kubectl win cleanup NODE --level=hard --force',
      ],
      sources: ['https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md'],
    },
  }),
];

/** All IPv4 ranges of all subnets, with any provider. */
function everySubnet(cluster: ClusterModel): string[] {
  return cluster.custom('kubeovn.io', 'Subnet').flatMap(subnet =>
    (textProperty(property(subnet, 'spec'), 'cidrBlock') ?? '')
      .split(',')
      .map(cidr => cidr.trim())
      .filter(cidr => cidr !== '' && !cidr.includes(':')),
  );
}
