import type {V1Node} from '@kubernetes/client-node';
import coerce from 'semver/functions/coerce.js';
import lt from 'semver/functions/lt.js';
import {WinError} from '../lib/errors.js';
import {alphabetically} from '../lib/natural-order.js';
import {nearestNames} from '../lib/nearest-names.js';
import {ApiError} from './api-errors.js';
import type {CallOptions, KubeClient} from './client.js';

/** The nodes to select. With neither names nor selector: all Windows nodes. */
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
  /** All nodes of the cluster, if they were read anyway. */
  all: V1Node[] | undefined;
}

/** The Windows nodes of a selection, in the given order or sorted by name. Every name must be a Windows node. */
export async function selectNodes(
  client: KubeClient,
  selection: NodeSelection,
  options: CallOptions = {},
): Promise<V1Node[]> {
  return (await readNodes(client, selection, options)).chosen;
}

/** The same, with all nodes that were read, so that they need not be read again. */
export async function readNodes(
  client: KubeClient,
  {names = [], selector}: NodeSelection,
  {signal}: CallOptions = {},
): Promise<SelectedNodes> {
  if (names.length > 0 && selector) {
    throw new WinError('Node names and a selector cannot be combined.', {next: ['Use one or the other.']});
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

/** A Node without managedFields, its largest part, which is never used. */
function lean(node: V1Node): V1Node {
  const {managedFields: _, ...metadata} = node.metadata ?? {};
  return {...node, metadata};
}

function byName(nodes: readonly V1Node[], names: readonly string[]): V1Node[] {
  const known = new Map(nodes.map(node => [nameOfNode(node), node]));
  // As in kubectl, `node/win-1` is accepted for win-1.
  const wanted = new Set(names.map(name => name.replace(/^(nodes?|no)\//, '')));
  return [...wanted].map(name => {
    const node = known.get(name);
    if (!node) throw unknownNode(name, nodes);
    if (runsWindows(node)) return node;
    const os = node.status?.nodeInfo?.operatingSystem ?? 'unknown';
    throw new WinError(`Node "${name}" is not a Windows node (operating system: ${os}).`, {
      next: ['List the Windows nodes with: kubectl get nodes -l kubernetes.io/os=windows'],
    });
  });
}

function unknownNode(name: string, nodes: readonly V1Node[]): WinError {
  const windows = nodes.filter(runsWindows).map(nameOfNode);
  const near = nearestNames(name, windows);
  const next =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Windows nodes: ${windows.join(', ') || 'none'}.`;
  return new WinError(`Node "${name}" not found.`, {next: [next]});
}

/** Attributes the API server's error about an invalid selector to the flag. */
function selectorError(error: unknown, selector: string): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error;
  return new WinError(`--selector=${selector} is not a valid label selector: ${error.detail}.`, {
    next: ['Write it as in --selector=pool=windows or -l "zone in (a,b)".'],
    cause: error,
  });
}

function noneFound({context, server}: KubeClient, selector: string | undefined, count: number): WinError {
  const where = context ? `context "${context}"` : server;
  const among = selector ? `the ${count} nodes that match "${selector}"` : `the ${count} nodes`;
  return new WinError(`No Windows nodes found among ${among} in ${where}.`, {
    next: ['Windows nodes have status.nodeInfo.operatingSystem "windows" or the label kubernetes.io/os=windows.'],
  });
}

const manual = (name: string) =>
  `run the script that "kubectl win helper script" prints on ${name} manually, and diagnose its output with "kubectl win doctor --from"`;

/** Why a helper pod cannot run on a node, and the alternative; undefined if it can. */
export function helperImpossible(node: V1Node): string | undefined {
  const why = obstacle(node);
  return why && `${why}; ${manual(nameOfNode(node))}.`;
}

function obstacle(node: V1Node): string | undefined {
  const name = nameOfNode(node);
  const {containerRuntimeVersion: runtime = '', kubeletVersion = ''} = node.status?.nodeInfo ?? {};
  if (runtime.startsWith('docker:')) return `${name} runs Docker, which does not support HostProcess containers`;
  if (olderThan(kubeletVersion, '1.23.0')) {
    return `${name} runs kubelet ${kubeletVersion}, but HostProcess containers require 1.23 or newer`;
  }
  const containerd = /^containerd:\/\/(.*)$/.exec(runtime)?.[1] ?? '';
  if (olderThan(containerd, '1.6.0')) {
    return `${name} runs containerd ${containerd}, but HostProcess containers require 1.6 or newer`;
  }
  const ready = node.status?.conditions?.find(({type}) => type === 'Ready');
  // With Ready=False the kubelet still starts pods with hostNetwork; with Unknown it is not reachable.
  if (ready?.status !== 'Unknown') return undefined;
  const since = ready.lastHeartbeatTime ? ` since ${String(ready.lastHeartbeatTime)}` : '';
  return `the kubelet of ${name} has not reported${since}, so no pod can be started there`;
}

function olderThan(version: string, least: string): boolean {
  const parsed = coerce(version);
  return parsed !== null && lt(parsed, least);
}
