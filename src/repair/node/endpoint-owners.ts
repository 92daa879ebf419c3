import {isHostEndpoint} from '../../checks/hns/own-endpoints.js';
import {podNetwork} from '../../checks/pod-network.js';
import type {NodeSubject} from '../../model/check.js';
import {hasIp, isHostProcess, type Pod, podIps} from '../../snapshot/cluster.js';
import {type Endpoint, type Network, same} from '../../snapshot/hns.js';

const minutes = 60_000;
/** An endpoint exists before its pod reports an address, so a recent endpoint without a pod is not stale. */
const young = 10 * minutes;

/** The owner of an endpoint of this node. Only an endpoint that certainly has no owner may be removed. */
export type Owner =
  | {readonly kind: 'pod'; readonly pod: Pod; readonly running: boolean}
  /** The node itself, or kube-proxy. */
  | {readonly kind: 'host'}
  | {readonly kind: 'nobody'}
  | {readonly kind: 'unclear'; readonly why: string};

export function ownerOf(subject: NodeSubject, endpoint: Endpoint): Owner {
  const {node, cluster, now} = subject;
  if (isHostEndpoint(subject, endpoint) || isSourceVip(subject, endpoint)) return {kind: 'host'};
  if (!cluster?.lists.known) return {kind: 'unclear', why: 'it is unknown whether all pods were read'};
  const pods = cluster.podsOn(node.name);
  const pod = pods.find(candidate => isItsPod(candidate, endpoint));
  if (pod) return {kind: 'pod', pod, running: !isOver(pod)};
  const booted = node.os?.bootedAt;
  const isFromBefore = booted !== undefined && endpoint.createdAt !== undefined && endpoint.createdAt < booted;
  if (isFromBefore && !mayBeAttached(endpoint)) return {kind: 'nobody'};
  const waiting = pods.find(candidate => hidesItsAddress(candidate) && !isYounger(candidate, endpoint));
  if (waiting) return {kind: 'unclear', why: `pod ${podName(waiting)} has no address yet`};
  if (endpoint.createdAt === undefined && mayBeAttached(endpoint)) return {kind: 'unclear', why: 'its age is unknown'};
  if (endpoint.createdAt !== undefined && now - endpoint.createdAt < young)
    return {kind: 'unclear', why: 'it is less than 10 minutes old'};
  return {kind: 'nobody'};
}

/**
 * Endpoints of this node that are on one of these networks; remote endpoints represent pods on other nodes and are
 * excluded.
 */
export function localEndpoints({node}: NodeSubject, networks: readonly Network[]): Endpoint[] {
  const ids = networks.map(({id}) => id);
  return (node.hnsEndpoints ?? []).filter(
    ({remote, networkId}) => !remote && networkId !== undefined && ids.includes(networkId),
  );
}

/** Endpoints of deleted pods, on the pod network or on a network that no longer exists. */
export function leakedEndpoints(subject: NodeSubject): Endpoint[] {
  const {node, plugin} = subject;
  if (!node.hnsNetworks) return [];
  const network = podNetwork(node, plugin.profile.network);
  const known = new Set(node.hnsNetworks.map(({id}) => id));
  return (node.hnsEndpoints ?? []).filter(
    endpoint =>
      !endpoint.remote &&
      endpoint.networkId !== undefined &&
      (endpoint.networkId === network?.id || !known.has(endpoint.networkId)) &&
      ownerOf(subject, endpoint).kind === 'nobody',
  );
}

/** HNS v2 reports no state: assume that it may be attached. */
export function mayBeAttached({state}: Endpoint): boolean {
  return state === undefined || state === 2 || state === 3;
}

export function podName({metadata}: Pod): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`;
}

/** kube-proxy creates its source VIP endpoint and never attaches it (kubernetes pkg/proxy/winkernel, newSourceVIP). */
function isSourceVip({node}: NodeSubject, {name, ip, state, containers}: Endpoint): boolean {
  if (containers.length > 0 || (state !== undefined && state !== 1)) return false;
  return same(name, 'Ethernet') || (node.hnsPolicyLists?.some(({sourceVip}) => sourceVip === ip) ?? false);
}

function isItsPod(pod: Pod, {ip, containers}: Endpoint): boolean {
  if (!pod.spec.hostNetwork && hasIp(pod, ip)) return true;
  const ids = (pod.status?.containerStatuses ?? []).map(({containerID}) => containerID?.split('//').at(-1));
  return ids.some(id => id !== undefined && id !== '' && containers.includes(id));
}

/** Whether a drain evicts the pod: pods of a DaemonSet stay, and pods without a controller require --force. */
export function isEvictable({metadata}: Pod, force: boolean): boolean {
  const kinds = metadata.ownerReferences.map(({kind}) => kind);
  return kinds.length > 0 ? !kinds.some(kind => kind === 'DaemonSet' || kind === 'Node') : force;
}

function isOver({status}: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** A pod cannot own an endpoint that is older than the pod. */
function isYounger({metadata}: Pod, {createdAt}: Endpoint): boolean {
  return createdAt !== undefined && createdAt < (metadata.creationTimestamp ?? 0);
}

/** Pods without an address yet, or with the node's: on Windows, host network pods have an endpoint too. */
function hidesItsAddress(pod: Pod): boolean {
  if (isOver(pod) || isHostProcess(pod.spec)) return false;
  return pod.spec.hostNetwork === true || podIps(pod).length === 0;
}
