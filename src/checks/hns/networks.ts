import type {Check} from '../check.js';
import {check} from '../check.js';
import {podNetwork} from '../networks.js';
import {cleanup} from '../remedies.js';
import {fail, info} from '../verdict.js';

export const networkChecks: readonly Check[] = [
  check({
    id: 'hns/network-present',
    title: 'HNS network of the plugin is missing',
    severity: 'error',
    needs: ['hnsNetworks'],
    settles: true,
    consequenceOf: ['hns/responds', 'hns/service', 'ovs/services', 'ovs/driver', 'tunnel/annotation-resolves'],
    appliesTo: ({plugin}) => plugin.profile.network !== undefined,
    run({node, plugin}) {
      const expected = plugin.profile.network;
      if (!expected || podNetwork(node, expected)) return undefined;
      if (expected.absentBecause)
        return info(`HNS network ${expected.name} is not there, and need not be: ${expected.absentBecause}.`);
      return fail(`HNS network ${expected.name} does not exist, so pods on this node have no network.`)
        .because({
          section: 'hnsNetworks',
          object: expected.name,
          seen: node.hnsNetworks.map(({name, type}) => `${name} (${type})`),
          expected: `a network ${expected.name} of type ${expected.types.join(' or ')}`,
        })
        .fixedBy(cleanup(node));
    },
    explain: {
      meaning:
        'The network plugin keeps one HNS network on every Windows node, and every pod is attached to it. It is not there, so no pod can get an address or talk.',
      why: 'Several plugins make this network without persistence: a reboot removes it, and the agent makes it again. When it is still missing minutes after the agent has started, the agent could not make it: its OVS services do not run, its uplink adapter is taken by another switch, or leftovers from before the reboot are in its way.',
      see: [
        'Get-HnsNetwork | Select-Object Name, Type, ManagementIP',
        'kubectl get pods -A -o wide --field-selector spec.nodeName=NODE',
      ],
      fix: [
        'Restart the agent of the plugin on this node; most agents make the network again within two minutes.',
        'Where that does not help, remove what is stale first: kubectl win cleanup NODE',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
        'https://github.com/flannel-io/flannel/issues/1391',
      ],
    },
  }),
];
