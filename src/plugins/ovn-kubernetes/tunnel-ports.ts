import {podNetwork} from '../../checks/pod-network.js';
import {windowsPort} from '../../checks/tunnel/vxlan.js';
import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import type {Fleet, NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, type Verdict} from '../../model/verdict.js';

const server2019 = 17_763;

export function tunnelPorts({subjects}: Fleet): Verdict[] {
  const hybrid = subjects.filter(({plugin}) => plugin.profile.tunnel?.protocol === 'vxlan');
  const port = hybrid[0]?.plugin.profile.tunnel?.port ?? windowsPort;
  const old = port === windowsPort ? [] : hybrid.filter(subject => buildOf(subject) === server2019);
  const differing = hybrid.flatMap(({node, plugin}) => {
    const network = podNetwork(node, plugin.profile.network);
    const own = network && (network.vxlanPort ?? windowsPort);
    return own !== undefined && own !== port ? [{node: node.name, network: network?.name ?? '', own}] : [];
  });
  return [
    ...(old.length > 0
      ? [
          fail(
            `The hybrid overlay uses UDP port ${port}, which Windows Server 2019 does not support: ${names(old.map(({node}) => node.name))} cannot join it.`,
          )
            .because({
              section: 'cluster',
              object: 'Network cluster',
              field: 'hybridOverlayVXLANPort',
              seen: port,
              expected: `${windowsPort}, or nodes with Server 2022`,
            })
            .fixedBy(
              manual(
                'Replace these nodes with Windows Server 2022 nodes: the port of a running cluster cannot be changed.',
              ),
            ),
        ]
      : []),
    ...differing.map(({node, network, own}) =>
      fail(`HNS network ${network} of ${node} uses UDP port ${own}, but the overlay uses ${port}.`)
        .because({section: 'hnsNetworks', object: `${node}: ${network}`, field: 'VxlanPort', seen: own, expected: port})
        .fixedBy(
          manual(
            `kubectl win cleanup ${shellText(node)}`,
            'hybrid-overlay-node recreates the network with the correct port.',
          ),
        ),
    ),
  ];
}

function buildOf({node, object}: NodeSubject): number | undefined {
  return node.os?.build ?? (Number(object?.status?.nodeInfo?.kernelVersion?.split('.')[2]) || undefined);
}
