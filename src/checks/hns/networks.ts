import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, info, skipped, unknown} from '../../model/verdict.js';
import {sameCidr} from '../../snapshot/addresses.js';
import {isType, type Network, same} from '../../snapshot/hns.js';
import {podNetwork} from '../pod-network.js';

const noNetwork = (name: string | undefined) => skipped(`HNS network ${name} does not exist.`);

export const networkChecks: readonly Check[] = [
  check({
    id: 'hns/network-present',
    title: 'HNS network of the plugin exists',
    failure: 'HNS network of the plugin is missing',
    severity: 'error',
    repair: {level: 'soft', effect: 'blip', restarts: 'agent'},
    needs: ['hnsNetworks'],
    settles: true,
    consequenceOf: [
      'hns/responds',
      'hns/service',
      'cni/azure-state',
      'cni/hybrid-overlay-subnet',
      'cni/flannel-net-conf',
      'tunnel/annotation-resolves',
      'cni/agent-pod',
      'ovs/services',
      'ovs/driver',
      'platform/hyper-v',
      'platform/test-signing',
      'net/apipa',
      'net/orphan-switch-binding',
    ],
    appliesTo: ({plugin}) => plugin.profile.network !== undefined,
    run({node, plugin}) {
      const expected = plugin.profile.network;
      if (!expected || podNetwork(node, expected)) return undefined;
      if (expected.absentBecause)
        return info(`HNS network ${expected.name} does not exist, which is expected: ${expected.absentBecause}.`);
      return fail(`HNS network ${expected.name} does not exist, so pods on this node have no network.`)
        .because(
          {
            section: 'hnsNetworks',
            object: expected.name,
            seen: null,
            expected: `Type ${expected.types.join(' or ')}`,
          },
          {
            section: 'hnsNetworks',
            object: 'all HNS networks',
            seen: node.hnsNetworks.map(({name, type}) => `${name} (${type})`),
          },
        )
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'The network plugin keeps one HNS network on every Windows node, and every pod is attached to it. It is missing, so pods get no address and no network.',
      why: 'Several plugins create this network without persistence: a reboot removes it, and the agent recreates it. If it is still missing minutes after the agent started, the agent could not create it: its OVS services are not running, another switch uses its uplink adapter, or leftovers from before the reboot block it.',
      see: [
        'Get-HnsNetwork | Select-Object Name, Type, ManagementIP',
        'kubectl get pods -A -o wide --field-selector spec.nodeName=NODE',
      ],
      fix: [
        'Restart the plugin agent on this node. Most agents recreate the network within two minutes.',
        'If that does not help, remove stale objects first: kubectl win cleanup NODE',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
        'https://github.com/flannel-io/flannel/issues/1391',
      ],
    },
  }),

  check({
    id: 'hns/network-type',
    title: 'HNS network has the type that the plugin requires',
    failure: 'HNS network has the wrong type',
    severity: 'error',
    repair: {level: 'hard', effect: 'cut', restarts: 'agent'},
    needs: ['hnsNetworks'],
    appliesTo: ({plugin}) => plugin.profile.network !== undefined,
    run({node, plugin}) {
      const expected = plugin.profile.network;
      const network = podNetwork(node, expected);
      if (!expected || !network) return noNetwork(expected?.name);
      if (isType(network, ...expected.types)) return undefined;
      return fail(
        `HNS network ${network.name} has type ${network.type}, but ${plugin.title} requires ${expected.types.join(' or ')}.`,
      )
        .because({
          section: 'hnsNetworks',
          object: network.name,
          field: 'Type',
          seen: network.type,
          expected: expected.types.join(' or '),
        })
        .fixedBy(cleanupRemedy(node, {cuts: true}));
    },
    explain: {
      meaning:
        'The network has the expected name but a different type. The type decides how packets leave the node: encapsulated (Overlay), bridged (L2Bridge), or unchanged (Transparent). With the wrong type, pods on other nodes are not reachable.',
      why: 'The backend of the plugin was changed after the node had joined, or the network was created manually or by another plugin that uses the same name.',
      see: ['Get-HnsNetwork | Select-Object Name, Type'],
      fix: [
        'Flannel and Calico recreate the network when their agent restarts: restart it and run doctor again.',
        'Otherwise remove the network with console access, then restart the agent: kubectl win cleanup NODE',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/blob/master/pkg/backend/vxlan/device_windows.go',
        'https://github.com/containernetworking/plugins/tree/main/plugins/main/windows',
      ],
    },
  }),

  check({
    id: 'hns/subnet',
    title: 'HNS network has the pod subnet of the node',
    failure: 'HNS network has a different subnet than the node',
    severity: 'error',
    repair: {level: 'soft', effect: 'blip', restarts: 'agent'},
    plugins: 'Flannel, Antrea, OVN-Kubernetes, Calico',
    needs: ['hnsNetworks'],
    settles: true,
    consequenceOf: ['hns/network-type'],
    appliesTo: ({plugin}) => plugin.profile.network?.subnetFollows !== undefined,
    run(subject) {
      const {node, plugin} = subject;
      const networks = allPodNetworks(subject);
      const [network] = networks;
      if (!network) return noNetwork(plugin.profile.network?.name);
      const expected = plugin.profile.podSubnet;
      if (expected === undefined) return unknown('The pod subnet of this node is unknown.');
      const prefixes = networks.flatMap(({subnets}) => subnets.map(({prefix}) => prefix));
      if (prefixes.some(prefix => sameCidr(prefix, expected))) return undefined;
      return fail(
        `HNS network ${network.name} has ${prefixes.length === 0 ? 'no subnet' : `subnet ${prefixes.join(', ')}`}, but the pod subnet of this node is ${expected}: other nodes cannot reach its pods.`,
      )
        .because({
          section: 'hnsNetworks',
          object: network.name,
          field: 'Subnets',
          seen: prefixes,
          expected,
        })
        .fixedBy(cleanupRemedy(node, {cuts: plugin.profile.network?.subnetFollows === 'removal of the network'}));
    },
    explain: {
      meaning:
        'Each node has its own pod subnet, and the other nodes route to it. The HNS network has a different subnet, so pods get addresses that belong to another node or to none.',
      why: 'The node was deleted from the cluster and joined again, and got a new subnet; or the network was created before the pod CIDR changed.',
      see: [
        '(Get-HnsNetwork | Where-Object Name -eq NETWORK).Subnets | Select-Object AddressPrefix, GatewayAddress',
        'kubectl get node NODE -o jsonpath="{.spec.podCIDR} {.metadata.annotations}"',
      ],
      fix: [
        'Restart the agent: Flannel, Calico and the hybrid overlay then recreate the network with the correct subnet.',
        'Antrea does not: remove the network with console access, then restart the agent: kubectl win cleanup NODE',
        'Then delete the pods on the node, so that they get new addresses.',
      ],
      sources: ['https://github.com/flannel-io/flannel/blob/master/pkg/backend/vxlan/device_windows.go'],
    },
  }),
];

/** All networks of the plugin: Calico can have one per block. */
function allPodNetworks({node, plugin}: NodeSubject): Network[] {
  const expected = plugin.profile.network;
  if (!expected) return [];
  const first = podNetwork(node, expected);
  return (node.hnsNetworks ?? []).filter(
    ({id, name}) => id === first?.id || same(name, expected.name) || (expected.alsoNamed?.test(name) ?? false),
  );
}
