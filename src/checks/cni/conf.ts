import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {type CniConf, cniConfs, confType, usualFolders} from '../../snapshot/cni-conf.js';
import {folderOf, nameOf, runtimeFolders, unlistedFolder} from '../../snapshot/paths.js';
import {podNetwork} from '../pod-network.js';

export const confChecks: readonly Check[] = [
  check({
    id: 'cni/conf',
    title: 'CNI configuration belongs to the plugin',
    failure: 'CNI configuration is missing or belongs to another plugin',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    needs: ['files'],
    appliesTo: ({plugin}) => plugin.plugin !== undefined,
    run(subject) {
      const {node, plugin} = subject;
      const {conf, bin} = runtimeFolders(node);
      const unlisted = unlistedFolder(node, [...(conf === undefined ? usualFolders : [conf]), ...bin]);
      if (unlisted) return unknown(`Folder ${unlisted.path} could not be listed: ${unlisted.error}`);
      const [first] = cniConfs(node);
      if (!first) return nowhere(subject);
      if (!plugin.plugin) return undefined;
      const wrong = foreign(subject, first, plugin.plugin.confType);
      return wrong ?? [address(subject, first), programs(subject, first)].filter(verdict => verdict !== undefined);
    },
    explain: {
      meaning:
        'The container runtime reads the first file by name in its CNI folder and runs the programs named there for each pod. That file belongs to another plugin, cannot be read, contains an old node address, or names a program that does not exist. Pods get the wrong network or none.',
      why: 'A second plugin left a file that sorts first. Or config.toml makes the runtime use another folder than the plugin. Or the node address changed and the file was not updated.',
      see: [
        "Select-String -Path 'C:\\Program Files\\containerd\\config.toml' -Pattern 'conf_dir|bin_dir'",
        'Get-ChildItem C:\\etc\\cni\\net.d | Sort-Object Name',
        'Get-ChildItem C:\\opt\\cni\\bin',
      ],
      fix: [
        'Remove the file of the other plugin, or rename it so that it does not end with .conf, .conflist or .json.',
        'Set conf_dir and bin_dir in config.toml to the plugin folders, and restart containerd.',
        'Restart the agent. Most agents rewrite the file and the programs.',
      ],
      sources: [
        'https://github.com/kubernetes-sigs/sig-windows-tools/issues/128',
        'https://github.com/kubernetes-sigs/sig-windows-tools/issues/285',
        'https://github.com/containerd/containerd/issues/8419',
      ],
    },
  }),
];

/** No configuration where the runtime looks: perhaps it looks in the wrong place. */
function nowhere({node, object}: NodeSubject<'files'>): Verdict {
  const {conf} = runtimeFolders(node);
  const elsewhere = node.files.find(
    ({path, exists, content}) =>
      exists && /cni.*\.(conf|conflist)$/i.test(path) && /"(type|plugins)"/.test(content ?? ''),
  );
  if (conf !== undefined && usualFolders.includes(conf) && elsewhere)
    return fail(
      `The container runtime looks for its CNI configuration in ${conf}, but the plugin's is ${elsewhere.path}.`,
    )
      .because({section: 'files', object: elsewhere.path, seen: folderOf(elsewhere.path), expected: conf})
      .fixedBy(
        manual(
          `Set conf_dir in containerd's config.toml to ${powerShellText(folderOf(elsewhere.path))}`,
          'Restart-Service containerd',
        ),
      );
  const ready = object?.status?.conditions.find(({type}) => type === 'Ready');
  if (ready && ready.status !== 'True' && /cni (config|plugin)|NetworkPluginNotReady/i.test(ready.message ?? ''))
    return fail('The node has no CNI configuration, so pods get no network.')
      .because(
        {
          section: 'files',
          object: conf ?? 'C:\\etc\\cni\\net.d',
          seen: null,
          expected: 'the configuration of the plugin',
        },
        {section: 'cluster', object: `Node ${node.name}`, field: 'Ready', seen: ready.message},
      )
      .fixedBy(manual('Restart the plugin agent: it writes its configuration when it starts.'));
  return unknown('No CNI configuration was among the files that were read.');
}

function foreign({plugin}: NodeSubject, conf: CniConf, expected: RegExp): Verdict | undefined {
  const type = confType(conf);
  if (type !== undefined && expected.test(type)) return undefined;
  if (type === undefined && conf.readable === undefined) return unknown(`The content of ${conf.path} was not read.`);
  return fail(
    type === undefined
      ? `${conf.path} is the first CNI configuration on this node, and it is none that can be read, so no pod gets a network.`
      : `Pods get their network from ${conf.path}, which is for ${type}, not for ${plugin.title}: it is the first by name.`,
  )
    .because({
      section: 'files',
      object: conf.path,
      field: 'type',
      seen: type ?? null,
      expected: `the configuration of ${plugin.title}`,
    })
    .fixedBy(
      manual(
        `Rename-Item -LiteralPath ${powerShellText(conf.path)} -NewName ${powerShellText(`${nameOf(conf.path)}.off`)}`,
        'Restart-Service containerd, then delete the pods that got the wrong network.',
      ),
    );
}

/** The node's own address is written into the configuration of overlays, and stays when the node gets another. */
function address({node, plugin}: NodeSubject, conf: CniConf): Verdict | undefined {
  const told = conf.plugins.map(({providerAddress}) => providerAddress).find(its => its !== undefined);
  const network = podNetwork(node, plugin.profile.network);
  if (told === undefined || network?.managementIp === undefined || told === network.managementIp) return undefined;
  return fail(
    `${conf.path} gives pods the provider address ${told}, but ${network.name} is at ${network.managementIp}.`,
  )
    .because(
      {section: 'files', object: conf.path, field: 'ProviderAddress', seen: told, expected: network.managementIp},
      {section: 'hnsNetworks', object: network.name, field: 'ManagementIP', seen: network.managementIp},
    )
    .fixedBy(cleanupRemedy(node));
}

/** Programs that the configuration names: diagnosed where they, or some other program of the folder, were looked for. */
function programs({node, plugin}: NodeSubject<'files'>, conf: CniConf): Verdict | undefined {
  const folders = runtimeFolders(node).bin;
  const there = node.files.filter(({path}) => folders.includes(folderOf(path)) && /\.exe$/i.test(path));
  // An IPAM that is no known program may be part of its plugin.
  const ipams = ['host-local', ...plugin.known.flatMap(({footprint}) => footprint.ipam ?? [])];
  const wanted = conf.plugins
    .flatMap(({type, delegate, ipam}) => [
      type,
      delegate,
      ipam !== undefined && ipams.includes(ipam) ? ipam : undefined,
    ])
    .filter(name => name !== undefined)
    .map(name => `${name.toLowerCase().replace(/\.exe$/, '')}.exe`);
  const missing = [...new Set(wanted)].filter(name => {
    const listed = there.some(({path, exists}) => exists || nameOf(path) === name);
    return listed && !there.some(({path, exists}) => exists && nameOf(path) === name);
  });
  if (missing.length === 0) return undefined;
  return fail(
    `${names(missing)} ${missing.length === 1 ? 'is' : 'are'} not in ${folders[0]}, though ${conf.path} needs ${missing.length === 1 ? 'it' : 'them'}.`,
  )
    .because(
      ...missing.map(name => ({
        section: 'files',
        object: `${folders[0]}\\${name}`,
        seen: null,
        expected: 'the program',
      })),
    )
    .fixedBy(manual('Restart the plugin agent: its init container copies the programs. Else install them there.'));
}
