import {overlaps, sameCidr} from '../../snapshot/addresses.js';
import {same} from '../../snapshot/hns.js';
import {restartAgent} from '../agent.js';
import {type Check, check} from '../check.js';
import {lacksNetwork} from '../networks.js';
import {powerShellText} from '../quote.js';
import {manual} from '../remedies.js';
import {fail, unknown} from '../verdict.js';

export const natChecks: readonly Check[] = [
  check({
    id: 'net/nat',
    title: 'NAT of the pods is missing, wrong or overlapped',
    severity: 'error',
    plugins: 'Antrea antrea-nat(+nodeport), Kube-OVN kube-ovn',
    needs: ['netNats'],
    consequenceOf: ['hns/network-present', 'ovs/gateway-port'],
    appliesTo: ({plugin}) => (plugin.profile.ovs?.nats.length ?? 0) > 0,
    run(subject) {
      const {node, plugin} = subject;
      const wanted = plugin.profile.ovs?.nats ?? [];
      const verdicts = wanted.flatMap(({name, prefix}) => {
        const own = node.netNats.find(nat => same(nat.name, name));
        if (!own) {
          // Without the network the agent has not come to it yet.
          if (lacksNetwork(subject)) return [];
          return [
            fail(`There is no NAT ${name}, so pods cannot reach anything outside the cluster.`)
              .because({section: 'netNats', object: name, seen: null, expected: prefix ?? 'a NAT for the pods'})
              .fixedBy(manual(restartAgent(subject))),
          ];
        }
        if (prefix === undefined) return [unknown(`Which addresses NAT ${name} should be for could not be told.`)];
        if (sameCidr(own.prefix, prefix)) return [];
        return [
          fail(`NAT ${name} is for ${own.prefix ?? 'no addresses'} instead of ${prefix}.`)
            .because({
              section: 'netNats',
              object: name,
              field: 'InternalIPInterfaceAddressPrefix',
              seen: own.prefix ?? null,
              expected: prefix,
            })
            .fixedBy(manual(`Remove-NetNat -Name ${powerShellText(own.name)} -Confirm:$false`, restartAgent(subject))),
        ];
      });
      const others = node.netNats.filter(({name}) => !wanted.some(its => same(its.name, name)));
      const overlapping = others.flatMap(other =>
        wanted.filter(({prefix}) => overlaps(other.prefix, prefix)).map(its => ({other, prefix: its.prefix})),
      );
      return [
        ...verdicts,
        ...overlapping.map(({other, prefix}) =>
          fail(`NAT ${other.name} (${other.prefix}) overlaps ${prefix}, which belongs to the pod network.`)
            .because({
              section: 'netNats',
              object: other.name,
              field: 'InternalIPInterfaceAddressPrefix',
              seen: other.prefix,
              expected: `nothing in ${prefix}`,
            })
            .fixedBy(
              manual(`Remove-NetNat -Name ${powerShellText(other.name)} -Confirm:$false`, restartAgent(subject)),
            ),
        ),
      ];
    },
    explain: {
      meaning:
        "Pods reach the world outside with the node's address, through a NAT that the agent makes: antrea-nat for the node's pod CIDR (and antrea-nat-nodeport for services), or kube-ovn for the join subnet. It is not there, is for other addresses, or another NAT claims the same ones; Windows refuses two that overlap.",
      why: 'The node got another pod CIDR, somebody made a NAT by hand, Docker or a former plugin left one behind, or the agent stopped before it came to it. Kube-OVN never corrects a NAT that exists.',
      see: ['Get-NetNat | Select-Object Name, InternalIPInterfaceAddressPrefix, Active'],
      fix: [
        'Remove-NetNat -Name NAME for the one that overlaps or is wrong. Look at what uses it first: its connections end.',
        'Restart the agent; it makes its own anew.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/pkg/agent/route/route_windows.go',
        'https://github.com/kubeovn/kube-ovn/blob/release-1.14/pkg/daemon/controller_windows.go',
      ],
    },
  }),
];
