import type {V1Node} from '@kubernetes/client-node';
import * as z from 'zod/mini';
import {detect} from '../diagnose/detect.js';
import {defaultNamespace} from '../helper/default-namespace.js';
import {nodesWithHelper} from '../helper/installed-nodes.js';
import {isForbidden} from '../kube/api-errors.js';
import {connect, type KubeClient} from '../kube/client.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {helperImpossible, nameOfNode, readNodes} from '../kube/select-nodes.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode} from '../lib/errors.js';
import {inParallel} from '../lib/in-parallel.js';
import type {Confidence} from '../model/plugin.js';
import {isAllowed} from '../session/access.js';
import {readClusterObjects} from '../session/objects.js';
import {ClusterModel, internalIp} from '../snapshot/cluster.js';
import {unreadNode} from '../snapshot/node.js';

/** A Windows node at a glance, from the API alone. */
export interface NodeRow {
  readonly name: string;
  readonly status: string;
  readonly address: string | undefined;
  readonly windows: string | undefined;
  readonly kubelet: string | undefined;
  readonly runtime: string | undefined;
  readonly cni: {
    readonly name: string;
    readonly variant?: string | undefined;
    readonly version?: string | undefined;
    /** The API alone does not tell for certain: `guess` where several plugins are as likely. */
    readonly confidence: Confidence;
    /** Why it could not be determined. */
    readonly undetermined?: string;
  };
  /** When it booted, as its kubelet reports it; undefined where the kubelet may not or cannot be asked. */
  readonly bootedAt: string | undefined;
  /** `installed` is missing where that may not be read. */
  readonly helper: {readonly possible: boolean; readonly installed?: boolean; readonly reason?: string};
}

export interface NodesOptions {
  readonly connection: ConnectionFlags;
  readonly names: readonly string[];
  readonly selector?: string | undefined;
}

export interface NodeListing {
  readonly rows: readonly NodeRow[];
  readonly listedAt: number;
  /** Lists that could not be read, with the reason. */
  readonly unread: readonly string[];
}

/** A plugin that could not be determined is no answer. */
export const nodesExitCode = ({rows}: NodeListing): ExitCode =>
  rows.some(({cni}) => cni.undetermined !== undefined) ? ExitCode.uninspected : ExitCode.ok;

export async function listNodes(options: NodesOptions, signal: AbortSignal): Promise<NodeListing> {
  const client = connect(options.connection);
  try {
    const {chosen, all} = await readNodes(client, options, {signal});
    const [{objects, version, lists}, bootTimes, withHelper] = await Promise.all([
      readClusterObjects(client, {signal, allNodes: all, forRecognition: true}),
      readBootTimes(client, chosen.map(nameOfNode), signal),
      nodesWithHelper(client, {namespace: defaultNamespace, signal}),
    ]);
    const cluster = new ClusterModel(objects, version, lists);
    const rows = chosen.map(node =>
      row(node, cluster, bootTimes.get(nameOfNode(node)), withHelper?.has(nameOfNode(node))),
    );
    return {
      rows,
      listedAt: Date.now(),
      unread: cluster.lists.unreadTogether.map(({name, error}) => `${name} could not be read: ${error}`),
    };
  } finally {
    await client.close();
  }
}

function row(
  node: V1Node,
  cluster: ClusterModel,
  bootedAt: string | undefined,
  installed: boolean | undefined,
): NodeRow {
  const name = nameOfNode(node);
  const object = cluster.node(name);
  const {name: plugin, variant, version, confidence, undetermined} = detect({cluster, object, node: unreadNode(name)});
  const {nodeInfo} = node.status ?? {};
  const obstacle = helperImpossible(node);
  return {
    name,
    status: statusOf(node),
    address: internalIp(object),
    windows: nodeInfo && `${nodeInfo.osImage} (${nodeInfo.kernelVersion})`,
    kubelet: nodeInfo?.kubeletVersion,
    runtime: nodeInfo?.containerRuntimeVersion,
    cni: {name: plugin, variant, version, confidence, ...(undetermined !== undefined && {undetermined})},
    bootedAt,
    helper: {
      possible: obstacle === undefined,
      ...(installed !== undefined && {installed}),
      ...(obstacle !== undefined && {reason: obstacle}),
    },
  };
}

/** As kubectl writes it: NotReady also where the kubelet is silent, Unknown where nobody has said a word. */
function statusOf(node: V1Node): string {
  const ready = node.status?.conditions?.find(({type}) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const statsSummary = z.looseObject({node: z.looseObject({startTime: z.iso.datetime({offset: true})})});

/**
 * When nodes booted. Asking kubelets through the API server takes a right that is as good as that of an administrator
 * of the nodes, so no role of ours has it: without it the answer is `unknown`, and no kubelet is asked.
 */
async function readBootTimes(
  client: KubeClient,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const times = new Map<string, string>();
  let allowed = await isAllowed(client, {verb: 'get', group: '', resource: 'nodes/proxy'}, {signal});
  await inParallel(names, 20, async name => {
    if (!allowed) return;
    try {
      const time = await bootTime(client, name, signal);
      if (time !== undefined) times.set(name, time);
    } catch (error) {
      signal.throwIfAborted();
      // What is refused for one node is refused for the next.
      allowed &&= !isForbidden(error);
    }
  });
  return times;
}

/** The kubelet's summary gives the boot time as the start of the node's statistics (kubelet server/stats/summary.go). */
async function bootTime(client: KubeClient, name: string, signal: AbortSignal): Promise<string | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
  const path = apiPath`/api/v1/nodes/${name}/proxy/stats/summary`;
  const summary = await client.get(path, {signal: limit, retry: false});
  return statsSummary.safeParse(summary).data?.node.startTime;
}
