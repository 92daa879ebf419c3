import {type Check, check} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import type {Sections} from '../../snapshot/sections.js';

type PortRange = Sections['excludedPorts'][number];

/** HNS takes ports of the host in blocks of this size, out of the dynamic range. */
const blockSize = 64;
const fewBlocks = 10;
/** What Windows gives unless somebody set another range (netsh int ipv4 show dynamicport). */
const dynamicRange = {start: 49_152, end: 65_535};

export const hostPortChecks: readonly Check[] = [
  check({
    id: 'net/port-exhaustion',
    title: 'Ports of the host are running out',
    severity: 'warning',
    needs: ['excludedPorts'],
    run({node}) {
      return ['tcp', 'udp'].flatMap(protocol => {
        const excluded = node.excludedPorts.filter(range => range.protocol === protocol);
        const free = freeBlocks(excluded);
        if (free > fewBlocks) return [];
        // HNS never reserves below the dynamic range: blocks there show that somebody has widened it.
        const widened = excluded.some(({start, end}) => end < dynamicRange.start && end - start + 1 === blockSize);
        if (widened) return [unknown(`The dynamic range of ${protocol} ports was changed, and its size is not known.`)];
        return [
          fail(
            `Only ${free} blocks of ${blockSize} ${protocol} ports are left: HNS will fail to make load balancers and outbound connections.`,
          )
            .because({
              section: 'excludedPorts',
              object: `${protocol} ${dynamicRange.start}-${dynamicRange.end}`,
              field: 'free blocks',
              seen: free,
              expected: `more than ${fewBlocks}`,
            })
            .fixedBy(
              manual(
                `netsh int ipv4 set dynamicport ${protocol} start=16385 num=49151`,
                'Restart-Service hns -Force (pods may lose their endpoints: drain the node first)',
                'Restart kube-proxy on this node.',
              ),
            ),
        ];
      });
    },
    explain: {
      meaning:
        'HNS reserves ports of the host in blocks of 64 for address translation and load balancers. The dynamic range is nearly used up by reserved blocks, even where few connections are open. New services and pods then fail.',
      why: 'Many pods or services, blocks that were never given back after HNS objects were leaked, or other software that reserves ports.',
      see: [
        'netsh int ipv4 show excludedportrange tcp',
        'netsh int ipv4 show dynamicport tcp',
        'netsh int ipv4 show excludedportrange udp',
      ],
      fix: [
        'Remove what is leaked: kubectl win cleanup NODE',
        'Widen the range: netsh int ipv4 set dynamicport tcp start=16385 num=49151',
        'Restart-Service hns -Force, then restart kube-proxy.',
      ],
      sources: [
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1',
      ],
    },
  }),
];

/** How many whole blocks fit between the ranges that are taken. */
function freeBlocks(excluded: readonly PortRange[]): number {
  let next = dynamicRange.start;
  let free = 0;
  for (const {start, end} of [...excluded].sort((one, other) => one.start - other.start)) {
    const gap = Math.min(start, dynamicRange.end + 1) - next;
    if (gap > 0) free += Math.floor(gap / blockSize);
    next = Math.max(next, end + 1);
  }
  return free + Math.max(0, Math.floor((dynamicRange.end + 1 - next) / blockSize));
}
