import {type ApiObject, type OwnerReference, timestamp} from '../api/object.js';
import {at, type JsonObject} from '../json.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import {after, minute, second} from '../time.js';
import {runningPodStatus} from './pod-status.js';
import {revisionLabel, templateRevision} from './revision.js';

export interface DaemonSetPlan {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  /** Labels that select its pods, if they differ from its own. */
  podLabels?: Record<string, string>;
  podAnnotations?: Record<string, string>;
  spec: JsonObject & {containers: JsonObject[]};
  nodes: readonly NodePlan[];
  /** When its pods start, in milliseconds after boot. */
  startedAfterBoot?: number;
}

export function object(
  cluster: ClusterPlan,
  apiVersion: string,
  kind: string,
  name: string,
  namespace?: string,
): ApiObject {
  const random = cluster.random.for(`${kind}/${namespace ?? ''}/${name}`);
  const metadata = {
    name,
    ...(namespace && {namespace}),
    uid: random.uuid(),
    creationTimestamp: timestamp(cluster.createdAt),
  };
  return {apiVersion, kind, metadata};
}

export function configMap(
  cluster: ClusterPlan,
  name: string,
  namespace: string,
  data: Record<string, string>,
  labels?: Record<string, string>,
): ApiObject {
  const base = object(cluster, 'v1', 'ConfigMap', name, namespace);
  return {...base, metadata: {...base.metadata, ...(labels && {labels})}, data};
}

export const owner = ({apiVersion, kind, metadata}: ApiObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

/** A DaemonSet with a running pod on each of its nodes. */
export function daemonSet(cluster: ClusterPlan, plan: DaemonSetPlan): ApiObject[] {
  const {name, namespace, labels, podLabels = labels, nodes} = plan;
  const base = object(cluster, 'apps/v1', 'DaemonSet', name, namespace);
  const count = nodes.length;
  const set: ApiObject = {
    ...base,
    metadata: {...base.metadata, generation: 1, labels},
    spec: {
      selector: {matchLabels: podLabels},
      template: {
        metadata: {labels: podLabels, ...(plan.podAnnotations && {annotations: plan.podAnnotations})},
        spec: plan.spec,
      },
      updateStrategy: {type: 'RollingUpdate', rollingUpdate: {maxSurge: 0, maxUnavailable: 1}},
    },
    status: {
      currentNumberScheduled: count,
      desiredNumberScheduled: count,
      numberAvailable: count,
      numberMisscheduled: 0,
      numberReady: count,
      observedGeneration: 1,
      updatedNumberScheduled: count,
    },
  };
  return [set, ...nodes.map(node => daemonPod(cluster, set, plan, node))];
}

function daemonPod(cluster: ClusterPlan, set: ApiObject, plan: DaemonSetPlan, node: NodePlan): ApiObject {
  const suffix = node.random.for(`ds/${plan.namespace}/${plan.name}`).suffix(5);
  const revision = templateRevision(at(set, 'spec', 'template'));
  const startedAt = after(node.os === 'windows' ? node.bootedAt : node.joinedAt, plan.startedAfterBoot ?? 3 * minute);
  return runningPod(cluster, {
    name: `${plan.name}-${suffix}`,
    namespace: plan.namespace,
    labels: {...(plan.podLabels ?? plan.labels), [revisionLabel]: revision},
    ...(plan.podAnnotations && {annotations: plan.podAnnotations}),
    owner: set,
    node,
    spec: plan.spec,
    startedAt,
    address: plan.spec.hostNetwork === true ? node.address : undefined,
  });
}

export interface RunningPodPlan {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  annotations?: Record<string, string>;
  owner?: ApiObject;
  node: NodePlan;
  spec: JsonObject & {containers: JsonObject[]};
  startedAt: Date;
  address: string | undefined;
}

export function runningPod(cluster: ClusterPlan, plan: RunningPodPlan): ApiObject {
  const {name, namespace, labels, annotations, node, startedAt} = plan;
  const base = object(cluster, 'v1', 'Pod', name, namespace);
  const spec = {...plan.spec, nodeName: node.name, serviceAccountName: plan.spec.serviceAccountName ?? 'default'};
  return {
    ...base,
    metadata: {
      ...base.metadata,
      creationTimestamp: timestamp(startedAt),
      labels,
      ...(annotations && Object.keys(annotations).length > 0 && {annotations}),
      ...(plan.owner && {ownerReferences: [owner(plan.owner)]}),
    },
    spec,
    status: runningPodStatus(spec, {
      startTime: startedAt,
      startedAt: after(startedAt, 8 * second),
      hostIP: node.address,
      podIP: plan.address ?? node.address,
      random: cluster.random.for(`pod/${namespace}/${name}`),
    }),
  };
}

export interface DeploymentPlan {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  podLabels?: Record<string, string>;
  spec: JsonObject & {containers: JsonObject[]};
  replicaSet?: string;
  pods: readonly Omit<RunningPodPlan, 'namespace' | 'labels' | 'spec' | 'owner'>[];
}

/** A Deployment, its ReplicaSet and its running pods. */
export function deployment(cluster: ClusterPlan, plan: DeploymentPlan): ApiObject[] {
  const {name, namespace, labels, podLabels = labels, spec, pods} = plan;
  const replicas = pods.length;
  const counts = {availableReplicas: replicas, readyReplicas: replicas, replicas};
  const body = {
    replicas,
    selector: {matchLabels: podLabels},
    template: {metadata: {labels: podLabels}, spec},
  };
  const top = object(cluster, 'apps/v1', 'Deployment', name, namespace);
  const setName = plan.replicaSet ?? `${name}-${cluster.random.for(`rs/${namespace}/${name}`).suffix(9)}`;
  const middle = object(cluster, 'apps/v1', 'ReplicaSet', setName, namespace);
  const set: ApiObject = {
    ...middle,
    metadata: {...middle.metadata, generation: 1, labels: podLabels, ownerReferences: [owner(top)]},
    spec: body,
    status: {...counts, observedGeneration: 1, fullyLabeledReplicas: replicas},
  };
  return [
    {
      ...top,
      metadata: {...top.metadata, generation: 1, labels},
      spec: body,
      status: {...counts, observedGeneration: 1, updatedReplicas: replicas},
    },
    set,
    ...pods.map(pod => runningPod(cluster, {...pod, namespace, labels: podLabels, spec, owner: set})),
  ];
}
