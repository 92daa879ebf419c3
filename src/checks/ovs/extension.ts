import {type Check, check} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import {isType, type Network, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {podNetwork} from '../pod-network.js';
import {isForwarding, isOvs} from './extension-ids.js';

/** Windows 1803, where HNS reports a working OVS extension as disabled (ovn-kubernetes PR 356). */
const buildWithWrongView = 17134;

export const extensionChecks: readonly Check[] = [
  check({
    id: 'ovs/extension',
    title: 'OVS extension is enabled on the switch',
    failure: 'OVS extension is not enabled on the switch',
    severity: 'error',
    repair: {level: 'medium', effect: 'cut', restarts: 'agent'},
    plugins: 'plugins on OVS',
    needs: ['hnsNetworks'],
    settles: true,
    consequenceOf: ['ovs/driver', 'ovs/services', 'platform/test-signing'],
    appliesTo: usesOvs,
    run({node, plugin}) {
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      return diagnose(network, node);
    },
    explain: {
      meaning:
        'The plugin enables the extension "Open vSwitch Extension" on its virtual switch. It is disabled, so packets bypass OVS: pods have addresses and ports, ovs-vsctl shows no error, but nothing is forwarded.',
      why: 'A reboot disables the extension. Antrea with OVS in the pod disables it when the pod stops, to keep the host network working; if the next start fails, it stays disabled. Running only means that the driver is loaded. Enabled is decisive.',
      see: [
        "Get-VMSwitchExtension -VMSwitchName 'antrea-hnsnetwork' | Where-Object Id -eq 583CC151-73EC-4A6A-8B47-578297AD7623 | Select-Object Enabled, Running",
        'Get-HnsNetwork | Select-Object Name, Extensions',
      ],
      fix: [
        'Make sure that ovs-vswitchd is running: with the extension enabled and no ovs-vswitchd, the node loses its network.',
        "Enable-VMSwitchExtension -VMSwitchName 'antrea-hnsnetwork' -Name 'Open vSwitch Extension' ('kube-ovn' for Kube-OVN); make sure that you have console access: the node network is briefly interrupted.",
        'Restart the agent; it enables the extension itself when it starts.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md#known-issues',
        'https://github.com/antrea-io/antrea/issues/1458',
        'https://github.com/ovn-kubernetes/ovn-kubernetes/issues/287',
        'https://github.com/ovn-kubernetes/ovn-kubernetes/pull/356',
      ],
    },
  }),

  check({
    id: 'hns/two-extensions',
    title: 'One forwarding extension is enabled on one switch',
    failure: 'More than one forwarding extension, or OVS on more than one switch',
    severity: 'error',
    repair: {level: 'medium', effect: 'cut', restarts: 'agent'},
    plugins: 'plugins on OVS',
    needs: [],
    appliesTo: usesOvs,
    run({node}) {
      const switches = switchesOf(node);
      if (!switches) return unknown('Neither the switches nor the HNS networks were read.');
      const withOvs = switches.filter(({enabled}) => enabled.some(isOvs));
      const verdicts = withOvs
        .filter(({isNat}) => isNat)
        .map(({name}) => fail(`The OVS extension is enabled on switch ${name}, which is for NAT and not for OVS.`));
      if (verdicts.length === 0 && withOvs.length > 1)
        verdicts.push(
          fail(
            `The OVS extension is enabled on ${withOvs.map(({name}) => name).join(' and ')}, but OVS supports only one switch.`,
          ),
        );
      for (const {name, enabled} of switches.filter(its => its.enabled.length > 1))
        verdicts.push(
          fail(`Two forwarding extensions are enabled on switch ${name} (${enabled.map(its => its.name).join(', ')}).`),
        );
      return verdicts.map(verdict =>
        verdict
          .because(
            ...switches
              .filter(({enabled}) => enabled.length > 0)
              .map(({section, name, enabled}) => ({
                section,
                object: name,
                field: 'Enabled',
                seen: enabled.map(its => its.name),
                expected: "OVS on the plugin's switch, and no other forwarding extension there",
              })),
          )
          .fixedBy(cleanupRemedy(node, {cuts: true})),
      );
    },
    explain: {
      meaning:
        "A virtual switch can have one forwarding extension, and OVS supports one switch per machine. Here OVS is enabled on a second switch or on the NAT switch, or a switch has both OVS and VFP (Microsoft's extension). Ports are then created on the wrong switch, or the switch drops packets.",
      why: 'The extension was enabled on every switch, a previous plugin left its switch behind, or two plugins share the node.',
      see: [
        'Get-VMSwitch | Get-VMSwitchExtension | Where-Object Enabled | Select-Object SwitchName, Name, ExtensionType',
      ],
      fix: [
        'Stop-Service ovs-vswitchd first: otherwise the next command can hang. The node may have no network meanwhile.',
        "Disable-VMSwitchExtension -VMSwitchName 'nat' -Name 'Open vSwitch Extension' (for each switch that is not the plugin's)",
        'Start-Service ovs-vswitchd, then restart the agent.',
      ],
      sources: [
        'https://github.com/ovn-kubernetes/ovn-kubernetes/issues/272',
        'https://github.com/openvswitch/ovs-issues/issues/108',
      ],
    },
  }),
];

/** The switch takes precedence over HNS, whose copy may be outdated. */
function diagnose(network: Network, node: NodeModel): Verdict | undefined {
  const rows = node.vmSwitchExtensions?.filter(row => same(switchOf(row, node), network.name));
  const onSwitch = rows?.find(isOvs);
  const toHns = network.extensions.find(isOvs);
  const name = network.name;
  if (onSwitch) {
    if (onSwitch.enabled && onSwitch.running !== false) return undefined;
    return fail(
      onSwitch.enabled
        ? `The OVS extension is enabled on switch ${name}, but its driver is not running.`
        : `The OVS extension is not enabled on switch ${name}, so pod traffic bypasses OVS.`,
    )
      .because({
        section: 'vmSwitchExtensions',
        object: `${onSwitch.name ?? 'Open vSwitch Extension'} on ${name}`,
        field: onSwitch.enabled ? 'Running' : 'Enabled',
        seen: false,
        expected: true,
      })
      .fixedBy(cleanupRemedy(node, {cuts: true}));
  }
  if (toHns?.enabled) return undefined;
  if (toHns && node.os?.build === buildWithWrongView)
    return unknown(
      `HNS of build ${buildWithWrongView} reports working OVS extensions as disabled, and the switch was not read.`,
    );
  if (!toHns && !rows?.length && network.extensions.length === 0)
    return unknown(`The extensions of switch ${name} were not read.`);
  return fail(
    toHns
      ? `The OVS extension is not enabled on HNS network ${name}, so pod traffic bypasses OVS.`
      : `Switch ${name} has no OVS extension, so pod traffic bypasses OVS.`,
  )
    .because({
      section: 'hnsNetworks',
      object: name,
      field: 'Extensions',
      seen: network.extensions.map(its => `${its.name}: ${its.enabled ? 'enabled' : 'disabled'}`),
      expected: 'the OVS extension, enabled',
    })
    .fixedBy(cleanupRemedy(node, {cuts: true}));
}

/** The switch of a row: by its name, or by its id if the name is missing. */
function switchOf({switchName, switchId}: SwitchExtension, {vmSwitches}: NodeModel): string {
  return switchName ?? vmSwitches?.find(({id}) => id !== undefined && id === switchId)?.name ?? switchId ?? '';
}

type SwitchExtension = NonNullable<NodeModel['vmSwitchExtensions']>[number];

interface Switch {
  readonly section: 'vmSwitchExtensions' | 'hnsNetworks';
  readonly name: string;
  readonly isNat: boolean;
  /** Enabled forwarding extensions. */
  readonly enabled: readonly {readonly id: string; readonly name: string}[];
}

function switchesOf(node: NodeModel): Switch[] | undefined {
  const isNat = (name: string) =>
    same(name, 'nat') ||
    (node.hnsNetworks?.some(network => same(network.name, name) && isType(network, 'nat', 'ICS')) ?? false);
  if (node.vmSwitchExtensions && node.vmSwitchExtensions.length > 0) {
    const byName = Map.groupBy(node.vmSwitchExtensions, row => switchOf(row, node));
    return [...byName].map(([name, rows]) => ({
      section: 'vmSwitchExtensions',
      name,
      isNat: isNat(name),
      enabled: forwarding(rows),
    }));
  }
  // Networks with the same layer share a switch, and each lists the extensions of that switch.
  const byLayer = node.hnsNetworks && Map.groupBy(node.hnsNetworks, network => network.layeredOn ?? network.id);
  return (
    byLayer &&
    [...byLayer.values()].map(networks => ({
      section: 'hnsNetworks',
      name: networks[0]?.name ?? '',
      isNat: networks.some(({name}) => isNat(name)),
      enabled: forwarding(networks.flatMap(({extensions}) => extensions)),
    }))
  );
}

/** Without duplicates: several networks list the extensions of a shared switch. */
function forwarding(rows: readonly {id: string; name?: string | undefined; enabled: boolean}[]): Switch['enabled'] {
  const on = rows.filter(row => row.enabled && isForwarding(row));
  return [...new Map(on.map(({id, name}) => [id, {id, name: name ?? id}])).values()];
}
