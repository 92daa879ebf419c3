import {names} from '../../lib/names.js';
import type {SeenVni} from '../../model/across-nodes.js';
import {type Check, clusterCheck, type NodeSubject} from '../../model/check.js';
import type {Remedy} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';

/** HNS rejects a VNI below 4096, and silently truncates one above 65535 to 16 bits in routes. */
const lowest = 4096;
const highest = 65_535;

export const vniChecks: readonly Check[] = [
  clusterCheck({
    id: 'tunnel/vni',
    title: 'All nodes share one VNI that Windows supports',
    failure: 'Nodes do not share one VNI that Windows supports',
    severity: 'error',
    plugins: 'Flannel, Calico',
    consequenceOf: ['cni/flannel-net-conf'],
    appliesTo: ({subjects}) => subjects.some(usesVxlan),
    run: fleet =>
      fleet.known.flatMap(own => {
        const subjects = fleet.subjects.filter(subject => usesVxlan(subject) && subject.plugin.name === own.name);
        const {vnis} = own.acrossNodes;
        if (!vnis || subjects.length === 0) return [];
        const its = {...fleet, subjects};
        return diagnose(vnis.seen(its), vnis.remedy(its)) ?? [];
      }),
    explain: {
      meaning:
        "Every packet between nodes carries the VNI, the number of the overlay. Nodes with different VNIs drop each other's packets, so pods on Windows and Linux nodes cannot communicate, although each side looks healthy.",
      why: 'Windows supports VNIs from 4096, and its agents use 4096 by default. Flannel on Linux uses 1 by default. Unless the VNI is set for all nodes, they differ. A Windows node also ignores every Flannel node whose VNI is below 4096.',
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
  return plugin.plugin?.acrossNodes.vnis !== undefined && plugin.profile.tunnel?.protocol === 'vxlan';
}

function diagnose(seen: readonly SeenVni[], remedy: Remedy): Verdict | undefined {
  if (seen.length === 0) return unknown('No VNI was found on a node or in the configuration.');
  const groups = [...Map.groupBy(seen, ({vni}) => vni)].sort(([one], [other]) => one - other);
  const bad = groups.some(([vni]) => vni < lowest || vni > highest);
  if (!bad && groups.length === 1) return undefined;
  const summary = groups.map(([vni, all]) => `${vni} (${names(all.map(({where}) => where))})`).join(', ');
  const message =
    groups.length > 1
      ? `The overlay has more than one VNI, so nodes drop each other's packets: ${summary}.`
      : `The overlay has a VNI that Windows does not support: ${summary}.`;
  return fail(message)
    .because(...groups.flatMap(([, all]) => all.slice(0, 5).map(({evidence}) => evidence)))
    .fixedBy(remedy);
}
