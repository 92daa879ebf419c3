import {names} from '../../lib/names.js';
import {type Check, clusterCheck, type Fleet, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {type Evidence, fail, unknown, type Verdict} from '../../model/verdict.js';
import {felixVni} from '../../plugins/calico/tunnel.js';
import {leaseOf} from '../../plugins/flannel/lease.js';
import {clusterNetConfs} from '../../plugins/flannel/net-conf.js';
import {netConfPatch} from '../../plugins/flannel/patch.js';
import {cniConfs, confType} from '../../snapshot/cni-conf.js';
import {podNetwork} from '../networks.js';

/** HNS refuses a VNI below 4096, and cuts one above 65535 to 16 bits in routes without a word. */
const lowest = 4096;
const highest = 65_535;

interface Seen {
  readonly vni: number;
  readonly where: string;
  readonly evidence: Evidence;
}

export const vniChecks: readonly Check[] = [
  clusterCheck({
    id: 'tunnel/vni',
    title: 'Nodes do not share one VNI that Windows can use',
    severity: 'error',
    plugins: 'Flannel, Calico',
    appliesTo: ({subjects}) => subjects.some(usesVxlan),
    run(fleet) {
      const runs = (name: string) => fleet.subjects.some(subject => usesVxlan(subject) && subject.plugin.name === name);
      return [
        ...(runs('flannel') ? [judge(flannelVnis(fleet), flannelFix(fleet))] : []),
        ...(runs('calico') ? [judge(calicoVnis(fleet), calicoFix)] : []),
      ].filter(verdict => verdict !== undefined);
    },
    explain: {
      meaning:
        'Every packet between nodes carries the number of the overlay, the VNI. Nodes with different numbers drop the packets of each other, so pods on Windows and pods on Linux cannot talk, though each side looks healthy by itself.',
      why: 'Windows only takes numbers from 4096 on, and 4096 is what its agents use unless told otherwise. Linux starts at 1 for Flannel. Unless the number is set for all nodes at once, they end up with two. A Windows node also ignores every Flannel node whose number is below 4096.',
      see: [
        'kubectl get nodes -o custom-columns=NAME:.metadata.name,DATA:.metadata.annotations.flannel\\.alpha\\.coreos\\.com/backend-data',
        "kubectl get felixconfigurations default -o jsonpath='{.spec.vxlanVNI}'",
        'Get-HnsNetwork | Select-Object Name -ExpandProperty Subnets | Select-Object Name, AddressPrefix, Policies',
      ],
      fix: [
        'Flannel: set "VNI": 4096 and "Port": 4789 under Backend in net-conf.json of ConfigMap kube-flannel-cfg.',
        'Restart flanneld on every Linux node, and delete its old device there: ip link delete flannel.1',
        'Calico: set spec.vxlanVNI of FelixConfiguration default and VXLAN_VNI of the Windows nodes to the same number.',
        'Restart the agent on the Windows nodes.',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md#vxlan',
        'https://github.com/k3s-io/k3s/issues/9295',
        'https://github.com/flannel-io/flannel/issues/1128',
      ],
    },
  }),
];

function usesVxlan({plugin}: NodeSubject): boolean {
  return (plugin.name === 'flannel' || plugin.name === 'calico') && plugin.profile.tunnel?.protocol === 'vxlan';
}

function judge(seen: readonly Seen[], remedy: ReturnType<typeof manual>): Verdict | undefined {
  if (seen.length === 0) return unknown('No node and no configuration tells a VNI.');
  const groups = [...Map.groupBy(seen, ({vni}) => vni)].sort(([one], [other]) => one - other);
  const bad = groups.some(([vni]) => vni < lowest || vni > highest);
  if (!bad && groups.length === 1) return undefined;
  const told = groups.map(([vni, all]) => `${vni} (${names(all.map(({where}) => where))})`).join(', ');
  const message =
    groups.length > 1
      ? `The overlay has more than one VNI, so nodes drop each other's packets: ${told}.`
      : `The overlay has a VNI that Windows cannot use: ${told}.`;
  return fail(message)
    .because(...groups.flatMap(([, all]) => all.slice(0, 5).map(({evidence}) => evidence)))
    .fixedBy(remedy);
}

function flannelVnis({cluster, subjects}: Fleet): Seen[] {
  const leases = cluster.all('Node').flatMap((node): Seen[] => {
    const lease = leaseOf(node);
    if (lease?.type !== 'vxlan' || lease.vni === undefined) return [];
    return [
      {
        vni: lease.vni,
        where: node.metadata.name,
        evidence: {
          section: 'cluster',
          object: `Node ${node.metadata.name}`,
          field: 'flannel.alpha.coreos.com/backend-data VNI',
          seen: lease.vni,
          expected: 'one number from 4096 on, the same on every node',
        },
      },
    ];
  });
  return [...leases, ...subjects.filter(usesVxlan).flatMap(networkVni)];
}

function calicoVnis({cluster, subjects}: Fleet): Seen[] {
  return subjects.filter(usesVxlan).flatMap(subject => {
    const {node} = subject;
    const vni = felixVni(subject);
    const conf = cniConfs(node).find(candidate => confType(candidate) === 'calico');
    const confVni = conf?.plugins[0]?.vni;
    const env = cluster
      .all('DaemonSet')
      .filter(({metadata}) => metadata.name === 'calico-node-windows')
      .flatMap(({spec}) => spec.template.spec.containers.flatMap(container => container.env))
      .find(({name, value}) => name === 'VXLAN_VNI' && /^\d+$/.test(value ?? ''))?.value;
    const found = (value: number, section: string, object: string, field: string): Seen => ({
      vni: value,
      where: object,
      evidence: {section, object, field, seen: value, expected: 'one number from 4096 on, the same everywhere'},
    });
    return [
      found(vni, 'cluster', 'FelixConfiguration', 'vxlanVNI'),
      ...(env === undefined ? [] : [found(Number(env), 'cluster', 'DaemonSet calico-node-windows', 'VXLAN_VNI')]),
      ...(conf && confVni !== undefined ? [found(confVni, 'files', `${node.name}: ${conf.path}`, 'vxlan_vni')] : []),
      ...networkVni(subject),
    ];
  });
}

/** What a node's network really carries. */
function networkVni({node, plugin}: NodeSubject): Seen[] {
  const network = podNetwork(node, plugin.profile.network);
  const vni = network?.subnets.find(({vsid}) => vsid !== undefined)?.vsid;
  if (!network || vni === undefined) return [];
  return [
    {
      vni,
      where: node.name,
      evidence: {
        section: 'hnsNetworks',
        object: `${node.name}: ${network.name}`,
        field: 'VSID',
        seen: vni,
        expected: 'the VNI of every other node',
      },
    },
  ];
}

function flannelFix({cluster}: Fleet) {
  const patches = clusterNetConfs(cluster).flatMap(conf => netConfPatch(conf, cluster) ?? []);
  return manual(
    ...(patches.length > 0
      ? patches
      : ['Set "VNI": 4096 and "Port": 4789 under Backend in the net-conf.json that flanneld reads, on every node.']),
    'Restart flanneld on every node: kubectl -n kube-flannel rollout restart daemonset',
    'Delete the old device on every Linux node: ip link delete flannel.1',
  );
}

const calicoFix = manual(
  `kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanVNI":4096}}'`,
  'Set VXLAN_VNI to 4096 for the Windows nodes too, and restart calico-node-windows.',
);
