import {podNetwork} from '../checks/pod-network.js';
import type {Parts} from '../lib/shared-parts.js';
import type {NodeSubject} from '../model/check.js';
import type {Detection} from '../model/plugin.js';
import {internalIps} from '../snapshot/cluster.js';
import type {Network} from '../snapshot/hns.js';
import type {NodeModel} from '../snapshot/node.js';
import {NotRead} from '../snapshot/not-read.js';
import {type SectionName, sectionNames} from '../snapshot/section-names.js';

/**
 * What is kept of a diagnosed node for the checks of the cluster: a few kilobytes, however much was read. Reading any
 * other section throws; it never appears empty. Partly kept sections contain only what existing checks read: a new
 * check of the cluster adds here what it needs.
 */
export function forPeers(subject: NodeSubject, shared: Parts): NodeSubject {
  return {...subject, node: keptOf(subject, shared), plugin: shared.of(withoutPeers(subject.plugin))};
}

type Reduce = {[Name in SectionName]?: (subject: NodeSubject, shared: Parts) => NodeModel[Name]};

const reduced: Reduce = {
  os: ({node}) => node.os,
  containerd: ({node}) => node.containerd,
  // Only the pod network: checks compare its VNI and its port.
  hnsNetworks: ({node, plugin}, shared) => {
    const network = plugin.undetermined === undefined ? podNetwork(node, plugin.profile.network) : undefined;
    return network ? [withoutRoutes(network, shared)] : [];
  },
  files: ({node}) => node.files?.filter(({path, exists}) => exists && /\.(conf|conflist|json|toml)$/i.test(path)),
  services: ({node}) => node.services?.filter(({name}) => /^kube-?proxy$/i.test(name)),
  processes: ({node}) => node.processes?.filter(({name}) => name === 'kube-proxy'),
  netIPAddresses: subject => subject.node.netIPAddresses?.filter(({ip}) => internalIps(subject.object).includes(ip)),
  netIPInterfaces: subject => subject.node.netIPInterfaces?.filter(({adapter}) => adapter === nodeAdapter(subject)),
  netAdapters: subject => subject.node.netAdapters?.filter(({name}) => name === nodeAdapter(subject)),
};

/** The adapter with the node's address. */
function nodeAdapter({node, object}: NodeSubject): string | undefined {
  const addresses = internalIps(object);
  return node.netIPAddresses?.find(({ip}) => addresses.includes(ip))?.adapter;
}

function keptOf(subject: NodeSubject, shared: Parts): NodeModel {
  const {node} = subject;
  const read = sectionNames.filter(name => node[name] !== undefined);
  const kept = Object.create(withoutSections(read.filter(section => reduced[section] === undefined))) as NodeModel;
  Object.assign(kept, {name: node.name, errors: node.errors});
  for (const section of read) {
    const reduce = reduced[section];
    if (!reduce) continue;
    Object.assign(kept, {[section]: shared.of(reduce(subject, shared))});
  }
  return kept;
}

const prototypes = new Map<string, object>();

/** Nodes with the same sections share one prototype, so that a thousand nodes do not create forty getters each. */
function withoutSections(sections: readonly SectionName[]): object {
  const key = sections.join();
  const known = prototypes.get(key);
  if (known) return known;
  const made = Object.defineProperties({}, Object.fromEntries(sections.map(section => [section, notKept(section)])));
  prototypes.set(key, made);
  return made;
}

function notKept(what: string): PropertyDescriptor {
  return {
    get: () => {
      throw new NotRead(what, 'it is not kept for checks across nodes');
    },
  };
}

/** Dropped because an overlay has as many remote routes as the fleet has nodes. */
function withoutRoutes({remoteRoutes: _, ...network}: Network, shared: Parts): Network {
  return Object.assign(Object.create(noRoutes), shared.of(network));
}

const noRoutes = Object.defineProperty({}, 'remoteRoutes', notKept('remoteRoutes'));

/** Dropped because each node has as many peers as the fleet has nodes. */
function withoutPeers(plugin: Detection): Detection {
  if (plugin.undetermined !== undefined) return plugin;
  const {peers: _, ...profile} = plugin.profile;
  return {...plugin, profile};
}
