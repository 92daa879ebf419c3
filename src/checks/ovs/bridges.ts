import {type Check, check, type NodeSubject} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';
import type {OvsBridge} from '../../snapshot/ovs.js';
import {podNetwork} from '../pod-network.js';
import {settling} from '../still-starting.js';

const deviceMissing = /could not open network device .*No such device/i;

export const bridgeChecks: readonly Check[] = [
  check({
    id: 'ovs/bridges',
    title: 'OVS bridges of the plugin exist',
    failure: 'OVS bridge of the plugin is missing',
    severity: 'error',
    repair: {level: 'soft', effect: 'blip', restarts: 'agent'},
    plugins: 'Antrea, Kube-OVN',
    needs: ['ovs'],
    // The agent creates the bridges together with the network, some time after a boot.
    settles: true,
    consequenceOf: ['hns/network-present', 'cni/agent-pod', 'ovs/services', 'ovs/driver', 'tunnel/annotation-resolves'],
    appliesTo: usesOvs,
    run({node, plugin}) {
      const missing = plugin.profile.bridges.filter(name => !node.ovs.bridges.some(bridge => same(bridge.name, name)));
      if (missing.length === 0) return undefined;
      return fail(`OVS has no bridge ${missing.join(' and no bridge ')}, so pods cannot be connected.`)
        .because({
          section: 'ovs',
          object: 'Bridge',
          field: 'name',
          seen: node.ovs.bridges.map(({name}) => name),
          expected: plugin.profile.bridges,
        })
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'Every pod is a port of an OVS bridge: br-int for Antrea, br-int and br-provider for Kube-OVN. The bridge is missing from the OVS database.',
      why: 'The agent creates its bridges when it starts. They are missing if it has not started completely, if they were deleted, the OVS database was reset, or OVS was reinstalled.',
      see: ['ovs-vsctl.exe --timeout=5 list-br', 'Get-HnsNetwork | Select-Object Name, Type'],
      fix: ['Restart the agent; it recreates the bridges.', 'If that does not help: kubectl win cleanup NODE'],
      sources: ['https://github.com/antrea-io/antrea/blob/main/docs/design/windows-design.md'],
    },
  }),

  check({
    id: 'ovs/stale-bridge',
    title: 'No stale OVS bridge',
    failure: 'Stale OVS bridge left over from before a reboot',
    severity: 'error',
    repair: {level: 'medium', effect: 'blip', restarts: 'agent'},
    plugins: 'plugins on OVS',
    needs: ['ovs', 'hnsNetworks'],
    appliesTo: usesOvs,
    run(subject) {
      const {node, plugin} = subject;
      const network = plugin.profile.network;
      const stale = node.ovs.bridges.filter(({name}) => plugin.profile.bridges.some(its => same(its, name)));
      if (!network || stale.length === 0 || hasSwitch(subject)) return undefined;
      const names = stale.map(({name}) => name).join(' and ');
      const verdict = fail(
        stale.length === 1
          ? `Bridge ${names} is in the OVS database, but HNS network ${network.name} does not exist.`
          : `Bridges ${names} are in the OVS database, but HNS network ${network.name} does not exist.`,
      )
        .because(
          ...stale.map(bridge => ({
            section: 'ovs',
            object: `Bridge ${bridge.name}`,
            field: 'ports',
            seen: bridge.ports.map(({name}) => name),
            expected: 'no bridge, or an existing switch',
          })),
          {section: 'hnsNetworks', object: network.name, seen: null, expected: `Type ${network.types.join(' or ')}`},
          ...stale.flatMap(lostDevices),
        )
        .fixedBy(cleanupRemedy(node));
      // A starting agent recreates the network for these rows, unless ovs-vswitchd fails on them.
      const mayPass = plugin.profile.ovs?.inPod === true || vswitchdRuns(subject);
      const reason = mayPass ? settling(subject) : undefined;
      return reason === undefined ? verdict : verdict.asInfo(`Still settling (${reason}): ${verdict.message}`);
    },
    explain: {
      meaning:
        'The OVS database still contains a bridge and its ports, but their virtual switch no longer exists. ovs-vswitchd cannot open these ports and may not start, and the agent, which waits for it, never recreates the network.',
      why: 'OVS stores its configuration in a file, but HNS does not persist this network: a reboot removes one and keeps the other.',
      see: ['ovs-vsctl.exe --timeout=5 show', 'Get-HnsNetwork | Select-Object Name, Type', 'Get-VMSwitch'],
      fix: [
        'ovs-vsctl.exe --no-wait --if-exists del-br br-int (for Kube-OVN also br-provider; this interrupts nothing, because the switch is missing)',
        'Start-Service ovsdb-server, ovs-vswitchd',
        'Restart the agent; it recreates the HNS network and the bridge.',
        'For Antrea, run Prepare-AntreaAgent.ps1 at every boot: it does the same.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md#known-issues',
        'https://github.com/antrea-io/antrea/issues/4721',
      ],
    },
  }),
];

/** Whether the bridges have a switch: that of the network, or one that outlived it. */
function hasSwitch({node, plugin}: NodeSubject): boolean {
  const network = plugin.profile.network;
  return (
    podNetwork(node, network) !== undefined ||
    (node.vmSwitches?.some(({name}) => network !== undefined && same(name, network.name)) ?? false)
  );
}

function vswitchdRuns({node}: NodeSubject): boolean {
  return (
    (node.processes?.some(({name}) => name === 'ovs-vswitchd') ?? false) ||
    (node.services?.some(({name, state}) => same(name, 'ovs-vswitchd') && same(state, 'Running')) ?? false)
  );
}

function lostDevices(bridge: OvsBridge) {
  return bridge.ports
    .flatMap(({interfaces}) => interfaces)
    .filter(({error}) => deviceMissing.test(error ?? ''))
    .map(({name, error}) => ({
      section: 'ovs',
      object: `Interface ${name}`,
      field: 'error',
      seen: error,
      expected: 'none',
    }));
}
