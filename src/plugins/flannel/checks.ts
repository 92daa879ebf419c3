import {podRanges} from '../../checks/cluster-network.js';
import {podNetwork} from '../../checks/pod-network.js';
import {names} from '../../lib/names.js';
import {type Check, clusterCheck, type Fleet, type NodeSubject} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {sameCidr, within} from '../../snapshot/addresses.js';
import {podCidr} from '../../snapshot/cluster.js';
import {activeConf, confType} from '../../snapshot/cni-conf.js';
import {same} from '../../snapshot/hns.js';
import {clusterNetConfs, type NetConf, nodeNetConf} from './net-conf.js';
import {netConfPatch} from './patch.js';

export const flannelChecks: readonly Check[] = [
  clusterCheck({
    id: 'cni/flannel-net-conf',
    title: 'Flannel configuration is supported on Windows',
    failure: 'Flannel configuration is not supported on Windows',
    severity: 'error',
    plugins: 'Flannel',
    appliesTo: ({subjects}) => subjects.some(runs('flannel')),
    run(fleet) {
      const subjects = fleet.subjects.filter(runs('flannel'));
      const shared = clusterNetConfs(fleet.cluster);
      const own = subjects.flatMap(({node}) => nodeNetConf(node) ?? []);
      const misnamed = subjects.flatMap(nameVerdict);
      if (shared.length + own.length === 0)
        return misnamed.length > 0
          ? misnamed
          : unknown('No Flannel net-conf.json was read, neither in the cluster nor on a node.');
      // If there is a ConfigMap, a file on a node is a copy of it, so only the ConfigMap is checked.
      const confs = shared.length > 0 ? shared : own;
      return [...confs.flatMap(conf => diagnose(conf, fleet)), ...disagreement([...shared, ...own]), ...misnamed];
    },
    explain: {
      meaning:
        'flanneld reads the cluster CIDR and the backend from net-conf.json. Its content does not work with Windows nodes: it cannot be parsed, has a VNI or port that Windows does not support, or has a range other than the cluster CIDR. Or the network name in the CNI configuration differs from the network that flanneld creates. hairpinMode and the portmap plugin of the Linux manifest have no effect on Windows: the portMappings capability of the Windows plugin sets host ports, and a pod cannot reach itself through its Service.',
      why: 'The Flannel manifest has default values for Linux. VXLAN with Windows requires VNI 4096 and port 4789; without them Linux uses 1 and 8472. The manifests for Linux and Windows can also differ.',
      see: [
        "kubectl -n kube-flannel get configmap kube-flannel-cfg -o jsonpath='{.data.net-conf\\.json}'",
        'Get-Content C:\\etc\\kube-flannel\\net-conf.json',
        'Get-Content C:\\etc\\cni\\net.d\\10-flannel.conf',
        'Get-HnsNetwork | Select-Object Name, Type',
      ],
      fix: [
        'In net-conf.json: "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}, and "Network": the cluster CIDR.',
        'Restart flanneld on every node; on Linux nodes also delete the old device: ip link delete flannel.1',
        'Give the CNI configuration on Windows the name of the HNS network: flannel.4096, vxlan0, or cbr0 for host-gw.',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md#vxlan',
        'https://github.com/kubernetes-sigs/sig-windows-tools/issues/301',
        'https://github.com/k3s-io/k3s/issues/9295',
      ],
    },
  }),
];

function diagnose(conf: NetConf, {cluster}: Fleet): Verdict[] {
  const at = (field: string, seen: unknown, expected: unknown) => ({
    section: conf.source.startsWith('ConfigMap') ? 'cluster' : 'files',
    object: conf.source,
    field: `net-conf.json ${field}`,
    seen: seen ?? null,
    expected,
  });
  if (!conf.readable)
    return [
      fail(`The net-conf.json of ${conf.source} is not valid JSON, so flanneld cannot start.`)
        .because(at('', 'not JSON', 'JSON'))
        .fixedBy(manual('Correct net-conf.json, then restart flanneld on every node.')),
    ];
  const faults = [...(conf.type === 'vxlan' ? overlayFaults(conf, at) : []), ...rangeFaults(conf, cluster, at)];
  if (faults.length === 0) return [];
  return [
    fail(
      `The net-conf.json of ${conf.source} is not valid for Windows nodes: ${faults.map(({text}) => text).join('; ')}.`,
    )
      .because(...faults.map(({evidence}) => evidence))
      .fixedBy(
        manual(
          netConfPatch(conf, cluster) ?? 'Correct net-conf.json as shown.',
          'Restart flanneld on every node; on Linux nodes also delete the old device: ip link delete flannel.1',
        ),
      ),
  ];
}

