import {podNetwork} from '../../checks/pod-network.js';
import {listProperty, property, textProperty} from '../../lib/json-properties.js';
import {shellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown} from '../../model/verdict.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import {same} from '../../snapshot/hns.js';

export interface ProviderInterface {
  /** Undefined: the provider network has none. */
  readonly name: string | undefined;
  /** Where it is set. */
  readonly field: 'spec.customInterfaces' | 'spec.defaultInterface';
  readonly custom: readonly unknown[];
}

/** The interface of a node in the provider network; undefined: the node is not in the provider network. */
export function providerInterfaceOf(cluster: ClusterModel, node: string): ProviderInterface | undefined {
  const network = cluster.custom('kubeovn.io', 'ProviderNetwork').find(({metadata}) => metadata.name === 'provider');
  const spec = property(network, 'spec');
  if (!network || listProperty(spec, 'excludeNodes').includes(node)) return undefined;
  const custom = listProperty(spec, 'customInterfaces');
  const own = custom.find(entry => listProperty(entry, 'nodes').includes(node));
  return {
    name: textProperty(own, 'interface') ?? textProperty(spec, 'defaultInterface'),
    field: own ? 'spec.customInterfaces' : 'spec.defaultInterface',
    custom: custom.filter(entry => entry !== own),
  };
}

/** The patch that sets another interface for one node. */
export function patchProvider({custom}: ProviderInterface, node: string, adapter: string): string {
  const spec = {customInterfaces: [...custom, {interface: adapter, nodes: [node]}]};
  return `kubectl patch provider-networks.kubeovn.io provider --type=merge -p ${shellText(JSON.stringify({spec}))}`;
}

export const providerChecks: readonly Check[] = [
  check({
    id: 'tunnel/provider-interface',
    title: 'Provider network and HNS network use the same adapter',
    failure: 'Provider network and HNS network use different adapters',
    severity: 'error',
    plugins: 'Kube-OVN',
    needs: ['cluster', 'hnsNetworks'],
    consequenceOf: ['hns/network-present'],
    appliesTo: runs('kube-ovn'),
    run({node, plugin, cluster}) {
      const wanted = providerInterfaceOf(cluster, node.name);
      if (!wanted) return skipped('The node is not in a provider network.');
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      if (wanted.name === undefined) return unknown('The provider network has no interface.');
      const uplink = network.adapterName;
      if (!uplink) return unknown(`The adapter of HNS network ${network.name} is unknown.`);
      if (same(uplink, wanted.name)) return undefined;
      return fail(
        `The adapter of ${node.name} in provider network provider is ${wanted.name}, but HNS network ${network.name} uses ${uplink}: pods on the underlay network are not connected to ${wanted.name}.`,
      )
        .because(
          {
            section: 'cluster',
            object: 'ProviderNetwork provider',
            field: wanted.field,
            seen: wanted.name,
            expected: uplink,
          },
          {section: 'hnsNetworks', object: network.name, field: 'NetworkAdapterName', seen: uplink},
        )
        .fixedBy(
          manual(
            patchProvider(wanted, node.name, uplink),
            `Or move the network to ${wanted.name}: kubectl win annotate-tunnel ${shellText(node.name)}, then kubectl win cleanup ${shellText(node.name)} --level=hard (interrupts node networking).`,
          ),
        );
    },
    explain: {
      meaning:
        'On Windows the bridge br-provider uses the adapter of HNS network kube-ovn. A different adapter is set for this node in the provider network, so underlay traffic goes to the wrong network.',
      why: 'The interface of the provider network was changed after Kube-OVN was installed on the node. Windows nodes do not support that.',
      see: [
        'kubectl get provider-networks.kubeovn.io provider -o yaml',
        'Get-HnsNetwork | Where-Object Name -eq kube-ovn | Select-Object NetworkAdapterName',
      ],
      fix: [
        'Set the adapter of the HNS network in spec.customInterfaces of the provider network.',
        'Or recreate the network on the other adapter: kubectl win annotate-tunnel NODE, then kubectl win cleanup NODE --level=hard',
      ],
      sources: [
        'https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md',
        'https://github.com/kubeovn/kube-ovn/blob/release-1.14/pkg/daemon/config_windows.go',
      ],
    },
  }),
];
