import {type Check, check} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';
import {restartAgent} from '../agent.js';
import {podNetwork} from '../pod-network.js';
import {uplinkOf} from '../uplink.js';
import {isDown} from './daemons.js';

export const flowChecks: readonly Check[] = [
  check({
    id: 'ovs/flows',
    title: 'OVS bridges have flows',
    failure: 'OVS bridge has no flows',
    severity: 'error',
    repair: {level: 'soft', effect: 'blip', restarts: 'agent'},
    plugins: 'plugins on OVS',
    needs: ['ovsFlows'],
    // The agent installs the flows after its bridge and its network exist.
    settles: true,
    consequenceOf: [
      'cni/agent-pod',
      'ovs/ovn-southbound',
      'ovs/services',
      'ovs/bridges',
      'ovs/stale-bridge',
      'ovs/extension',
      'hns/network-present',
    ],
    appliesTo: usesOvs,
    run(subject) {
      const {node, plugin} = subject;
      const counted = node.ovsFlows.filter(({bridge}) => plugin.profile.bridges.some(its => same(its, bridge)));
      if (counted.length === 0) return skipped('The bridges of the plugin do not exist.');
      const empty = counted.filter(({flows}) => flows === 0);
      if (empty.length > 0)
        return fail(`Bridge ${empty.map(({bridge}) => bridge).join(' and ')} has no flows: OVS drops all pod traffic.`)
          .because(
            ...empty.map(({bridge}) => ({
              section: 'ovsFlows',
              object: `Bridge ${bridge}`,
              field: 'Flows',
              seen: 0,
              expected: 'above 0',
            })),
          )
          .fixedBy(
            manual(restartAgent(subject), 'If there are still no flows, read the log of the agent for the reason.'),
          );
      const uncounted = counted.filter(({flows}) => flows === undefined);
      if (uncounted.length === 0) return undefined;
      if (isDown('ovs-vswitchd', node)) return skipped('ovs-vswitchd is not running: ovs/services reports it.');
      return unknown(
        `The flows of ${uncounted.map(({bridge}) => bridge).join(', ')} could not be counted: ${uncounted[0]?.error ?? 'no reason given'}.`,
      );
    },
    explain: {
      meaning:
        'OVS forwards packets according to its flows. The agent (Antrea) or ovn-controller (Kube-OVN, OVN) installs them on the bridge. This bridge has no flows, so it drops all packets.',
      why: 'The agent or ovn-controller is not connected to the bridge, lost its connection to the controller, or OVS was restarted and the flows were not installed again.',
      see: [
        'ovs-ofctl.exe dump-aggregate br-int',
        'ovs-ofctl.exe dump-flows br-int',
        'ovs-vsctl.exe --timeout=5 get-controller br-int',
      ],
      fix: [
        'Restart the agent, or for OVN Restart-Service ovn-controller.',
        'Antrea with OVS in its pod: kubectl -n kube-system exec POD -c antrea-ovs -- ovs-ofctl.exe dump-aggregate br-int',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/design/windows-design.md',
        'https://docs.openvswitch.org/en/latest/ref/ovs-ofctl.8/',
      ],
    },
  }),

  check({
    id: 'ovs/bridge-mac',
    title: 'Bridge has the MAC address of its network adapter',
    failure: 'Bridge and network adapter have different MAC addresses',
    severity: 'warning',
    plugins: 'plugins on OVS',
    needs: ['netAdapters', 'hnsNetworks'],
    consequenceOf: ['hns/network-present', 'net/node-ip-owner', 'ovs/uplink-port'],
    appliesTo: subject => usesOvs(subject) && subject.plugin.profile.managementAdapter !== undefined,
    run({node, plugin}) {
      const name = plugin.profile.managementAdapter ?? '';
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      const bridge = node.netAdapters.find(adapter => same(adapter.name, name));
      if (!bridge) return skipped(`Adapter ${name} does not exist.`);
      const uplink = uplinkOf(node, network);
      const nic = node.netAdapters.find(adapter => uplink !== undefined && same(adapter.name, uplink));
      if (!nic?.mac || !bridge.mac) return unknown(`The MAC addresses of ${name} and its network adapter are unknown.`);
      if (same(nic.mac, bridge.mac)) return undefined;
      return fail(
        `${name} has MAC address ${bridge.mac}, but network adapter ${nic.name} has ${nic.mac}: DHCP servers and switches treat the node as another machine.`,
      )
        .because(
          {section: 'netAdapters', object: name, field: 'MacAddress', seen: bridge.mac, expected: nic.mac},
          {section: 'netAdapters', object: nic.name, field: 'MacAddress', seen: nic.mac},
        )
        .fixedBy(
          manual(
            `kubectl win cleanup ${node.name} --level=hard --force (recreates the network; interrupts node networking)`,
          ),
        );
    },
    explain: {
      meaning:
        'When the plugin creates its switch, the IP and MAC addresses of the network adapter move to the OVS bridge. This bridge has a different MAC address.',
      why: 'The network adapter of a virtual machine was replaced or cloned, or the MAC address was set manually after the network was created.',
      see: ['Get-NetAdapter | Select-Object Name, MacAddress'],
      fix: ['Recreate the network with console access: kubectl win cleanup NODE --level=hard --force'],
      sources: ['https://github.com/antrea-io/antrea/blob/main/docs/design/windows-design.md'],
    },
  }),
];