type At = (field: string, seen: unknown, expected: unknown) => Parameters<Verdict['because']>[number];

/** flanneld on Windows rejects these (vxlan_windows.go). A net-conf.json only for Windows may omit VNI and port. */
export function overlayFaults({vni, port, directRouting, gbp, forWindows}: NetConf, at: At) {
  const missing = (value: number | undefined) => value === undefined && !forWindows;
  return [
    ...(missing(vni) || (vni !== undefined && vni < 4096)
      ? [{text: `VNI ${vni ?? 'is not set, so Linux uses 1'}`, evidence: at('Backend.VNI', vni, 4096)}]
      : []),
    ...(missing(port) || (port !== undefined && port !== 4789)
      ? [{text: `port ${port ?? 'is not set, so Linux uses 8472'}`, evidence: at('Backend.Port', port, 4789)}]
      : []),
    ...(directRouting ? [{text: 'DirectRouting is on', evidence: at('Backend.DirectRouting', true, false)}] : []),
    ...(gbp ? [{text: 'GBP is on', evidence: at('Backend.GBP', true, false)}] : []),
  ];
}

export function rangeFaults({network}: NetConf, cluster: Fleet['cluster'], at: At) {
  const ranges = podRanges(cluster);
  const outside = cluster.all('Node').filter(node => podCidr(node) !== undefined && !within(podCidr(node), network));
  if (network === undefined) return [{text: 'it has no Network', evidence: at('Network', null, ranges)}];
  if (ranges.length > 0 && !ranges.some(range => sameCidr(range, network)))
    return [
      {text: `its Network ${network} is not the pod range of the cluster`, evidence: at('Network', network, ranges)},
    ];
  if (outside.length > 0)
    return [
      {
        text: `its Network ${network} does not contain the subnets of ${names(outside.map(({metadata}) => metadata.name))}`,
        evidence: at('Network', network, outside.map(podCidr)),
      },
    ];
  return [];
}

/** Nodes with different backends cannot reach each other. */
function disagreement(confs: readonly NetConf[]): Verdict[] {
  const types = new Set(confs.flatMap(({type}) => type ?? []));
  if (types.size < 2) return [];
  return [
    fail(`Flannel uses different backends on different nodes: ${[...types].join(' and ')}.`)
      .because(
        ...confs.map(({source, type}) => ({section: 'cluster', object: source, field: 'Backend.Type', seen: type})),
      )
      .fixedBy(manual('Set the same Backend.Type in every net-conf.json, and restart flanneld on every node.')),
  ];
}

/** win-overlay and win-bridge use the HNS network with the name of the CNI configuration. */
function nameVerdict({node, plugin}: NodeSubject): Verdict[] {
  const conf = activeConf(node);
  const network = podNetwork(node, plugin.profile.network);
  if (confType(conf) !== 'flannel' || !conf?.name || !network || same(conf.name, network.name)) return [];
  return [
    fail(
      `On ${node.name}, ${conf.path} is for network ${conf.name}, but flanneld created ${network.name}: pods cannot be attached.`,
    )
      .because(
        {
          section: 'files',
          object: `${node.name}: ${conf.path}`,
          field: 'name',
          seen: conf.name,
          expected: network.name,
        },
        {section: 'hnsNetworks', object: `${node.name}: ${network.name}`, field: 'Name', seen: network.name},
      )
      .fixedBy(
        manual(
          `Set "name" to ${JSON.stringify(network.name)} in the cni-conf.json for Windows, and restart the flanneld pod on the node.`,
        ),
      ),
  ];
}
