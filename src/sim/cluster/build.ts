import type {ApiObject} from '../api/object.js';
import type {ResourceType} from '../api/resource-types.js';
import type {ClusterPlan} from '../plan.js';
import {networkLabel, type SimPlugin} from '../plugins/plugin.js';
import {pluginNamed} from '../plugins/registry.js';
import {hostProcessImage, node} from './nodes.js';
import {servicesOf} from './service-table.js';
import {service} from './services.js';
import {namespaceObject, systemObjects} from './system.js';
import {deployment, object} from './workloads.js';

export const pluginsOf = (cluster: ClusterPlan): SimPlugin[] => Object.keys(cluster.scenario.plugins).map(pluginNamed);

/** All objects of the cluster, with every node healthy. */
export function clusterObjects(cluster: ClusterPlan): ApiObject[] {
  const plugins = pluginsOf(cluster);
  const system = systemObjects(cluster);
  const ofPlugins = plugins.flatMap(plugin => [
    ...plugin.types.map(type => definition(cluster, type)),
    ...plugin.objects(cluster),
  ]);
  const present = new Set([...system, ...ofPlugins].filter(({kind}) => kind === 'Namespace').map(o => o.metadata.name));
  const wanted = new Map(cluster.workloads.map(({namespace}) => [namespace, {}]));
  for (const [name, {labels}] of Object.entries(cluster.scenario.namespaces)) wanted.set(name, labels);
  return [
    ...system,
    ...ofPlugins,
    ...[...wanted]
      .filter(([name]) => !present.has(name))
      .flatMap(([name, labels]) => namespaceObject(cluster, name, labels)),
    ...cluster.nodes.flatMap(plan => nodeObjects(cluster, plan)),
    ...cluster.workloads.flatMap(workload => workloadObjects(cluster, workload)),
    ...servicesOf(cluster).flatMap(entry => service(cluster, entry)),
  ];
}

function nodeObjects(cluster: ClusterPlan, plan: ClusterPlan['nodes'][number]): ApiObject[] {
  const plugin = pluginNamed(plan.plugin);
  const marks = plugin.nodeMarks(cluster, plan);
  const mixed = Object.keys(cluster.scenario.plugins).length > 1;
  const labels = {...marks.labels, ...(mixed && {[networkLabel]: plan.plugin})};
  const images =
    plan.os === 'windows' ? [...plugin.images(cluster), hostProcessImage, appImage(plan.release.imageTag)] : [];
  return node(cluster, plan, {...marks, labels}, images);
}

const appImage = (tag: string) => `mcr.microsoft.com/windows/servercore/iis:windowsservercore-${tag}`;

function workloadObjects(cluster: ClusterPlan, workload: ClusterPlan['workloads'][number]): ApiObject[] {
  const {name, nodes, replicaSet} = workload;
  const labels = {app: name};
  const pods = nodes.flatMap(node =>
    node.pods.filter(pod => pod.replicaSet === replicaSet).map(pod => ({node, pod, plugin: pluginNamed(node.plugin)})),
  );
  const release = nodes[0]?.release.imageTag ?? 'ltsc2022';
  return deployment(cluster, {
    name,
    namespace: workload.namespace,
    labels,
    replicaSet,
    spec: {containers: [{name, image: appImage(release)}], nodeSelector: {'kubernetes.io/os': 'windows'}},
    pods: pods.map(({node, pod, plugin}) => ({
      name: pod.name,
      node,
      annotations: plugin.podAnnotations(cluster, node, pod),
      startedAt: pod.startedAt,
      address: pod.address,
    })),
  });
}

/** A CRD requires a schema; the simulation does not use the one of the plugin. */
const anything = {type: 'object', 'x-kubernetes-preserve-unknown-fields': true};

function definition(cluster: ClusterPlan, type: ResourceType): ApiObject {
  const {group, version, kind, plural, singular, namespaced, shortNames} = type;
  return {
    ...object(cluster, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', `${plural}.${group}`),
    spec: {
      group,
      names: {kind, listKind: `${kind}List`, plural, singular, ...(shortNames && {shortNames})},
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: [{name: version, served: true, storage: true, schema: {openAPIV3Schema: anything}}],
    },
    status: {
      acceptedNames: {kind, listKind: `${kind}List`, plural, singular},
      conditions: [{type: 'Established', status: 'True', reason: 'InitialNamesAccepted'}],
      storedVersions: [version],
    },
  };
}
