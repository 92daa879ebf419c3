import {type Check, check} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {type Evidence, fail, skipped, unknown} from '../../model/verdict.js';
import {isIpv4} from '../../snapshot/addresses.js';
import {internalIps} from '../../snapshot/cluster.js';
import {same} from '../../snapshot/hns.js';
import type {Ovs} from '../../snapshot/ovs.js';
import {restartAgent} from '../agent.js';
import {lacksNetwork} from '../pod-network.js';

export const addressChecks: readonly Check[] = [
  check({
    id: 'ovs/gateway-port',
    title: 'Gateway port is up and has its address',
    failure: 'Gateway port is down or has the wrong address',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    plugins: 'Antrea antrea-gw0, Kube-OVN ovn0',
    needs: ['netAdapters', 'netIPAddresses'],
    consequenceOf: [
      'hns/responds',
      'hns/service',
      'hns/network-present',
      'ovs/stale-bridge',
      'ovs/bridges',
      'ovs/services',
      'ovs/extension',
      'ovs/ovn-southbound',
    ],
    appliesTo: ({plugin}) => plugin.profile.ovs !== undefined,
    run({node, plugin}) {
      const {port = '', address} = plugin.profile.ovs?.gateway ?? {};
      if (lacksNetwork({node, plugin})) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      const adapter = node.netAdapters.find(({name}) => same(name, port));
      if (!adapter) {
        return fail(`Adapter ${port} does not exist, so the node and its pods cannot reach each other.`)
          .because({
            section: 'netAdapters',
            object: port,
            seen: node.netAdapters.map(({name}) => name),
            expected: `adapter ${port}, up`,
          })
          .fixedBy(cleanupRemedy(node));
      }
      if (adapter.status === undefined) return unknown(`Windows did not report the status of adapter ${port}.`);
      if (!same(adapter.status, 'Up')) {
        return fail(
          `Adapter ${port} is ${adapter.status.toLowerCase()}, so the node and its pods cannot reach each other.`,
        )
          .because({section: 'netAdapters', object: port, field: 'Status', seen: adapter.status, expected: 'Up'})
          .fixedBy(cleanupRemedy(node));
      }
      if (address === undefined)
        return unknown(`The expected address of ${port} is unknown: the Node object does not contain it.`);
      const held = node.netIPAddresses.filter(its => same(its.adapter, port) && isIpv4(its.ip)).map(({ip}) => ip);
      if (held.includes(address)) return undefined;
      return fail(
        `Adapter ${port} has ${held.length > 0 ? `the address ${held.join(', ')}` : 'no IPv4 address'} instead of ${address}.`,
      )
        .because({section: 'netIPAddresses', object: port, field: 'IPAddress', seen: held, expected: address})
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        "The node reaches its pods through its own port on the bridge: antrea-gw0 with the first address of the node's pod CIDR (Antrea), or ovn0 with the address in the node's annotation ovn.kubernetes.io/ip_address (Kube-OVN). The adapter is missing, down, or has a different address.",
      why: 'OVS could not create the port, the agent stopped before it set the address, or the pod CIDR of the node changed (the node was deleted from the cluster and joined again) and the agent was not restarted since.',
      see: [
        'Get-NetAdapter antrea-gw0',
        'Get-NetIPAddress -InterfaceAlias antrea-gw0 -AddressFamily IPv4',
        "kubectl get node NODE -o jsonpath='{.spec.podCIDR}'",
      ],
      fix: ['Restart the agent; it sets up the port and its address when it starts.'],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/design/windows-design.md',
        'https://github.com/kubeovn/kube-ovn/blob/release-1.14/pkg/daemon/ovs_windows.go',
      ],
    },
  }),

  check({
    id: 'ovs/tunnel-port',
    title: 'Tunnels use the node address',
    failure: 'Tunnels use the wrong address',
    severity: 'error',
    repair: {level: 'soft', effect: 'uncertain', restarts: 'agent'},
    plugins: 'plugins on OVS',
    needs: ['ovs', 'nodeObject'],
    consequenceOf: ['hns/network-present', 'ovs/bridges', 'tunnel/annotation-resolves'],
    appliesTo: subject => usesOvs(subject) && subject.plugin.profile.tunnel !== undefined,
    run(subject) {
      const {node, plugin, object} = subject;
      if (lacksNetwork(subject)) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      if (!node.ovs.bridges.some(({name}) => plugin.profile.bridges.includes(name)))
        return skipped(`OVS has no bridge ${plugin.profile.bridges.join(' or ')}.`);
      const own = internalIps(object);
      const expected = 'transport' in plugin.profile ? plugin.profile.transport : own.length > 0 ? own : undefined;
      if (!expected && plugin.profile.noTransport !== undefined) return skipped(plugin.profile.noTransport);
      if (!expected) return unknown('The expected source address of tunnels could not be determined.');
      const used = tunnelEnd(node.ovs, plugin.profile.bridges);
      const remedy = manual(restartAgent(subject));
      if (!used) {
        return fail(
          'OVS has no tunnel port and no tunnel address, so pods here and on other nodes cannot reach each other.',
        )
          .because({
            section: 'ovs',
            object: 'Open_vSwitch, Interface',
            field: 'external_ids:ovn-encap-ip, type',
            seen: null,
            expected: `${plugin.profile.tunnel?.protocol} from ${expected.join(' or ')}`,
          })
          .fixedBy(remedy);
      }
      if (used.address === undefined) return unknown(`${used.evidence.object} has no local address.`);
      if (used.address.split(',').some(ip => expected.includes(ip.trim()))) return undefined;
      return fail(
        expected.length > 0
          ? `Tunnels use ${used.address}, but the tunnel address of this node is ${expected.join(' or ')}: other nodes drop its packets or reply to another address.`
          : `Tunnels use ${used.address}, but the tunnel adapter has no usable IPv4 address.`,
      )
        .because({...used.evidence, expected: expected.join(' or ') || 'an address of the tunnel adapter'})
        .fixedBy(remedy);
    },
    explain: {
      meaning:
        'Traffic to pods on other nodes uses a tunnel. Its source address is not an address of this node, or not the one that the other nodes use: the node address, unless another NIC is configured (transportInterface for Antrea, the annotation ovn.kubernetes.io/tunnel_interface for Kube-OVN).',
      why: 'The node address changed (a new DHCP lease, a new subnet), or the tunnel NIC was changed, and the agent was not restarted since. The agent reads both only when it starts.',
      see: [
        'ovs-vsctl.exe --timeout=5 get Open_vSwitch . external-ids:ovn-encap-ip',
        'ovs-vsctl.exe --timeout=5 get Interface antrea-tun0 options:local_ip',
        'kubectl get node NODE -o wide',
      ],
      fix: [
        'Restart the agent on this node; it updates the address.',
        'Then check that the Linux nodes use the new address.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/build/charts/antrea-windows/conf/antrea-agent.conf',
        'https://github.com/kubeovn/kube-ovn/blob/release-1.14/pkg/daemon/config.go',
      ],
    },
  }),
];

const tunnelTypes = ['geneve', 'vxlan', 'stt', 'gre'];

/**
 * The local tunnel address: Antrea has one tunnel port for all peers; OVN has one port per peer and the address in the
 * root row.
 */
function tunnelEnd(
  ovs: Ovs,
  bridges: readonly string[],
): {address: string | undefined; evidence: Evidence} | undefined {
  const port = ovs.bridges
    .filter(({name}) => bridges.includes(name))
    .flatMap(({ports}) => ports.flatMap(({interfaces}) => interfaces))
    .find(({type, options}) => tunnelTypes.includes(type) && options.remote_ip === 'flow');
  if (port) {
    const address = port.options.local_ip;
    return {
      address,
      evidence: {section: 'ovs', object: `Interface ${port.name}`, field: 'options:local_ip', seen: address ?? null},
    };
  }
  const address = ovs.externalIds['ovn-encap-ip'];
  if (address === undefined) return undefined;
  return {
    address,
    evidence: {section: 'ovs', object: 'Open_vSwitch', field: 'external_ids:ovn-encap-ip', seen: address},
  };
}
