import type {V1ConfigMap, V1DaemonSet, V1Namespace, V1Pod, V1PodSpec} from '@kubernetes/client-node';
import {load} from 'js-yaml';
import daemonSetManifest from '../../manifests/helper-daemonset.yaml';
import podManifest from '../../manifests/helper-pod.yaml';
import namespaceManifest from '../../manifests/namespace.yaml';
import {helperScript} from './script.js';
import {ownLabels, shortHash} from './version-skew.js';

export const helperContainer = 'helper';

/** Labels and annotations that differ per run and are therefore not in the manifests. */
export const runLabel = 'kubectl-win/run';
/** On pods that were created for one reading of nodes and are removed together. */
export const readingLabel = 'kubectl-win/reading';
export const ownerAnnotation = 'kubectl-win/owner';
/** The time after which nothing of the run can be active. */
export const expiresAnnotation = 'kubectl-win/expires';

/** On the DaemonSet: nodes have a boot task, which must be removed before the helper. */
export const bootAnnotation = 'kubectl-win/cleanup-on-boot';

/** On the DaemonSet: how often its helpers read their node and store a snapshot, in seconds; 0: never. */
export const intervalAnnotation = 'kubectl-win/interval';

/** Selects everything that this program created in a namespace. */
export const ownSelector = 'app.kubernetes.io/managed-by=kubectl-win';

export const powerShellPath = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';

/**
 * The command that starts the helper through exec. The containerd shim replaces the variable with the directory of the
 * container's files, which differs between containerd 1.6 and 1.7.
 */
export const helperCommand = [
  powerShellPath,
  '-NoLogo',
  '-NoProfile',
  '-NonInteractive',
  '-ExecutionPolicy',
  'Bypass',
  '-File',
  '$env:CONTAINER_SANDBOX_MOUNT_POINT/kubectl-win/helper.ps1',
] as const;

export interface RunIdentity {
  /** The run's id; undefined for `helper install`. */
  run?: string | undefined;
  namespace: string;
  owner: string;
  expires?: Date | undefined;
}

export interface HelperPodValues extends RunIdentity {
  name: string;
  node: string;
  /** Default: the image in the manifest. */
  image?: string | undefined;
  configMap: string;
  lifetimeSeconds: number;
}

export function namespaceObject(name: string): V1Namespace {
  const namespace = load(namespaceManifest) as V1Namespace;
  return {...namespace, metadata: {...namespace.metadata, name}};
}

/** Parsed once: a fleet needs a pod for every node. */
let parsedPod: (V1Pod & {spec: V1PodSpec}) | undefined;

export function helperPod(values: HelperPodValues): V1Pod {
  parsedPod ??= load(podManifest) as V1Pod & {spec: V1PodSpec};
  const pod = structuredClone(parsedPod);
  const {node, lifetimeSeconds} = values;
  fillSpec(pod.spec, values);
  pod.spec.nodeName = node;
  pod.spec.activeDeadlineSeconds = lifetimeSeconds;
  pod.spec.containers[0]?.command?.splice(-1, 1, `Start-Sleep -Seconds ${lifetimeSeconds}`);
  return {...pod, metadata: metadata(pod, values.name, values)};
}

export interface HelperDaemonSetValues extends RunIdentity {
  image?: string | undefined;
  configMap: string;
  cleanupOnBoot?: boolean | undefined;
  /** How often helpers read their node on schedule; undefined: never. */
  intervalSeconds?: number | undefined;
}

export function helperDaemonSet(values: HelperDaemonSetValues): V1DaemonSet {
  const daemonSet = load(daemonSetManifest) as Required<Pick<V1DaemonSet, 'metadata' | 'spec'>>;
  const {template} = daemonSet.spec;
  fillSpec(template.spec as V1PodSpec, values);
  template.metadata = {...template.metadata, labels: {...template.metadata?.labels, ...ownLabels}};
  const own = metadata(daemonSet, daemonSet.metadata.name ?? '', values);
  const boot = values.cleanupOnBoot === undefined ? {} : {[bootAnnotation]: String(values.cleanupOnBoot)};
  const {intervalSeconds} = values;
  const [container] = template.spec?.containers ?? [];
  // The process that keeps the container alive also reads the node on schedule.
  if (container && intervalSeconds !== undefined)
    container.command = [...helperCommand, '-Keep', String(intervalSeconds)];
  const schedule = {[intervalAnnotation]: String(intervalSeconds ?? 0)};
  return {...daemonSet, metadata: {...own, annotations: {...own.annotations, ...boot, ...schedule}}};
}

function fillSpec(spec: V1PodSpec, {image, configMap}: {image?: string | undefined; configMap: string}): void {
  const [container] = spec.containers;
  const [volume] = spec.volumes ?? [];
  if (container && image) container.image = image;
  if (volume?.configMap) volume.configMap.name = configMap;
}

/** The scripts. They must not change while they run, so the object is immutable and its name contains their hash. */
export function helperConfigMap(identity: RunIdentity): V1ConfigMap {
  const name = ['kubectl-win', shortHash, identity.run].filter(Boolean).join('-');
  const component = identity.run ? 'helper' : 'installed-helper';
  const labels = {
    'app.kubernetes.io/name': 'kubectl-win',
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/managed-by': 'kubectl-win',
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata({metadata: {labels}}, name, identity),
    immutable: true,
    data: {'helper.ps1': helperScript},
  };
}

function metadata(object: Pick<V1Pod, 'metadata'>, name: string, {run, namespace, owner, expires}: RunIdentity) {
  return {
    name,
    namespace,
    labels: {...object.metadata?.labels, ...ownLabels, ...(run && {[runLabel]: run})},
    annotations: {[ownerAnnotation]: owner, ...(expires && {[expiresAnnotation]: expires.toISOString()})},
  };
}
