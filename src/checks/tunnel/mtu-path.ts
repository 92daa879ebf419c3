import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import {type Check, clusterCheck, type NodeSubject} from '../../model/check.js';
import type {Plugin} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {type ClusterModel, internalIps} from '../../snapshot/cluster.js';

/** The adapter of a node's tunnel. HNS gives pods its MTU minus the tunnel overhead. */
interface Underlay {
  readonly subject: NodeSubject;
  readonly adapter: string;
  readonly mtu: number;
}

export const mtuPathChecks: readonly Check[] = [
  clusterCheck({
    id: 'tunnel/mtu-path',
    title: 'Tunnel endpoints have the same MTU',
    failure: 'Tunnel endpoints have different MTUs',
    severity: 'warning',
    plugins: 'overlays and plugins on OVS',
    appliesTo: ({subjects}) => subjects.some(({plugin}) => plugin.profile.tunnel !== undefined),
    run({cluster, known, subjects}) {
      const ends = subjects.filter(({plugin}) => plugin.profile.tunnel !== undefined).flatMap(underlay);
      if (ends.length === 0) return unknown('The MTU of the tunnel adapters is unknown.');
      return [...diagnoseFleet(ends), ...known.flatMap(own => diagnoseSetting(ends, own, cluster))];
    },
    explain: {
      meaning:
        'The MTU is the largest packet that an adapter sends. One node sends larger tunnel packets than another accepts, or than the network between them supports. Small requests work; large responses are lost, so connections hang after they are established.',
      why: 'Agents derive the pod MTU from the tunnel adapter, minus 50 bytes for VXLAN. The endpoints differ if only some nodes use jumbo frames, or if the MTU was lowered only on Linux nodes.',
      see: [
        'Get-NetIPInterface -AddressFamily IPv4 | Select-Object InterfaceAlias, NlMtu',
        'ping -f -l 1422 ADDRESS-OF-ANOTHER-NODE',
        "kubectl get installation default -o jsonpath='{.spec.calicoNetwork.mtu}'",
      ],
      fix: [
        'Set the same MTU on all nodes: Set-NetIPInterface -InterfaceAlias NAME -NlMtuBytes 1500',
        'Or set the plugin MTU to the value that the smallest MTU allows.',
        'Restart the agent, and delete the pods on that node so that they get the new MTU.',
      ],
      sources: [
        'https://docs.tigera.io/calico/latest/networking/configuring/mtu',
        'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md#vxlan',
      ],
    },
  }),
];

/** The adapter with the node's address, which the tunnel uses. */
function underlay(subject: NodeSubject): Underlay[] {
  const {node, object} = subject;
  const addresses = internalIps(object);
  const adapter = node.netIPAddresses?.find(({ip}) => addresses.includes(ip))?.adapter;
  if (adapter === undefined) return [];
  const mtu =
    node.netIPInterfaces?.find(its => its.adapter === adapter && its.family === 'IPv4')?.mtu ??
    node.netAdapters?.find(({name}) => name === adapter)?.mtu;
  return mtu === undefined ? [] : [{subject, adapter, mtu}];
}

/** Nodes with the same plugin have tunnels to each other: nodes that differ from the majority are reported. */
function diagnoseFleet(ends: readonly Underlay[]): Verdict[] {
  return [...Map.groupBy(ends, ({subject}) => subject.plugin.name).values()].flatMap(group => {
    const byMtu = [...Map.groupBy(group, ({mtu}) => mtu)].sort(
      ([one, its], [other, others]) => others.length - its.length || other - one,
    );
    const [usual, ...odd] = byMtu;
    if (!usual || odd.length === 0) return [];
    const summary = odd.map(([mtu, all]) => `${names(all.map(({subject}) => subject.node.name))} (${mtu})`).join(', ');
    return [
      fail(
        `Windows nodes send tunnel packets of different sizes: ${summary}, but ${usual[0]} on ${names(usual[1].map(({subject}) => subject.node.name))}.`,
      )
        .because(
          ...odd.flatMap(([, all]) =>
            all.map(({subject, adapter, mtu}) => ({
              section: 'netIPInterfaces',
              object: `${subject.node.name}: ${adapter}`,
              field: 'NlMtu',
              seen: mtu,
              expected: usual[0],
            })),
          ),
        )
        .fixedBy(
          manual('Set the same MTU on all nodes, or set the plugin MTU to the value that the smallest MTU allows.'),
        ),
    ];
  });
}

/** A setting may apply only to Linux nodes: Windows nodes use the MTU of their adapter. */
function diagnoseSetting(ends: readonly Underlay[], own: Plugin, cluster: ClusterModel): Verdict[] {
  const set = own.acrossNodes.packetSize(cluster);
  if (!set) return [];
  const larger = ends.filter(
    ({subject: {plugin}, mtu}) => plugin.name === own.name && set.bytes < mtu - (plugin.profile.tunnel?.overhead ?? 0),
  );
  const [first] = larger;
  if (!first) return [];
  const wanted = set.bytes + (first.subject.plugin.profile.tunnel?.overhead ?? 0);
  return [
    fail(
      `The MTU of ${own.title} is ${set.bytes}, but pods on ${names(larger.map(({subject}) => subject.node.name))} send larger packets: Windows uses the MTU of its adapter.`,
    )
      .because(
        {section: 'cluster', object: set.setBy, field: 'MTU', seen: set.bytes},
        ...larger.map(({subject, adapter, mtu}) => ({
          section: 'netIPInterfaces',
          object: `${subject.node.name}: ${adapter}`,
          field: 'NlMtu',
          seen: mtu,
          expected: wanted,
        })),
      )
      .fixedBy(manual(`Set-NetIPInterface -InterfaceAlias ${powerShellText(first.adapter)} -NlMtuBytes ${wanted}`)),
  ];
}
