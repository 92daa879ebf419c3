import {isoTime} from '../../lib/iso-time.js';
import {parseJson, property, textProperty} from '../../lib/json-properties.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {nameOf} from '../../snapshot/paths.js';
import type {FileEntry} from '../../snapshot/sections.js';
import {normalGuid} from '../../snapshot/values.js';

export const stateChecks: readonly Check[] = [
  check({
    id: 'cni/azure-state',
    title: 'State file of Azure CNI matches HNS',
    failure: 'State file of Azure CNI does not match HNS',
    severity: 'error',
    repair: {level: 'medium', effect: 'cut', restarts: 'agent'},
    plugins: 'Azure CNI',
    needs: ['files'],
    appliesTo: runs('azure'),
    run(subject) {
      const {node} = subject;
      const files = node.files.filter(({exists}) => exists);
      const state = files.find(({path}) => nameOf(path) === 'azure-vnet.json');
      const locks = files.filter(
        ({path, writtenAt}) => /^azure-vnet.*\.json\.lock$/.test(nameOf(path)) && isFromBefore(subject, writtenAt),
      );
      return [
        ...(state ? [stateFile(subject, state)] : []),
        ...locks.map(({path, writtenAt}) =>
          fail(`${path} is older than the last boot. No process holds it, but every call to Azure CNI waits for it.`)
            .because({
              section: 'files',
              object: path,
              field: 'LastWriteTime',
              seen: isoTime(writtenAt),
              expected: `later than the boot, ${isoTime(node.os?.bootedAt)}`,
            })
            .fixedBy(cleanupRemedy(node, {cuts: true})),
        ),
      ].filter(verdict => verdict !== undefined);
    },
    explain: {
      meaning:
        'Azure CNI records the HNS network and endpoints that it created in azure-vnet.json. The file names a network that HNS does not have, cannot be read, or is locked by a process that died with the last boot. Every new pod then fails, with "network was not found" or "timed out locking store".',
      why: 'A reboot removes this network from HNS, but not the file. On AKS, a scheduled task removes both at every boot; if it did not run, the two no longer match. A power loss can leave a file full of zero bytes.',
      see: [
        'Get-Content C:\\k\\azure-vnet.json',
        'Get-HnsNetwork | Select-Object Name, ID',
        'Get-ChildItem C:\\k\\azure-vnet*',
      ],
      fix: [
        'Drain the node. All its pods must be recreated.',
        'Stop-Service kubeproxy, kubelet',
        'Get-HnsPolicyList | Remove-HnsPolicyList, then remove network azure if it exists',
        'Remove-Item C:\\k\\azure-vnet.json*, C:\\k\\azure-vnet-ipam.json*, C:\\k\\azurecns\\azure-endpoints.json',
        'Start-Service kubelet (its start script also starts kubeproxy)',
      ],
      sources: [
        'https://github.com/Azure/azure-container-networking/issues/283',
        'https://github.com/Azure/azure-container-networking/issues/339',
        'https://github.com/Azure/azure-container-networking/pull/4551',
      ],
    },
  }),
];

function stateFile(subject: NodeSubject, file: FileEntry): Verdict | undefined {
  const {path, content} = file;
  if (content === undefined) return unknown(`The content of ${path} was not read.`);
  // Azure CNI treats an empty file like a missing one.
  if (content.trim() === '') return undefined;
  const state = parseJson(content);
  return state === undefined ? broken(subject, content, file) : staleNetwork(subject, networksIn(state), path);
}

/** After a power loss, NTFS may return a file of the right length that contains only zero bytes. */
function broken({node}: NodeSubject, content: string, {path, length}: FileEntry): Verdict {
  const zeroes = /^\0+$/.test(content);
  return fail(
    `${path} is not valid JSON${zeroes ? ' (only zero bytes, as after a power loss)' : ''}, so Azure CNI fails for every pod.`,
  )
    .because({
      section: 'files',
      object: path,
      field: 'Content',
      seen: zeroes ? `${length ?? content.length} zero bytes` : content.slice(0, 80),
      expected: 'JSON, or no file',
    })
    .fixedBy(cleanupRemedy(node, {cuts: true}));
}

function staleNetwork({node}: NodeSubject, known: readonly KnownNetwork[], path: string): Verdict | undefined {
  if (known.length === 0) return undefined;
  if (node.hnsNetworks === undefined)
    return unknown(
      `${path} refers to a network, but the networks of HNS could not be read: ${node.errors.hnsNetworks?.message ?? 'not collected'}.`,
    );
  const gone = known.find(({id}) => !node.hnsNetworks?.some(network => network.id === id));
  if (!gone) return undefined;
  const namesake = node.hnsNetworks.find(({name}) => name === gone.name);
  return fail(
    `${path} refers to HNS network ${gone.name} with id ${gone.id}, but ${namesake ? 'its id in HNS is different' : 'HNS has no such network'}: every new pod fails.`,
  )
    .because(
      {
        section: 'files',
        object: path,
        field: 'HnsId',
        seen: gone.id,
        expected: namesake?.id ?? 'the id of a network that exists, or no file',
      },
      {section: 'hnsNetworks', object: gone.name, seen: node.hnsNetworks.map(({name}) => name)},
    )
    .fixedBy(cleanupRemedy(node, {cuts: true}));
}

interface KnownNetwork {
  readonly name: string;
  readonly id: string;
}

/** Network → ExternalInterfaces → <adapter> → Networks → <name> → HnsId (azure-container-networking network/manager.go). */
function networksIn(state: unknown): KnownNetwork[] {
  const interfaces = values(property(property(state, 'Network'), 'ExternalInterfaces'));
  return interfaces
    .flatMap(adapter => entries(property(adapter, 'Networks')))
    .flatMap(([name, network]) => {
      const id = textProperty(network, 'HnsId');
      return id === undefined ? [] : [{name, id: normalGuid(id)}];
    });
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function values(value: unknown): unknown[] {
  return entries(value).map(([, its]) => its);
}

function isFromBefore({node}: NodeSubject, writtenAt: number | undefined): boolean {
  return writtenAt !== undefined && node.os?.bootedAt !== undefined && writtenAt < node.os.bootedAt;
}
