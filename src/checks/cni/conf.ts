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
      why: 'A second plugin left a file that sorts first. Or the runtime uses another folder (config.toml) than the plugin. Or the node address changed and the file was not updated.',
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

/** No configuration in the folder of the runtime: it may be the wrong folder. */
function nowhere({node, object}: NodeSubject<'files'>): Verdict {
  const {conf} = runtimeFolders(node);
  const elsewhere = node.files.find(
    ({path, exists, content}) =>
      exists && /cni.*\.(conf|conflist)$/i.test(path) && /"(type|plugins)"/.test(content ?? ''),
  );
  if (conf !== undefined && usualFolders.includes(conf) && elsewhere)
    return fail(
      `The container runtime reads CNI configurations from ${conf}, but that of the plugin is ${elsewhere.path}.`,
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
  return unknown('No CNI configuration was found among the files that were read.');
}

function foreign({plugin}: NodeSubject, conf: CniConf, expected: RegExp): Verdict | undefined {
  const type = confType(conf);
  if (type !== undefined && expected.test(type)) return undefined;
  if (type === undefined && conf.readable === undefined) return unknown(`The content of ${conf.path} was not read.`);
  return fail(
    type === undefined
      ? `${conf.path} is the first CNI configuration on this node and is not valid, so pods get no network.`
      : `Pods use ${conf.path}, which is for ${type}, not for ${plugin.title}: it is the first CNI configuration by name.`,
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

/** Overlay configurations contain the node's address, which becomes outdated when the address changes. */
function address({node, plugin}: NodeSubject, conf: CniConf): Verdict | undefined {
  const configured = conf.plugins.map(({providerAddress}) => providerAddress).find(its => its !== undefined);
  const network = podNetwork(node, plugin.profile.network);
  if (configured === undefined || network?.managementIp === undefined || configured === network.managementIp)
    return undefined;
  return fail(
    `The provider address in ${conf.path} is ${configured}, but the address of ${network.name} is ${network.managementIp}.`,
  )
    .because(
      {section: 'files', object: conf.path, field: 'ProviderAddress', seen: configured, expected: network.managementIp},
      {section: 'hnsNetworks', object: network.name, field: 'ManagementIP', seen: network.managementIp},
    )
    .fixedBy(cleanupRemedy(node));
}

/** Programs named in the configuration. Checked only if the folder, or the program itself, was read. */
function programs({node, plugin}: NodeSubject<'files'>, conf: CniConf): Verdict | undefined {
  const folders = runtimeFolders(node).bin;
  const there = node.files.filter(({path}) => folders.includes(folderOf(path)) && /\.exe$/i.test(path));
  // An unknown IPAM type may be built into its plugin.
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
    `${names(missing)} ${missing.length === 1 ? 'is' : 'are'} not in ${folders[0]}, but ${conf.path} requires ${missing.length === 1 ? 'it' : 'them'}.`,
  )
    .because(
      ...missing.map(name => ({
        section: 'files',
        object: `${folders[0]}\\${name}`,
        seen: null,
        expected: 'the program',
      })),
    )
    .fixedBy(
      manual(
        'Restart the plugin agent: its init container copies the programs. Otherwise install them in that folder.',
      ),
    );
}
