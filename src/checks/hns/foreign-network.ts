import {powerShellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {manualCutting} from '../../model/remedies.js';
import {fail} from '../../model/verdict.js';
import {isType, type Network} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {isNeverStale, podNetwork} from '../pod-network.js';

export const foreignNetworkChecks: readonly Check[] = [
  check({
    id: 'hns/foreign-network',
    title: 'No HNS network of another plugin',
    failure: 'HNS network left over from another plugin',
    severity: 'warning',
    needs: ['hnsNetworks'],
    appliesTo: ({plugin}) => plugin.plugin !== undefined,
    run({node, plugin}) {
      const own = podNetwork(node, plugin.profile.network);
      return node.hnsNetworks
        .filter(network => network.id !== own?.id && !isNeverStale(network))
        .filter(({name}) => !plugin.plugin?.ownNetworks?.test(name))
        .flatMap(network => {
          const owner = plugin.known.find(({ownNetworks}) => ownNetworks?.test(network.name));
          if (!owner) return [];
          const verdict = foreign(node, network, owner.title, plugin.title);
          // It occupies the NIC that the plugin's own network needs.
          return plugin.profile.network && !own && sitsOnNic(network)
            ? [verdict.as('error').explaining('hns/network-present', 'cni/agent-pod')]
            : [verdict];
        });
    },
    explain: {
      meaning:
        'The node has an HNS network of another plugin. It may occupy the NIC, reserve ports, or confuse kube-proxy.',
      why: 'The cluster or the node was migrated from another plugin. Most plugins do not remove their HNS networks when they are uninstalled.',
      see: ['Get-HnsNetwork | Select-Object Name, Type, ManagementIP, CurrentEndpointCount'],
      fix: [
        'Make sure that no component of the other plugin is running on the node.',
        'With console access, because the network may use the NIC: Get-HnsNetwork | Where-Object Name -eq NETWORK | Remove-HnsNetwork',
        'Restart the plugin agent that should run.',
      ],
      sources: [
        'https://github.com/projectcalico/calico/tree/master/node/windows-packaging',
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/hns.psm1',
      ],
    },
  }),
];

/** NAT and internal networks have their own switch; the others use a NIC. */
function sitsOnNic(network: Network): boolean {
  return isType(network, 'Overlay', 'L2Bridge', 'L2Tunnel', 'Transparent');
}

function foreign(node: NodeModel, network: Network, owner: string, here: string) {
  const endpoints = node.hnsEndpoints?.filter(({networkId}) => networkId === network.id).length;
  return fail(`HNS network ${network.name} belongs to ${owner}, but this node runs ${here}.`)
    .because({
      section: 'hnsNetworks',
      object: network.name,
      field: 'Name',
      seen: `${network.type}, ${endpoints ?? 'an unknown number of'} endpoints`,
      expected: 'no network of another plugin',
    })
    .fixedBy(
      manualCutting(
        `Make sure that no component of ${owner} is running on this node.`,
        `Get-HnsNetwork | Where-Object Name -eq ${powerShellText(network.name)} | Remove-HnsNetwork`,
        `Restart the agent of ${here}.`,
      ),
    );
}
