import {type Check, check, type NodeSubject} from '../../model/check.js';
import {stateFile} from '../../model/plugin.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {type Evidence, fail, unknown} from '../../model/verdict.js';
import {contains} from '../../snapshot/addresses.js';
import {same} from '../../snapshot/hns.js';
import {nameOf, normalPath} from '../../snapshot/paths.js';
import type {FileEntry} from '../../snapshot/sections.js';
import {lacksNetwork, podNetwork} from '../pod-network.js';

type Subject = NodeSubject<'os' | 'hnsNetworks' | 'hnsEndpoints' | 'files'>;

export const rebootChecks: readonly Check[] = [
  check({
    id: 'cluster/rebooted',
    title: 'No leftovers from before the last boot',
    failure: 'Leftovers from before the last boot',
    severity: 'warning',
    repair: {level: 'medium', effect: 'blip', restarts: 'agent'},
    needs: ['os', 'hnsNetworks', 'hnsEndpoints', 'files'],
    settles: true,
    // These report leftovers that block the network, with their effect.
    consequenceOf: ['ovs/stale-bridge', 'cni/azure-state', 'hns/host-endpoint', 'hns/network-present'],
    run(subject) {
      const {node, object, plugin} = subject;
      const boot = node.os.bootedAt;
      if (boot === undefined) return unknown('Boot time unknown.');
      const leftovers = [
        ...staleRows(subject),
        ...stalePidFiles(subject, boot),
        ...staleState(subject, boot),
        ...staleLeases(subject, boot),
        ...staleEndpoints(subject, boot),
        ...staleAnnotation(subject),
      ];
      if (leftovers.length === 0) {
        if (plugin.profile.bridges.length > 0 && !node.ovs) return unknown('OVS could not be read.');
        if (!node.processes && oldPidFiles(subject, boot).length > 0) return unknown('Processes could not be read.');
        if (!object && lacksNetwork(subject)) return unknown('The node annotations were not read.');
        return undefined;
      }
      return fail(
        `The node booted at ${new Date(boot).toISOString()} and still has ${leftovers.length === 1 ? 'a leftover' : `${leftovers.length} leftovers`} of the network from before the boot: ${leftovers.map(({object: its}) => its).join(', ')}.`,
      )
        .because(...leftovers)
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'A reboot removes some parts of a pod network and keeps others: OVS rows, state files, leases, endpoints, PID files, annotations. The objects listed here remain although the objects they belong to no longer exist. Agents fail on such leftovers and cannot recreate the network.',
      why: 'HNS keeps several networks in memory only, while OVS, CNI plugins and the API server keep theirs on disk. A clean shutdown removes both halves; a crash, a power loss or a forced update does not.',
      see: [
        '(Get-CimInstance Win32_OperatingSystem).LastBootUpTime',
        'Get-HnsNetwork; Get-HnsEndpoint; ovs-vsctl.exe --timeout=5 show',
        'Get-ChildItem C:\\k\\azure-vnet*.json*, C:\\var\\lib\\cni\\networks -Recurse | Select-Object FullName, LastWriteTime',
      ],
      fix: [
        'Run kubectl win cleanup NODE. It shows what it will remove and asks for confirmation.',
        'Restart the plugin agent.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/issues/4721',
        'https://github.com/flannel-io/flannel/issues/1423',
        'https://github.com/Azure/azure-container-networking/issues/283',
      ],
    },
  }),
];

/** OVS bridges whose switch no longer exists. */
function staleRows(subject: Subject): Evidence[] {
  const {node, plugin} = subject;
  if (!lacksNetwork(subject)) return [];
  return (node.ovs?.bridges ?? [])
    .filter(({name}) => plugin.profile.bridges.includes(name))
    .map(({name, ports}) => ({
      section: 'ovs',
      object: `Bridge ${name}`,
      field: 'ports',
      seen: ports.map(port => port.name),
      expected: `HNS network ${plugin.profile.network?.name} exists`,
    }));
}

