import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import type {NodeSubject} from '../../model/check.js';
import type {Plugin, Recognition} from '../../model/plugin.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual, manualCutting} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import {type CniConf, cniConfs, confType} from '../../snapshot/cni-conf.js';
import {same} from '../../snapshot/hns.js';
import {nameOf} from '../../snapshot/paths.js';
import {pluginsOnLinux} from '../plugins-on-linux.js';
import {isNeverStale} from '../pod-network.js';
import {clusterPrerequisite, prerequisite} from './prerequisite.js';

export const onLinux = (target: Installation, install: readonly string[]) =>
  clusterPrerequisite(target, 'on-linux', {
    title: `${target.title} runs on the Linux nodes`,
    run(fleet) {
      if (fleet.cluster.all('Node').length === 0) return unknown('The nodes of the cluster were not read.');
      const seen = pluginsOnLinux(fleet);
      if (seen.some(({name}) => name === target.name)) return undefined;
      return fail(
        seen.length > 0
          ? `The Linux nodes run ${names(seen.map(({title}) => title))}, but Windows nodes must run the same plugin.`
          : `${target.title} is not installed in the cluster: install its Linux part first.`,
      )
        .because({
          section: 'cluster',
          object: 'network plugin',
          seen: seen.map(({title}) => title),
          expected: target.title,
        })
        .fixedBy(manual(...install));
    },
    explain: {
      meaning: `Windows and Linux nodes share one pod network, so they must run the same plugin. The Linux nodes do not run ${target.title}.`,
      why: 'The Linux part, which includes the controller, is not installed, or the cluster runs another plugin.',
      see: ['kubectl get daemonsets,deployments -A'],
      fix: [...install],
      sources: ['https://kubernetes.io/docs/concepts/services-networking/windows-networking/'],
    },
  });

/** `besides`: plugins with the same traces on a node, which are therefore ignored. */
export const noOtherPlugin = (target: Installation, {besides = []}: {besides?: readonly string[]} = {}) =>
  prerequisite(target, 'no-other-plugin', {
    title: 'Node has no other network plugin',
    needs: ['hnsNetworks'],
    run(subject) {
      const others = subject.plugin.others.filter(({plugin}) => !besides.includes(plugin.name));
      return others.map(({plugin, recognition}) =>
        fail(`The node has traces of ${plugin.title}: ${recognition.found.join(', ')}.`)
          .because({
            section: 'hnsNetworks',
            object: plugin.title,
            field: 'seen by',
            seen: recognition.found,
            expected: `no objects of a plugin other than ${target.title}`,
          })
          .fixedBy(manualCutting(...removal(subject, plugin, recognition))),
      );
    },
    explain: {
      meaning: `Another plugin left networks, services or configurations on the node. ${target.title} cannot share an adapter with it.`,
      why: 'The node ran another plugin before. HNS networks, services and CNI configurations remain when their DaemonSet is deleted.',
      see: ['Get-HnsNetwork | Select-Object Name, Type', 'Get-ChildItem C:\\etc\\cni\\net.d', 'Get-Service'],
      fix: [
        'Drain the node, and make sure that no DaemonSet of the other plugin recreates its agent.',
        'Stop and delete its services, and remove its CNI configuration.',
        'Remove its HNS networks with console access: this can interrupt the node network. A new machine is often faster.',
      ],
    },
  });

/** The commands that remove the other plugin from this node. */
function removal(subject: NodeSubject, other: Plugin, seen: Recognition): string[] {
  const {node, cluster, object} = subject;
  const input = {cluster, object, node};
  const profile = other.profile(input, seen);
  const services = node.services?.filter(its => profile.agent?.services.includes(its.name.toLowerCase())) ?? [];
  const confs = cniConfs(node).filter(conf => other.confType.test(confType(conf) ?? ''));
  const networks = (node.hnsNetworks ?? []).filter(
    network =>
      !isNeverStale(network) &&
      (same(network.name, profile.network?.name ?? '') || (other.ownNetworks?.test(network.name) ?? false)),
  );
  const steps = [
    ...services.map(its => `Stop-Service ${powerShellText(its.name)}; sc.exe delete ${powerShellText(its.name)}`),
    ...confs.map(({path}) => `Remove-Item -LiteralPath ${powerShellText(path)}`),
    ...networks.map(its => `Get-HnsNetwork | Where-Object Name -eq ${powerShellText(its.name)} | Remove-HnsNetwork`),
  ];
  return steps.length > 0 ? steps : ['Reinstall the machine without that plugin.'];
}

/** The runtime uses the first file by name: no other file may sort before that of the plugin. */
export const firstConf = (target: Installation, usual: string) =>
  prerequisite(target, 'cni-conf', {
    title: 'CNI configuration of the plugin sorts first',
    needs: ['files'],
    run({node, plugin}) {
      const isOwn = (conf: CniConf) => plugin.plugin?.confType.test(confType(conf) ?? '') ?? false;
      const confs = cniConfs(node);
      const own = confs.find(isOwn);
      const file = own ? nameOf(own.path) : usual;
      const before = confs.filter(conf => !isOwn(conf) && nameOf(conf.path) < file);
      if (before.length === 0) return undefined;
      return fail(
        `${names(before.map(({path}) => path))} sorts before ${file}: pods would use that network instead of ${target.title}.`,
      )
        .because(
          ...before.map(conf => ({
            section: 'files',
            object: conf.path,
            field: 'type',
            seen: confType(conf) ?? null,
            expected: `no file that sorts before ${file}`,
          })),
        )
        .fixedBy(
          manual(
            ...before.map(
              ({path}) =>
                `Rename-Item -LiteralPath ${powerShellText(path)} -NewName ${powerShellText(`${nameOf(path)}.off`)}`,
            ),
          ),
        );
    },
    explain: {
      meaning:
        'The container runtime reads only the first file by name in its CNI folder. A file of another plugin sorts first.',
      why: 'Sample configurations of containerd use the network nat, and removed plugins leave their files behind.',
      see: ['Get-ChildItem C:\\etc\\cni\\net.d | Sort-Object Name'],
      fix: ['Remove the file, or rename it so that it does not end with .conf, .conflist or .json.'],
      sources: ['https://github.com/kubernetes-sigs/sig-windows-tools/issues/128'],
    },
  });
