import {usesOvs} from '../../cni/plugin.js';
import type {Check} from '../check.js';
import {check} from '../check.js';
import {podNetwork} from '../networks.js';
import {cleanup} from '../remedies.js';
import {fail} from '../verdict.js';

const deviceMissing = /could not open network device .*No such device/i;

export const bridgeChecks: readonly Check[] = [
  check({
    id: 'ovs/stale-bridge',
    title: 'OVS bridge left over from before a reboot',
    severity: 'error',
    plugins: 'Antrea, Kube-OVN',
    needs: ['ovs', 'hnsNetworks'],
    appliesTo: usesOvs,
    run({node, plugin}) {
      const network = plugin.profile.network;
      const switchThere = podNetwork(node, network) ?? node.vmSwitches?.find(({name}) => name === network?.name);
      if (switchThere) return undefined;
      return node.ovs.bridges
        .filter(({name}) => plugin.profile.bridges.includes(name))
        .map(bridge =>
          fail(`Bridge ${bridge.name} is in the OVS database, but HNS network ${network?.name} does not exist.`)
            .because(
              {
                section: 'ovs',
                object: `Bridge ${bridge.name}`,
                field: 'ports',
                seen: bridge.ports.map(({name}) => name),
                expected: 'no bridge, or a switch under it',
              },
              {
                section: 'hnsNetworks',
                object: network?.name ?? '',
                seen: null,
                expected: `Type ${network?.types.join(' or ')}`,
              },
              ...bridge.ports
                .flatMap(({interfaces}) => interfaces)
                .filter(({error}) => deviceMissing.test(error ?? ''))
                .map(({name, error}) => ({
                  section: 'ovs',
                  object: `Interface ${name}`,
                  field: 'error',
                  seen: error,
                  expected: 'none',
                })),
            )
            .fixedBy(cleanup(node)),
        );
    },
    explain: {
      meaning:
        'The OVS database still describes a bridge and its ports, but the virtual switch that they were built on is gone. ovs-vswitchd cannot open those ports and may refuse to start, and the agent that waits for it never makes the network again.',
      why: 'OVS keeps its configuration in a file, HNS does not keep this network: a reboot destroys one half and leaves the other.',
      see: ['ovs-vsctl.exe --timeout=5 show', 'Get-HnsNetwork | Select-Object Name, Type', 'Get-VMSwitch'],
      fix: [
        'ovs-vsctl.exe --no-wait --if-exists del-br br-int (nothing is cut: there is no switch under it)',
        'Start-Service ovsdb-server, ovs-vswitchd',
        'Restart the agent; it makes the HNS network and the bridge anew.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md#known-issues',
        'https://github.com/antrea-io/antrea/issues/4721',
      ],
    },
  }),
];
