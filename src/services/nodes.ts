import type {V1Node} from '@kubernetes/client-node';
import * as z from 'zod/mini';
import {detect} from '../diagnose/detect.js';
import {connect, type KubeClient} from '../kube/client.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {helperImpossible, nodeName, selectNodes} from '../kube/nodes.js';
import {apiPath} from '../lib/api-path.js';
import {inParallel} from '../lib/in-parallel.js';
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
  readonly cni: {readonly name: string; readonly variant?: string | undefined; readonly version?: string | undefined};
  /** When it booted, as its kubelet tells; undefined where the kubelet may not or cannot be asked. */
  readonly bootedAt: string | undefined;
  readonly helper: {readonly possible: boolean; readonly reason?: string};
}

export interface NodesOptions {
  readonly connection: ConnectionFlags;
  readonly names: readonly string[];
  readonly selector?: string | undefined;
}

export interface NodeListing {
  readonly rows: readonly NodeRow[];
  readonly listedAt: number;
}

export async function listNodes(options: NodesOptions, signal: AbortSignal): Promise<NodeListing> {
  const client = connect(options.connection);
  try {
    const nodes = await selectNodes(client, options, {signal});
    const {objects, version, lists} = await readClusterObjects(client, {signal});
    const cluster = new ClusterModel(objects, version, lists);
    const rows = await inParallel(nodes, 20, async node => row(node, cluster, await bootTime(client, node, signal)));
    return {rows, listedAt: Date.now()};
  } finally {
    await client.close();
  }
}

function row(node: V1Node, cluster: ClusterModel, bootedAt: string | undefined): NodeRow {
  const name = nodeName(node);
  const object = cluster.node(name);
  const {name: plugin, variant, version} = detect({cluster, object, node: unreadNode(name)});
  const {nodeInfo} = node.status ?? {};
  const obstacle = helperImpossible(node);
  return {
    name,
    status: statusOf(node),
    address: internalIp(object),
    windows: nodeInfo && `${nodeInfo.osImage} (${nodeInfo.kernelVersion})`,
    kubelet: nodeInfo?.kubeletVersion,
    runtime: nodeInfo?.containerRuntimeVersion,
    cni: {name: plugin, variant, version},
    bootedAt,
    helper: obstacle === undefined ? {possible: true} : {possible: false, reason: obstacle},
  };
}

/** As kubectl writes it: Ready, NotReady, with SchedulingDisabled behind. */
function statusOf(node: V1Node): string {
  const ready = node.status?.conditions?.find(({type}) => type === 'Ready')?.status;
  const word = ready === 'True' ? 'Ready' : ready === 'Unknown' ? 'Unknown' : 'NotReady';
  return node.spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const statsSummary = z.looseObject({node: z.looseObject({startTime: z.iso.datetime({offset: true})})});

/** The kubelet's summary gives the boot time as the start of the node's statistics (kubelet server/stats/summary.go). */
async function bootTime(client: KubeClient, node: V1Node, signal: AbortSignal): Promise<string | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
    const summary = await client.get(apiPath`/api/v1/nodes/${nodeName(node)}/proxy/stats/summary`, {
      signal: limit,
      retry: false,
    });
    return statsSummary.safeParse(summary).data?.node.startTime;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