/** A pid file from before the boot is stale. It matters only if the daemon did not start and rewrite it. */
function stalePidFiles(subject: Subject, boot: number): Evidence[] {
  const {processes} = subject.node;
  if (!processes) return [];
  return oldPidFiles(subject, boot)
    .filter(({path}) => !processes.some(({name}) => `${name}.pid` === nameOf(path)))
    .map(file => fileEvidence(file, 'a running process'));
}

function oldPidFiles({node}: Subject, boot: number): FileEntry[] {
  const isPidFile = /^(ovs-vswitchd|ovsdb-server|ovn-controller)\.pid$/;
  return node.files.filter(file => isPidFile.test(nameOf(file.path)) && isOlder(file, boot));
}

/** CNI state that describes a network that no longer exists, and locks whose holder ended with the boot. */
function staleState(subject: Subject, boot: number): Evidence[] {
  const {node, plugin} = subject;
  const network = podNetwork(node, plugin.profile.network);
  const gone = lacksNetwork(subject) ? `HNS network ${plugin.profile.network?.name}` : undefined;
  return node.files
    .filter(file => isOlder(file, boot))
    .flatMap(file => {
      const name = nameOf(file.path);
      const holds = stateFile(plugin, file.path)?.holds;
      if (holds === 'lock') return [fileEvidence(file, 'no lock from before the boot')];
      if (gone && holds === 'network') return [fileEvidence(file, gone)];
      const vip = name === 'sourcevip.json' ? /"address"\s*:\s*"([^"/]+)/.exec(file.content ?? '')?.[1] : undefined;
      if (vip === undefined) return [];
      const isOutside = network ? !network.subnets.some(({prefix}) => contains(prefix, vip)) : gone !== undefined;
      return isOutside ? [fileEvidence(file, `${vip} in a subnet of the network`)] : [];
    });
}

/** host-local leases whose address no endpoint has. */
function staleLeases({node}: Subject, boot: number): Evidence[] {
  const live = new Set(node.hnsEndpoints.map(({ip}) => ip));
  return node.files
    .filter(file => /\\cni\\networks\\[^\\]+\\\d+\.\d+\.\d+\.\d+$/.test(normalPath(file.path)) && isOlder(file, boot))
    .filter(({path, content}) => !live.has(nameOf(path)) && !/^dummy/.test(content ?? ''))
    .map(file => fileEvidence(file, 'an endpoint with that address'));
}

/** Endpoints older than the boot that are not attached. */
function staleEndpoints({node}: Subject, boot: number): Evidence[] {
  return node.hnsEndpoints
    .filter(({remote, createdAt, state}) => !remote && createdAt !== undefined && createdAt < boot && (state ?? 0) > 3)
    .filter(({name}) => !node.netAdapters?.some(adapter => same(adapter.name, `vEthernet (${name})`)))
    .map(({name, createdAt = 0}) => ({
      section: 'hnsEndpoints',
      object: `endpoint ${name}`,
      field: 'CreateProcessingStartTime',
      seen: new Date(createdAt).toISOString(),
      expected: 'an adapter that belongs to it',
    }));
}

/** The published MAC address of a tunnel endpoint whose network no longer exists. */
function staleAnnotation(subject: Subject): Evidence[] {
  const {object, plugin} = subject;
  const tunnelMac = plugin.profile.tunnelMac;
  if (!tunnelMac?.value || !object || !lacksNetwork(subject)) return [];
  return [
    {
      section: 'cluster',
      object: `annotation ${tunnelMac.annotation}`,
      seen: tunnelMac.value,
      expected: `HNS network ${plugin.profile.network?.name} with that MAC`,
    },
  ];
}

function isOlder({exists, writtenAt}: FileEntry, boot: number): boolean {
  return exists && writtenAt !== undefined && writtenAt < boot;
}

function fileEvidence({path, writtenAt}: FileEntry, expected: string): Evidence {
  return {
    section: 'files',
    object: path,
    field: 'LastWriteTime',
    seen: writtenAt === undefined ? null : new Date(writtenAt).toISOString(),
    expected,
  };
}
