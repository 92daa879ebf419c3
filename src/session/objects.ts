import type {CoreV1Event, V1Node, V1Pod} from '@kubernetes/client-node';
import {defaultNamespace} from '../helper/default-namespace.js';
import type {CallOptions, KubeClient, ListOptions} from '../kube/client.js';
import {nameOfNode, runsWindows} from '../kube/select-nodes.js';
import {apiPath} from '../lib/api-path.js';
import {inParallel} from '../lib/in-parallel.js';
import {plugins} from '../plugins/all.js';
import type {ClusterList} from '../snapshot/cluster-lists.js';
import type {Private} from '../snapshot/kept-objects.js';
import {customResourceLists} from './custom-resources.js';
import {ObjectReader, type StoredObject} from './object-reader.js';

export interface ObjectOptions extends CallOptions {
  /** The Windows nodes to read for; undefined: all. */
  nodes?: readonly string[] | undefined;
  /** All nodes of the cluster, if they were already read. */
  allNodes?: readonly V1Node[] | undefined;
  /** Read only what recognising plugins requires: no Services, no events. */
  forRecognition?: boolean;
}

/** The cluster part of a snapshot. */
export interface ClusterObjects {
  version: string | undefined;
  /** Kubernetes objects with the fields that checks read, in a stable order. */
  objects: StoredObject[];
  /** The requested lists, and why some could not be read. */
  lists: ClusterList[];
  /** The number of objects from which private data was left out, by kind of data. */
  leftOut: Partial<Record<Private, number>>;
}

/** Names of namespaces in which plugins run. */
const networkNamespaces = [
  /^kube-system$|cni|^kubectl-win$/,
  ...plugins.flatMap(({footprint}) => footprint.namespaces.like ?? []),
];
/** Read if namespaces may not be listed. */
const usualNamespaces = ['kube-system', ...plugins.flatMap(({footprint}) => footprint.namespaces.usual)];
/** The namespaces of the Services that every cluster has. */
const serviceNamespaces = ['default', 'kube-system', 'openshift-dns'];

const atOnce = 8;
/** Opening a connection takes longer than two requests on an existing one. */
const fewAtOnce = 3;
/** Up to this number of items, a cluster-wide list is cheap. */
const cheapList = 3000;
/** Up to this number of nodes, one request per node is cheaper than reading all pods of the cluster. */
const fewNodes = 50;

/** Reads all cluster objects that the diagnosis needs. What may not be read is omitted and recorded. */
export async function readClusterObjects(client: KubeClient, options: ObjectOptions = {}): Promise<ClusterObjects> {
  const {signal} = options;
  const reader = new ObjectReader(client, signal);
  const [version, nodes, namespaces, customResources] = await Promise.all([
    options.forRecognition ? undefined : serverVersion(client, signal),
    options.allNodes
      ? reader.take<V1Node>({kind: 'Node'}, options.allNodes)
      : reader.list<V1Node>({kind: 'Node'}, '/api/v1/nodes'),
    reader.list({kind: 'Namespace'}, '/api/v1/namespaces', {}, ({metadata}) =>
      networkNamespaces.some(like => like.test(metadata.name ?? '')),
    ),
    customResourceLists(reader, client, signal),
    reader.list({kind: 'DaemonSet'}, '/apis/apps/v1/daemonsets'),
  ]);
  const found = namespaces.map(({metadata}) => metadata.name ?? '');
  const all = found.length > 0 ? found : usualNamespaces;
  // No plugin is recognised by objects in the helpers' namespace.
  const network = options.forRecognition ? all.filter(name => name !== defaultNamespace) : all;
  const windows = new Set(options.nodes ?? nodes.filter(runsWindows).map(nameOfNode));
  const reads = [
    ...network.flatMap(namespace => namespaceReads(reader, namespace, windows)),
    ...podReads(reader, windows),
    ...(options.forRecognition ? [] : [() => readServices(reader, network)]),
    ...customResources,
  ];
  await inParallel(reads, options.forRecognition ? fewAtOnce : atOnce, read => read());
  if (!options.forRecognition) await readEvents(reader, network);
  return {version, objects: reader.objects(), lists: reader.lists(), leftOut: reader.leftOut()};
}

async function serverVersion(client: KubeClient, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    return await client.version({signal});
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

type Read = () => Promise<unknown>;

function namespaceReads(reader: ObjectReader, namespace: string, windows: ReadonlySet<string>): Read[] {
  const core = apiPath`/api/v1/namespaces/${namespace}`;
  return [
    () => reader.list({kind: 'Deployment', namespace}, apiPath`/apis/apps/v1/namespaces/${namespace}/deployments`),
    () => reader.list({kind: 'ConfigMap', namespace}, `${core}/configmaps`),
    // DaemonSet pods on Linux nodes are many, and irrelevant to the Windows nodes.
    () =>
      reader.list<V1Pod>({kind: 'Pod', namespace}, `${core}/pods`, {}, pod => isOn(pod, windows) || !ofDaemonSet(pod)),
  ];
}

const isOn = ({spec}: V1Pod, nodes: ReadonlySet<string>) => nodes.has(spec?.nodeName ?? '');
const ofDaemonSet = ({metadata}: V1Pod) => metadata?.ownerReferences?.some(({kind}) => kind === 'DaemonSet') ?? false;

function podReads(reader: ObjectReader, windows: ReadonlySet<string>): Read[] {
  if (windows.size > fewNodes) {
    return [() => reader.list<V1Pod>({kind: 'Pod'}, '/api/v1/pods', {}, pod => isOn(pod, windows))];
  }
  return [...windows].map(node => {
    const options: ListOptions = {fieldSelector: `spec.nodeName=${node}`, resourceVersion: '0'};
    return () => reader.list({kind: 'Pod', node}, '/api/v1/pods', options);
  });
}

/** All Services and their endpoints if there are not too many; otherwise only those of the network and of every cluster. */
async function readServices(reader: ObjectReader, network: readonly string[]): Promise<void> {
  const kinds = [
    {kind: 'Service', name: 'services', api: '/api/v1'},
    {kind: 'EndpointSlice', name: 'endpointslices', api: '/apis/discovery.k8s.io/v1'},
  ];
  for (const {kind, name, api} of kinds) {
    const whole = await reader.listIfCheap({kind}, `${api}/${name}`, cheapList);
    if (whole) continue;
    const namespaces = [...new Set([...serviceNamespaces, ...network])];
    await inParallel(namespaces, atOnce, namespace =>
      reader.list({kind, namespace}, `${api}${apiPath`/namespaces/${namespace}`}/${name}`),
    );
  }
}

/** Only warnings about objects that were read; other events are irrelevant. */
async function readEvents(reader: ObjectReader, network: readonly string[]): Promise<void> {
  const known = new Set(
    reader.objects().map(({kind, metadata}) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`),
  );
  const concerns = ({involvedObject}: Partial<CoreV1Event>) => {
    const {kind = '', namespace = '', name = ''} = involvedObject ?? {};
    return known.has(`${kind}/${kind === 'Node' ? '' : namespace}/${name}`);
  };
  const warnings = {fieldSelector: 'type=Warning'};
  await reader.list<CoreV1Event>({kind: 'Event'}, '/api/v1/events', warnings, concerns);
  if (reader.lists().some(({kind, error}) => kind === 'Event' && error === undefined)) return;
  await inParallel(network, atOnce, namespace =>
    reader.list({kind: 'Event', namespace}, apiPath`/api/v1/namespaces/${namespace}/events`, warnings, concerns),
  );
}
