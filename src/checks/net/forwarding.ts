import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import type {Profile} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';
import type {Sections} from '../../snapshot/sections.js';
import {podNetwork} from '../pod-network.js';
import {isVirtual, nicOf, nicUnder} from './adapters.js';

export const forwardingChecks: readonly Check[] = [
  check({
    id: 'net/forwarding',
    title: 'Adapters forward packets',
    failure: 'Adapter does not forward packets',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    plugins: 'Antrea, Flannel host-gw, Calico BGP',
    needs: ['netIPInterfaces', 'hnsNetworks'],
    consequenceOf: ['hns/network-present', 'hns/host-endpoint', 'ovs/gateway-port', 'ovs/services'],
    appliesTo: ({plugin: {profile}}) => profile.forwarders !== undefined || createsRoutes(profile),
    run(subject) {
      return diagnoseForwarding(subject.node.netIPInterfaces, forwarders(subject));
    },
    explain: {
      meaning:
        'With this plugin the node forwards packets between its NIC and the pods. Windows forwards only on adapters with forwarding enabled. It is disabled on one of them.',
      why: 'The agent enables forwarding when it creates the adapter. If something else recreated the adapter, or the setting was changed manually, it stays disabled.',
      see: ['Get-NetIPInterface -AddressFamily IPv4 | Select-Object InterfaceAlias, Forwarding'],
      fix: [
        'Set-NetIPInterface -InterfaceAlias ADAPTER -AddressFamily IPv4 -Forwarding Enabled',
        'Or restart the plugin agent.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/pkg/agent/agent_windows.go',
        'https://github.com/flannel-io/flannel/blob/master/pkg/backend/hostgw/hostgw_windows.go',
      ],
    },
  }),
];

function createsRoutes({routes}: Profile): boolean {
  return routes === 'agent' || routes === 'bgp';
}

/**
 * The adapters that must forward packets: those of the agent, otherwise the host endpoint and the management adapter.
 */
function forwarders(subject: NodeSubject): string[] {
  const {node, plugin} = subject;
  const {profile} = plugin;
  if (profile.forwarders) return [...profile.forwarders];
  const network = podNetwork(node, profile.network);
  if (!network) return [];
  const uplink = nicOf(node, network);
  const vnics = (node.netAdapters ?? []).filter(
    adapter => isVirtual(adapter) && uplink !== undefined && nicUnder(node, adapter)?.name === uplink.name,
  );
  const host = profile.hostEndpoint ? [`vEthernet (${profile.hostEndpoint.name})`] : [];
  return [...host, ...vnics.map(({name}) => name)];
}

/** Whether the adapters on the path of pod traffic forward packets. */
export function diagnoseForwarding(
  all: Sections['netIPInterfaces'],
  names: readonly string[],
): Verdict | readonly Verdict[] {
  const interfaces = all.filter(({adapter, family}) => family === 'IPv4' && names.some(name => same(name, adapter)));
  if (interfaces.length === 0) return skipped('The adapters that should forward do not exist.');
  const silent = interfaces.find(({forwarding}) => forwarding === undefined);
  const off = interfaces.filter(({forwarding}) => forwarding === false);
  if (off.length === 0 && silent) return unknown(`Windows does not report the forwarding state of ${silent.adapter}.`);
  return off.map(({adapter}) => notForwarding(adapter));
}

function notForwarding(adapter: string): Verdict {
  return fail(`${adapter} does not forward IPv4 packets, so packets to and from pods are dropped.`)
    .because({section: 'netIPInterfaces', object: adapter, field: 'Forwarding', seen: 'Disabled', expected: 'Enabled'})
    .fixedBy(
      manual(`Set-NetIPInterface -InterfaceAlias ${powerShellText(adapter)} -AddressFamily IPv4 -Forwarding Enabled`),
    );
}
