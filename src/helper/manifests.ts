import type {V1ConfigMap, V1DaemonSet, V1Namespace, V1Pod, V1PodSpec} from '@kubernetes/client-node';
import {load} from 'js-yaml';
import daemonSetManifest from '../../manifests/helper-daemonset.yaml';
import podManifest from '../../manifests/helper-pod.yaml';
import namespaceManifest from '../../manifests/namespace.yaml';
import {helperScript} from './script.js';
import {ownLabels, shortHash} from './version-skew.js';

export const helperContainer = 'helper';

/** Labels and annotations that the manifests do not have because they differ from run to run. */
export const runLabel = 'kubectl-win/run';
/** On pods that are removed together because they were made to read nodes once. */
export const readingLabel = 'kubectl-win/reading';
export const ownerAnnotation = 'kubectl-win/owner';
/** When nothing of the run can be alive any more. */
export const expiresAnnotation = 'kubectl-win/expires';

/** On the DaemonSet: nodes have a task for boots, which has to go before the helper does. */
export const bootAnnotation = 'kubectl-win/cleanup-on-boot';

/** On the DaemonSet: how often its helpers read their node and keep what they read, in seconds; 0: never. */
export const intervalAnnotation = 'kubectl-win/interval';

/** Chooses everything that this program ever made in a namespace. */
export const ownSelector = 'app.kubernetes.io/managed-by=kubectl-win';

export const powerShellPath = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';

/**
 * How the helper is started by exec. The shim of containerd replaces the variable's text with the folder where the
 * container's files are, which differs between containerd 1.6 and 1.7.
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
  /** The run's id; undefined for what `helper install` makes. */
  run?: string | undefined;
  namespace: string;
  owner: string;
  expires?: Date | undefined;
}

export interface HelperPodValues extends RunIdentity {
  name: string;
  node: string;
  /** The manifest's own image when not given. */
  image?: string | undefined;
  configMap: string;
  lifetimeSeconds: number;
}

export function namespaceObject(name: string): V1Namespace {
  const namespace = load(namespaceManifest) as V1Namespace;
  return {...namespace, metadata: {...namespace.metadata, name}};
}

export function helperPod(values: HelperPodValues): V1Pod {
  const pod = load(podManifest) as V1Pod & {spec: V1PodSpec};
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
  /** How often helpers read their node by themselves; undefined: never. */
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
  // The same process that keeps the container alive reads the node meanwhile.
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

/** The scripts. Nobody may change them while they run, so the object is immutable and its name has their hash. */
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
