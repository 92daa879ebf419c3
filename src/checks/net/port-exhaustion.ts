import {type Check, check} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {type Evidence, fail, unknown} from '../../model/verdict.js';
import type {Sections} from '../../snapshot/sections.js';

type PortRange = Sections['excludedPorts'][number];

/** HNS reserves host ports in blocks of this size from the dynamic range. */
const blockSize = 64;
const fewBlocks = 10;

export const hostPortChecks: readonly Check[] = [
  check({
    id: 'net/port-exhaustion',
    title: 'Host has enough free ports',
    failure: 'Host is running out of ports',
    severity: 'warning',
    needs: ['excludedPorts', 'dynamicPorts'],
    run({node}) {
      const ranges = ['tcp', 'udp'].map(protocol => {
        const dynamic = node.dynamicPorts.find(range => range.protocol === protocol);
        const excluded = node.excludedPorts.filter(range => range.protocol === protocol);
        return {protocol, dynamic, free: dynamic && freeBlocks(dynamic, excluded)};
      });
      const unread = ranges.filter(({dynamic}) => !dynamic);
      const short = ranges.flatMap(({protocol, dynamic, free}) =>
        dynamic && free !== undefined && free <= fewBlocks ? [{protocol, dynamic, free}] : [],
      );
      const protocols = (some: readonly {protocol: string}[]) => some.map(({protocol}) => protocol).join(' and ');
      if (short.length === 0)
        return unread.length === 0 ? undefined : unknown(`The dynamic range of ${protocols(unread)} ports is unknown.`);
      const least = Math.min(...short.map(({free}) => free));
      return fail(
        least === 0
          ? `No block of ${blockSize} ${protocols(short.filter(({free}) => free === 0))} ports is left: HNS cannot create load balancers or outbound connections.`
          : `Only ${least} blocks of ${blockSize} ${protocols(short)} ports are left: HNS will soon be unable to create load balancers and outbound connections.`,
      )
        .as(least === 0 ? 'error' : 'warning')
        .because(
          ...short.map(({protocol, dynamic, free}) => ({
            section: 'excludedPorts',
            object: `${protocol} ${dynamic.start}-${dynamic.end}`,
            field: 'free blocks',
            seen: free,
            expected: `more than ${fewBlocks}`,
          })),
          ...heldByHns(node.hnsPortPools),
        )
        .fixedBy(
          manual(
            ...short.map(({protocol}) => `netsh int ipv4 set dynamicport ${protocol} start=16385 num=49151`),
            'Restart-Service hns -Force (pods may lose their endpoints: drain the node first)',
            'Restart kube-proxy on this node.',
          ),
        );
    },
    explain: {
      meaning:
        'HNS reserves host ports in blocks of 64 for NAT and load balancers. Reserved blocks use almost all of the dynamic port range, even if few connections are open. New services and pods then fail.',
      why: 'Many pods or services, blocks that leaked HNS objects still reserve, or other software that reserves ports.',
      see: [
        'netsh int ipv4 show excludedportrange tcp',
        'netsh int ipv4 show dynamicport tcp',
        'netsh int ipv4 show excludedportrange udp',
        'netsh int ipv4 show dynamicport udp',
      ],
      fix: [
        'Remove leaked objects: kubectl win cleanup NODE',
        'Widen the range: netsh int ipv4 set dynamicport tcp start=16385 num=49151',
        'Restart-Service hns -Force, then restart kube-proxy.',
      ],
      sources: [
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1',
      ],
    },
  }),
];

/** How many ranges HNS itself has reserved, if it reports that. */
function heldByHns(pools: Sections['hnsPortPools'] | undefined): Evidence[] {
  if (!pools) return [];
  const seen = pools.filter(({onHost}) => onHost !== false).reduce((sum, {ranges}) => sum + ranges, 0);
  return [{section: 'hnsPortPools', object: 'HNS', field: 'reserved ranges', seen}];
}

/** How many whole blocks are free in a range. */
function freeBlocks(dynamic: PortRange, excluded: readonly PortRange[]): number {
  let next = dynamic.start;
  let free = 0;
  for (const {start, end} of [...excluded].sort((one, other) => one.start - other.start)) {
    const gap = Math.min(start, dynamic.end + 1) - next;
    if (gap > 0) free += Math.floor(gap / blockSize);
    next = Math.max(next, end + 1);
  }
  return free + Math.max(0, Math.floor((dynamic.end + 1 - next) / blockSize));
}
