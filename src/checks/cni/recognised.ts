import {names} from '../../lib/names.js';
import {type Check, check, clusterCheck, type NodeSubject} from '../../model/check.js';
import type {Plugin} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, info, skipped, unknown, type Verdict} from '../../model/verdict.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import {cniConfs, confType} from '../../snapshot/cni-conf.js';
import {type OnLinux, pluginsOnLinux} from '../plugins-on-linux.js';
import {isNeverStale} from '../pod-network.js';

export const recognitionChecks: readonly Check[] = [
  check({
    id: 'cni/recognised',
    title: 'Network plugin is recognised',
    failure: 'Network plugin is not recognised',
    severity: 'warning',
    needs: ['hnsNetworks', 'files'],
    run: subject => unrecognised(subject) ?? guess(subject),
    explain: {
      meaning:
        'Neither the node nor the cluster shows which network plugin the node runs. Only the checks that apply to every plugin were run, so the pod network is not reported as healthy.',
      why: 'No plugin is installed, its installation failed early, or kubectl win does not support it. Weave Net does not support Windows.',
      see: [
        'Get-ChildItem C:\\etc\\cni\\net.d, C:\\k\\cni\\config -ErrorAction Ignore',
        'Get-HnsNetwork | Select-Object Name, Type',
        'kubectl get daemonsets -A',
      ],
      fix: [
        'Install the plugin that the Linux nodes run: kubectl win preflight PLUGIN NODE lists the prerequisites.',
        'For a plugin that kubectl win does not support, see its documentation.',
      ],
      sources: ['https://kubernetes.io/docs/concepts/services-networking/windows-networking/#network-plugins'],
    },
  }),

  clusterCheck({
    id: 'cni/same-as-linux',
    title: 'Windows and Linux nodes run the same network plugin',
    failure: 'Windows and Linux nodes run different network plugins',
    severity: 'error',
    run(fleet) {
      const subjects = fleet.subjects
        .filter(isKnown)
        .filter(({plugin}) => plugin.plugin?.footprint.linuxPartners !== 'any');
      if (subjects.length === 0) return skipped('No Windows node runs a plugin that Linux nodes must run too.');
      const onLinux = pluginsOnLinux(fleet);
      if (onLinux.length === 0) return unknown('The network plugin of the Linux nodes is unknown.');
      return [...Map.groupBy(subjects, ({plugin}) => plugin.title)].flatMap(([title, own]) =>
        mismatch(title, own, onLinux, fleet.cluster),
      );
    },
    explain: {
      meaning:
        'Pods on Windows and Linux nodes are on one network, so all nodes must run the same plugin. Here they do not, so pods on Windows nodes cannot reach pods on Linux nodes.',
      why: 'The Linux nodes were moved to another plugin, the Windows nodes were set up with another plugin, or the plugin on the Linux nodes does not support Windows (for example Weave Net or kube-router).',
      see: ['kubectl get daemonsets -A', 'kubectl get nodes -L kubernetes.io/os'],
      fix: [
        'Install the Windows part of the plugin that the Linux nodes run: kubectl win preflight PLUGIN',
        'If that plugin does not support Windows, migrate the cluster to one that does.',
      ],
      sources: [
        'https://github.com/feiskyer/kubernetes-handbook/blob/master/setup/cluster/windows.md',
        'https://kubernetes.io/docs/concepts/services-networking/windows-networking/#network-plugins',
      ],
    },
  }),
];

function isKnown({plugin}: NodeSubject): boolean {
  return plugin.undetermined === undefined && plugin.plugin !== undefined;
}

function unrecognised({node, plugin}: NodeSubject<'hnsNetworks' | 'files'>): Verdict | undefined {
  if (plugin.plugin !== undefined) return undefined;
  const confs = cniConfs(node);
  const networks = node.hnsNetworks.filter(network => !isNeverStale(network)).map(({name}) => name);
  const seen = [
    ...confs.map(conf => `CNI configuration ${conf.path} of type ${confType(conf) ?? 'unknown'}`),
    ...networks.map(name => `HNS network ${name}`),
  ];
  return fail(
    seen.length > 0
      ? `The network plugin of ${node.name} was not recognised. Found: ${names(seen)}.`
      : `${node.name} has no network plugin: neither a CNI configuration nor an HNS network of a plugin was found.`,
  )
    .because({
      section: 'files',
      object: 'CNI configuration',
      field: 'type',
      seen: seen.length > 0 ? seen : null,
      expected: 'a known plugin',
    })
    .fixedBy(
      manual(
        'kubectl get daemonsets -A (shows the plugin of the Linux nodes)',
        `kubectl win preflight PLUGIN ${node.name}`,
      ),
    );
}

function guess({plugin}: NodeSubject): Verdict | undefined {
  if (plugin.confidence !== 'guess') return undefined;
  return info(`The network plugin is probably ${plugin.title}: ${names(plugin.evidence)}.`);
}

/**
 * Whether the cluster has the plugin's Linux agent; a DaemonSet only for Windows creates no pod network on Linux nodes.
 */
function hasLinuxAgent({footprint}: Plugin, cluster: ClusterModel): boolean {
  const agents = footprint.linuxAgents;
  return (
    agents.length === 0 ||
    cluster
      .all('DaemonSet')
      .some(({metadata}) => agents.some(name => metadata.name.startsWith(name)) && !/win/i.test(metadata.name))
  );
}

function mismatch(
  title: string,
  subjects: readonly NodeSubject[],
  onLinux: readonly OnLinux[],
  cluster: ClusterModel,
): Verdict[] {
  const [{plugin} = {plugin: undefined}] = subjects;
  const name = plugin?.name ?? '';
  const alone =
    onLinux.some(seen => seen.name === undefined) && plugin?.plugin && !hasLinuxAgent(plugin.plugin, cluster);
  if (!alone && onLinux.some(seen => seen.name === name)) return [];
  const partners = plugin?.plugin?.footprint.linuxPartners ?? [];
  if (partners === 'any' || onLinux.some(seen => partners.includes(seen.title))) return [];
  const nodes = names(subjects.map(({node}) => node.name));
  const linux = onLinux.filter(seen => seen.name !== name);
  const others = names(linux.map(seen => seen.title));
  const unsupported = onLinux.filter(seen => seen.name === undefined).map(seen => seen.title);
  const installs = linux
    .filter(seen => seen.name !== undefined)
    .map(seen => `Install ${seen.title} on the Windows nodes: kubectl win preflight ${seen.name}`);
  return [
    fail(
      `${nodes} ${subjects.length === 1 ? 'runs' : 'run'} ${title}, but the Linux nodes run ${others}${unsupported.length > 0 ? `; ${names(unsupported)} does not support Windows` : ''}: pods on Windows and Linux nodes cannot reach each other.`,
    )
      .because({section: 'cluster', object: 'network plugin of the Linux nodes', seen: others, expected: title})
      .fixedBy(manual(...installs, `${installs.length > 0 ? 'Or move' : 'Move'} the Linux nodes to ${title}.`)),
  ];
}
