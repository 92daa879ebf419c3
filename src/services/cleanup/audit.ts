import type {CoreV1Event, V1SelfSubjectReview} from '@kubernetes/client-node';
import type {CallOptions, KubeClient} from '../../kube/client.js';
import {plain} from '../../lib/untrusted.js';
import {userName} from '../../lib/user-name.js';

/** Who changes something, as the trail names them. */
export interface Author {
  /** The user of this machine, and the one that the API server knows. */
  readonly by: string;
  readonly context: string;
}

/** Asked once a command. A server before 1.28 does not say who one is. */
export async function authorOf(client: KubeClient, options: CallOptions = {}): Promise<Author> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const body = {apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview'};
  const review = await client.ask<V1SelfSubjectReview>(path, body, {...options, retry: false}).catch(() => undefined);
  options.signal?.throwIfAborted();
  const known = review?.status?.userInfo?.username;
  const by = known === undefined || known === '' ? userName() : `${userName()} (${known})`;
  return {by: plain(by).slice(0, 200), context: plain(client.context).slice(0, 200)};
}

/** What a change belongs to. */
export interface Occasion {
  readonly node: string;
  readonly plan: string;
  readonly hash?: string | undefined;
  readonly author: Author;
}

const component = 'kubectl-win';
const namespace = 'default';

export interface ChangeEvent {
  readonly reason: string;
  readonly message: string;
  readonly warning: boolean;
}

/** Records on the Node object what was done and by which user: the next person on call reads it first. */
export async function recordEvent(
  client: KubeClient,
  node: string,
  {reason, message, warning}: ChangeEvent,
  options: CallOptions,
): Promise<void> {
  const now = new Date().toISOString();
  await client.create(
    `/api/v1/namespaces/${namespace}/events`,
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {generateName: `${node}.`, namespace},
      // Events of nodes carry the node's name as uid, as the kubelet writes them, so that `kubectl describe node` finds them.
      involvedObject: {apiVersion: 'v1', kind: 'Node', name: node, uid: node},
      reason,
      message: message.slice(0, 1000),
      type: warning ? 'Warning' : 'Normal',
      source: {component},
      reportingComponent: component,
      reportingInstance: component,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    },
    options,
  );
}

/** An entry of the trail of a repair. */
export function recordChange(
  client: KubeClient,
  {node, plan, hash, author}: Occasion,
  {reason, message, warning = false}: Omit<ChangeEvent, 'warning'> & {warning?: boolean},
  options: CallOptions,
): Promise<void> {
  const whose = `By ${author.by}, context ${author.context || 'none'}, plan ${plan}${hash ? `, hash ${hash}` : ''}.`;
  const room = 998 - whose.length;
  const text = message.length > room ? `${message.slice(0, room - 1)}…` : message;
  return recordEvent(client, node, {reason, message: `${text} ${whose}`, warning}, options);
}

/** What of the trail the API server still has: it forgets events after an hour, where nobody has told it otherwise. */
export async function eventsOf(client: KubeClient, node: string, options: CallOptions): Promise<CoreV1Event[]> {
  const fieldSelector = `involvedObject.kind=Node,involvedObject.name=${node}`;
  const {items} = await client.list<CoreV1Event>(`/api/v1/namespaces/${namespace}/events`, {fieldSelector, ...options});
  return items.filter(({source}) => source?.component === component);
}
