import type {CoreV1Event, V1SelfSubjectReview} from '@kubernetes/client-node';
import type {CallOptions, KubeClient} from '../../kube/client.js';
import {plain} from '../../lib/untrusted.js';
import {userName} from '../../lib/user-name.js';

/** The author of a change, as the audit trail names them. */
export interface Author {
  /** The local user name, and the user name that the API server reports. */
  readonly by: string;
  readonly context: string;
}

/** Called once per command. Servers before 1.28 do not support SelfSubjectReview v1. */
export async function authorOf(client: KubeClient, options: CallOptions = {}): Promise<Author> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const body = {apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview'};
  const review = await client.ask<V1SelfSubjectReview>(path, body, {...options, retry: false}).catch(() => undefined);
  options.signal?.throwIfAborted();
  const known = review?.status?.userInfo?.username;
  const by = known === undefined || known === '' ? userName() : `${userName()} (${known})`;
  return {by: plain(by).slice(0, 200), context: plain(client.context).slice(0, 200)};
}

/** The node, plan and author that a change belongs to. */
export interface ChangeContext {
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

/** Records on the Node object what was changed and by which user, so that the next person on call sees it. */
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
      // Like the kubelet, use the node's name as the uid, so that `kubectl describe node` finds the event.
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

/** Adds an entry to the audit trail of a repair. */
export function recordChange(
  client: KubeClient,
  {node, plan, hash, author}: ChangeContext,
  {reason, message, warning = false}: Omit<ChangeEvent, 'warning'> & {warning?: boolean},
  options: CallOptions,
): Promise<void> {
  const whose = `By ${author.by}, context ${author.context || 'none'}, plan ${plan}${hash ? `, hash ${hash}` : ''}.`;
  const room = 998 - whose.length;
  const text = message.length > room ? `${message.slice(0, room - 1)}…` : message;
  return recordEvent(client, node, {reason, message: `${text} ${whose}`, warning}, options);
}

/** The audit trail as far as the API server still has it: by default it deletes events after one hour. */
export async function eventsOf(client: KubeClient, node: string, options: CallOptions): Promise<CoreV1Event[]> {
  const fieldSelector = `involvedObject.kind=Node,involvedObject.name=${node}`;
  const {items} = await client.list<CoreV1Event>(`/api/v1/namespaces/${namespace}/events`, {fieldSelector, ...options});
  return items.filter(({source}) => source?.component === component);
}
