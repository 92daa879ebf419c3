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

/** One line about a Windows node, from the Kubernetes API alone. */
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
    /** The API alone is not conclusive: `guess` if several plugins are equally likely. */
    readonly confidence: Confidence;
    /** Why it could not be determined. */
    readonly undetermined?: string;
  };
  /** The boot time that the kubelet reports; undefined if the kubelet could not be queried. */
  readonly bootedAt: string | undefined;
  /** `installed` is missing if the user may not read it. */
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

/** An undetermined plugin makes the listing incomplete. */
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

/** As in kubectl: NotReady if the condition is not True, Unknown if it does not exist. */
function statusOf(node: V1Node): string {
  const ready = node.status?.conditions?.find(({type}) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const statsSummary = z.looseObject({node: z.looseObject({startTime: z.iso.datetime({offset: true})})});

/**
 * When nodes booted. Querying kubelets through the API server requires `nodes/proxy`, which amounts to administrator
 * access to the nodes, so none of our roles includes it. Without it no kubelet is queried.
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
      // A denial applies to all nodes.
      allowed &&= !isForbidden(error);
    }
  });
  return times;
}

/** The kubelet's summary reports the boot time as the start of the node's statistics (kubelet server/stats/summary.go). */
async function bootTime(client: KubeClient, name: string, signal: AbortSignal): Promise<string | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
  const path = apiPath`/api/v1/nodes/${name}/proxy/stats/summary`;
  const summary = await client.get(path, {signal: limit, retry: false});
  return statsSummary.safeParse(summary).data?.node.startTime;
}
