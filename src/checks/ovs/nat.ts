import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import type {OvsProfile} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import {overlaps, sameCidr} from '../../snapshot/addresses.js';
import {same} from '../../snapshot/hns.js';
import type {Sections} from '../../snapshot/sections.js';
import {restartAgent} from '../agent.js';
import {lacksNetwork} from '../pod-network.js';

export const natChecks: readonly Check[] = [
  check({
    id: 'net/nat',
    title: 'Windows NAT covers the pod network',
    failure: 'Windows NAT is missing, wrong, or overlaps another NAT',
    severity: 'error',
    plugins: 'Antrea antrea-nat and antrea-nat-nodeport, Kube-OVN kube-ovn',
    needs: ['netNats'],
    consequenceOf: ['hns/network-present', 'ovs/gateway-port'],
    appliesTo: ({plugin}) => (plugin.profile.ovs?.nats.length ?? 0) > 0,
    run(subject) {
      const {node, plugin} = subject;
      const wanted = plugin.profile.ovs?.nats ?? [];
      const others = node.netNats.filter(({name}) => !wanted.some(its => same(its.name, name)));
      return wanted.flatMap(nat => {
        const overlapping = others.filter(({prefix}) => overlaps(prefix, nat.prefix));
        return overlapping.length > 0
          ? overlapping.map(other => overlap(other, nat, subject))
          : (diagnose(nat, subject) ?? []);
      });
    },
    explain: {
      meaning:
        "Pods reach addresses outside the cluster through a Windows NAT that the agent creates: antrea-nat for the node's pod CIDR (and antrea-nat-nodeport for services), or kube-ovn for the join subnet. It is missing, has a different prefix, or overlaps another NAT. Windows does not allow overlapping NATs.",
      why: 'The pod CIDR of the node changed, a NAT was created manually, Docker or a previous plugin left one behind, or the agent stopped before it created the NAT. Kube-OVN never changes an existing NAT.',
      see: ['Get-NetNat | Select-Object Name, InternalIPInterfaceAddressPrefix, Active'],
      fix: [
        'Remove-NetNat -Name NAME for the overlapping or wrong NAT. Check what uses it first: its connections are closed.',
        'Restart the agent; it recreates its own NAT.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/pkg/agent/route/route_windows.go',
        'https://github.com/kubeovn/kube-ovn/blob/release-1.14/pkg/daemon/controller_windows.go',
      ],
    },
  }),
];

type Wanted = OvsProfile['nats'][number];
type Nat = Sections['netNats'][number];

const field = 'InternalIPInterfaceAddressPrefix';

function diagnose({name, prefix}: Wanted, subject: NodeSubject<'netNats'>): Verdict | undefined {
  const own = subject.node.netNats.find(nat => same(nat.name, name));
  if (!own) {
    // The agent creates the network first.
    if (lacksNetwork(subject)) return skipped(`The network does not exist, so NAT ${name} does not either.`);
    return fail(`NAT ${name}${prefix ? ` for ${prefix}` : ''} does not exist: traffic that requires it is lost.`)
      .because({section: 'netNats', object: name, seen: null, expected: prefix ?? 'a NAT'})
      .fixedBy(manual(restartAgent(subject)));
  }
  if (prefix === undefined) return unknown(`The expected prefix of NAT ${name} could not be determined.`);
  if (sameCidr(own.prefix, prefix)) return undefined;
  return fail(`The prefix of NAT ${name} is ${own.prefix ?? 'not set'} instead of ${prefix}.`)
    .because({section: 'netNats', object: name, field, seen: own.prefix ?? null, expected: prefix})
    .fixedBy(manual(removal(own), restartAgent(subject)));
}

function overlap(other: Nat, {name, prefix}: Wanted, subject: NodeSubject<'netNats'>): Verdict {
  const own = subject.node.netNats.find(nat => same(nat.name, name));
  return fail(
    `NAT ${other.name} (${other.prefix}) overlaps ${prefix}, which ${own ? 'belongs to' : 'prevents the agent from creating'} NAT ${name}.`,
  )
    .because(
      {section: 'netNats', object: other.name, field, seen: other.prefix, expected: `nothing in ${prefix}`},
      {section: 'netNats', object: name, field, seen: own?.prefix ?? null, expected: prefix},
    )
    .fixedBy(manual(removal(other), restartAgent(subject)));
}

function removal({name}: Nat): string {
  return `Remove-NetNat -Name ${powerShellText(name)} -Confirm:$false`;
}
