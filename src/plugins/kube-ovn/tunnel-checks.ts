import {podNetwork} from '../../checks/pod-network.js';
import {uplinkOf} from '../../checks/uplink.js';
import {shellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {annotateTunnelRemedy, manualCutting} from '../../model/remedies.js';
import {fail, skipped, unknown} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';
import {resolve, tunnelAnnotation} from './tunnel-interface.js';

const sources = [
  'https://github.com/kubeovn/kube-ovn/blob/release-1.14/pkg/daemon/config.go',
  'https://github.com/kubeovn/kube-ovn/blob/release-1.14/pkg/daemon/config_windows.go',
  'https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md',
];

export const tunnelChecks: readonly Check[] = [
  check({
    id: 'tunnel/annotation-resolves',
    title: 'Tunnel annotation names one adapter',
    failure: 'Tunnel annotation does not name exactly one adapter',
    severity: 'error',
    blocksRepair: true,
    plugins: 'Kube-OVN',
    needs: ['nodeObject', 'netAdapters'],
    appliesTo: runs('kube-ovn'),
    run({node, object, plugin}) {
      const value = object.metadata.annotations[tunnelAnnotation];
      if (!value) return undefined;
      const {how, adapters} = resolve(value, node);
      if (adapters.length === 1) return undefined;
      if (how === 'too complex')
        return unknown(
          `No adapter is named ${value}, and as a regular expression the annotation is too complex to be evaluated here.`,
        );
      const network = podNetwork(node, plugin.profile.network);
      const otherCase = node.netAdapters.find(({name}) => same(name, value))?.name;
      const seen = adapters.length > 1 ? adapters : node.netAdapters.map(({name}) => name);
      return fail(
        adapters.length > 1
          ? `Annotation ${tunnelAnnotation} is ${value}. No adapter has that name, and as a pattern it matches ${adapters.length} adapters: ${adapters.join(', ')}. kube-ovn uses the first one.`
          : otherCase === undefined
            ? `Annotation ${tunnelAnnotation} is ${value}, but ${how === 'invalid' ? 'no adapter has that name, and it is not a valid regular expression' : 'no adapter has that name or matches it'}: kube-ovn cannot start again.`
            : `Annotation ${tunnelAnnotation} is ${value}, but the adapter is ${otherCase}: kube-ovn is case-sensitive and cannot start again.`,
      )
        .because(
          {
            section: 'cluster',
            object: `Node ${node.name}`,
            field: tunnelAnnotation,
            seen: value,
            expected: 'the name of one adapter',
          },
          {
            section: 'netAdapters',
            object: adapters.length > 1 ? 'all matching adapters' : 'all adapters',
            seen,
          },
        )
        .fixedBy(annotateTunnelRemedy(node, otherCase ?? (network && uplinkOf(node, network))));
    },
    explain: {
      meaning:
        'Kube-OVN reads the tunnel adapter from the node annotation ovn.kubernetes.io/tunnel_interface. The value must be the exact name of an adapter. If no adapter has that name, Kube-OVN uses the value as an unanchored regular expression. Here it matches no adapter, or several.',
      why: 'The name is misspelled or has the wrong case, or the adapter was renamed. Ethernet as a pattern also matches Ethernet0, Ethernet 2 and vEthernet (nat). The annotation is read when the daemon starts, so a wrong one may go unnoticed until the next reboot.',
      see: [
        "kubectl get node NODE -o jsonpath='{.metadata.annotations.ovn\\.kubernetes\\.io/tunnel_interface}'",
        'Get-NetAdapter | Select-Object Name, Status, MacAddress',
      ],
      fix: [
        'kubectl win annotate-tunnel NODE (shows the adapters of the node and validates your choice)',
        "Or: kubectl annotate node NODE ovn.kubernetes.io/tunnel_interface='Ethernet0' --overwrite",
        'To use the adapter of the node address, remove it: kubectl annotate node NODE ovn.kubernetes.io/tunnel_interface-',
      ],
      sources,
    },
  }),

  check({
    id: 'tunnel/annotation-matches-uplink',
    title: 'Tunnel annotation names the adapter that the network uses',
    failure: 'Tunnel annotation names a different adapter than the network uses',
    severity: 'error',
    repair: {level: 'hard', effect: 'cut', restarts: 'agent'},
    plugins: 'Kube-OVN',
    needs: ['nodeObject', 'netAdapters', 'hnsNetworks'],
    consequenceOf: ['tunnel/annotation-resolves', 'hns/network-present'],
    appliesTo: runs('kube-ovn'),
    run({node, object, plugin}) {
      const value = object.metadata.annotations[tunnelAnnotation];
      if (!value) return undefined;
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      const {adapters} = resolve(value, node);
      const [adapter] = adapters;
      if (adapter === undefined || adapters.length > 1)
        return skipped(`Annotation ${tunnelAnnotation} does not name exactly one adapter.`);
      const uplink = uplinkOf(node, network);
      if (uplink === undefined) return unknown(`The NIC of HNS network ${network.name} could not be determined.`);
      if ([uplink, ...plugin.profile.bridges].some(name => same(name, adapter))) return undefined;
      return fail(
        `Annotation ${tunnelAnnotation} names ${adapter}, but HNS network ${network.name} uses ${uplink}: tunnels have the address of one NIC but leave through the other.`,
      )
        .because(
          {section: 'cluster', object: `Node ${node.name}`, field: tunnelAnnotation, seen: value, expected: uplink},
          {section: 'hnsNetworks', object: network.name, field: 'NetworkAdapterName', seen: uplink, expected: adapter},
        )
        .fixedBy(
          manualCutting(
            `To stay on ${uplink}: kubectl win annotate-tunnel ${shellText(node.name)} ${shellText(uplink)} --overwrite (does not interrupt node networking)`,
            `To move to ${adapter}: kubectl win cleanup ${shellText(node.name)} --level=hard (removes the network; kube-ovn recreates it on ${adapter})`,
          ),
        );
    },
    explain: {
      meaning:
        'The annotation names one adapter, but the HNS network of this node uses another. On Windows, Kube-OVN uses the adapter of an existing network regardless of the annotation; only the tunnel address follows the annotation. So the tunnels use the address of a NIC that does not carry them.',
      why: 'The annotation was set or changed after the network was created. Kube-OVN on Windows cannot change the tunnel adapter of a running node; it must be set before the first start.',
      see: [
        'Get-HnsNetwork | Where-Object Name -eq kube-ovn | Select-Object NetworkAdapterName, ManagementIP',
        'ovs-vsctl.exe --timeout=5 get Open_vSwitch . external-ids:ovn-encap-ip',
      ],
      fix: [
        'Set the annotation to the adapter that the network uses, then Restart-Service kube-ovn.',
        'Or move the network with console access: drain the node, stop ovn-controller and kube-ovn, delete both bridges and the HNS network, start kube-ovn, wait for the network and its OVS extension, start ovn-controller.',
      ],
      sources,
    },
  }),
];
