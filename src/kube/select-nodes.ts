import type {V1Node} from '@kubernetes/client-node';
import coerce from 'semver/functions/coerce.js';
import lt from 'semver/functions/lt.js';
import {WinError} from '../lib/errors.js';
import {alphabetically} from '../lib/natural-order.js';
import {nearestNames} from '../lib/nearest-names.js';
import {ApiError} from './api-errors.js';
import type {CallOptions, KubeClient} from './client.js';

/** Which nodes a command is about. With neither names nor selector: all Windows nodes. */
export interface NodeSelection {
  names?: readonly string[] | undefined;
  selector?: string | undefined;
}

export const nameOfNode = (node: V1Node): string => node.metadata?.name ?? '';

export function runsWindows(node: V1Node): boolean {
  const reported = node.status?.nodeInfo?.operatingSystem;
  return (reported || node.metadata?.labels?.['kubernetes.io/os']) === 'windows';
}

export interface SelectedNodes {
  /** The Windows nodes of the selection. */
  chosen: V1Node[];
  /** All nodes of the cluster, where they had to be read anyway. */
  all: V1Node[] | undefined;
}

/** The Windows nodes of a selection: in the order in which they are named, else sorted by name. Every name must be one. */
export async function selectNodes(
  client: KubeClient,
  selection: NodeSelection,
  options: CallOptions = {},
): Promise<V1Node[]> {
  return (await readNodes(client, selection, options)).chosen;
}

/** The same, with all the nodes that were read on the way: who needs them too need not ask again. */
export async function readNodes(
  client: KubeClient,
  {names = [], selector}: NodeSelection,
  {signal}: CallOptions = {},
): Promise<SelectedNodes> {
  if (names.length > 0 && selector) {
    throw new WinError('Node names and a selector cannot be given together.', {next: ['Give one or the other.']});
  }
  const {items} = await client
    .list<V1Node>('/api/v1/nodes', {labelSelector: selector, signal, keep: lean})
    .catch(error => Promise.reject(selector === undefined ? error : selectorError(error, selector)));
  const all = selector ? undefined : items;
  if (names.length > 0) return {chosen: byName(items, names), all};
  const chosen = items.filter(runsWindows);
  if (chosen.length === 0) throw noneFound(client, selector, items.length);
  return {chosen: chosen.sort((a, b) => alphabetically(nameOfNode(a), nameOfNode(b))), all};
}

/** A Node without its largest part, which nobody reads: who set which field. */
function lean(node: V1Node): V1Node {
  const {managedFields: _, ...metadata} = node.metadata ?? {};
  return {...node, metadata};
}

function byName(nodes: readonly V1Node[], names: readonly string[]): V1Node[] {
  const known = new Map(nodes.map(node => [nameOfNode(node), node]));
  // As with kubectl, `node/win-1` is win-1.
  const wanted = new Set(names.map(name => name.replace(/^(nodes?|no)\//, '')));
  return [...wanted].map(name => {
    const node = known.get(name);
    if (!node) throw unknownNode(name, nodes);
    if (runsWindows(node)) return node;
    const os = node.status?.nodeInfo?.operatingSystem ?? 'unknown';
    throw new WinError(`The node "${name}" is not a Windows node (operating system: ${os}).`, {
      next: ['List the Windows nodes with: kubectl get nodes -l kubernetes.io/os=windows'],
    });
  });
}

function unknownNode(name: string, nodes: readonly V1Node[]): WinError {
  const windows = nodes.filter(runsWindows).map(nameOfNode);
  const near = nearestNames(name, windows);
  const next =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Windows nodes: ${windows.join(', ') || 'none'}.`;
  return new WinError(`There is no node "${name}".`, {next: [next]});
}

/** What the API server says to a selector that it does not understand is a matter of the flag. */
function selectorError(error: unknown, selector: string): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error;
  return new WinError(`--selector=${selector} is not a label selector: ${error.detail}.`, {
    next: ['Write it as in --selector=pool=windows or -l "zone in (a,b)".'],
    cause: error,
  });
}

function noneFound({context, server}: KubeClient, selector: string | undefined, count: number): WinError {
  const where = context ? `context "${context}"` : server;
  const among = selector ? `the ${count} nodes that match "${selector}"` : `the ${count} nodes`;
  return new WinError(`No Windows node was found among ${among} in ${where}.`, {
    next: ['A Windows node says so in status.nodeInfo.operatingSystem, or with the label kubernetes.io/os=windows.'],
  });
}

const manual = (name: string) =>
  `run the script that "kubectl win helper script" prints on ${name} manually, and give what it writes to "kubectl win doctor --from"`;

/** Why no helper pod can run on a node, and the way out; undefined when nothing speaks against it. */
export function helperImpossible(node: V1Node): string | undefined {
  const why = obstacle(node);
  return why && `${why}; ${manual(nameOfNode(node))}.`;
}

function obstacle(node: V1Node): string | undefined {
  const name = nameOfNode(node);
  const {containerRuntimeVersion: runtime = '', kubeletVersion = ''} = node.status?.nodeInfo ?? {};
  if (runtime.startsWith('docker:')) return `${name} runs Docker, which has no HostProcess containers`;
  if (olderThan(kubeletVersion, '1.23.0')) {
    return `${name} runs kubelet ${kubeletVersion}, and HostProcess containers need 1.23 or newer`;
  }
  const containerd = /^containerd:\/\/(.*)$/.exec(runtime)?.[1] ?? '';
  if (olderThan(containerd, '1.6.0')) {
    return `${name} runs containerd ${containerd}, and HostProcess containers need 1.6 or newer`;
  }
  const ready = node.status?.conditions?.find(({type}) => type === 'Ready');
  // Ready=False still has a kubelet behind it that starts pods with hostNetwork; Unknown has not.
  if (ready?.status !== 'Unknown') return undefined;
  const since = ready.lastHeartbeatTime ? ` since ${String(ready.lastHeartbeatTime)}` : '';
  return `the kubelet of ${name} has not reported${since}, so no pod can be started there`;
}

function olderThan(version: string, least: string): boolean {
  const parsed = coerce(version);
  return parsed !== null && lt(parsed, least);
}
