import {isDeepStrictEqual} from 'node:util';
import type {V1Container, V1DaemonSet, V1Pod, V1PodSpec} from '@kubernetes/client-node';
import {isForbidden} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';
import {installedSelector} from './installed-nodes.js';
import {helperConfigMap, helperDaemonSet, ownSelector} from './manifests.js';
import {type InstalledVersion, installedVersion} from './version-skew.js';

export interface InstalledPods {
  /** Only pods that run exactly our script are used. */
  readonly byNode: ReadonlyMap<string, string>;
  readonly skew: InstalledVersion | undefined;
}

/**
 * The pods of `helper install`. Labels alone are not trusted, because anyone can set them and a pod's answers are believed:
 * a pod counts only if the DaemonSet created it and it matches what this client's DaemonSet would create.
 */
export async function findInstalledPods(
  client: KubeClient,
  namespace: string,
  {signal}: CallOptions = {},
): Promise<InstalledPods> {
  try {
    const core = apiPath`/api/v1/namespaces/${namespace}/pods`;
    const {items} = await client.list<V1Pod>(core, {labelSelector: installedSelector, signal});
    const candidates = items.filter(
      ({metadata, status}) => status?.phase === 'Running' && !metadata?.deletionTimestamp,
    );
    if (candidates.length === 0) return none;
    const sets = apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets`;
    const labelSelector = `${installedSelector},${ownSelector}`;
    const {items: daemonSets} = await client.list<V1DaemonSet>(sets, {labelSelector, signal});
    const running = candidates.filter(pod => isMadeBy(pod, daemonSets));
    const usable = running.filter(pod => installedVersion(pod.metadata).upToDate && isAsInstalled(pod.spec));
    return {
      byNode: new Map(usable.map(({metadata, spec}) => [spec?.nodeName ?? '', metadata?.name ?? ''])),
      skew: running.map(({metadata}) => installedVersion(metadata)).find(({upToDate}) => !upToDate),
    };
  } catch (error) {
    if (isForbidden(error)) return none;
    throw error;
  }
}

const none: InstalledPods = {byNode: new Map(), skew: undefined};

function isMadeBy({metadata, spec}: V1Pod, daemonSets: readonly V1DaemonSet[]): boolean {
  const owner = metadata?.ownerReferences?.find(({controller}) => controller === true);
  const set = daemonSets.find(each => each.metadata?.uid === owner?.uid);
  const image = set?.spec?.template.spec?.containers[0]?.image;
  return owner?.kind === 'DaemonSet' && image !== undefined && image === spec?.containers[0]?.image;
}

/** The number after `-Keep`, if the command ends with it. The rest of the command is compared with ours. */
function intervalOf(command: readonly string[] = []): number | undefined {
  const [flag, seconds = ''] = command.slice(-2);
  return flag === '-Keep' && /^[1-9]\d{0,4}$/.test(seconds) ? Number(seconds) : undefined;
}

/** HostProcess, one container, our command and our script, with any image. */
function isAsInstalled(spec: V1PodSpec | undefined): boolean {
  const [container, ...others] = spec?.containers ?? [];
  if (!spec || !container || others.length > 0 || spec.initContainers?.length || spec.ephemeralContainers?.length) {
    return false;
  }
  const scripts = spec.volumes?.find(({name}) => name === 'scripts')?.configMap?.name;
  const intervalSeconds = intervalOf(container.command);
  const wanted = helperDaemonSet({namespace: '', owner: '', configMap: installedScripts, intervalSeconds}).spec
    ?.template.spec;
  return (
    scripts === installedScripts &&
    spec.securityContext?.windowsOptions?.hostProcess === true &&
    container.securityContext?.windowsOptions?.hostProcess !== false &&
    isDeepStrictEqual(essence(container), essence(wanted?.containers[0]))
  );
}

/** The name of the ConfigMap with this client's script in an installation. */
const installedScripts = helperConfigMap({namespace: '', owner: ''}).metadata?.name ?? '';

const essence = (container: V1Container | undefined) => ({
  name: container?.name,
  command: container?.command,
  args: container?.args ?? [],
  // The API server omits empty values.
  env: (container?.env ?? []).map(({name, value = '', valueFrom}) => [name, value, valueFrom?.fieldRef?.fieldPath]),
  workingDir: container?.workingDir,
  mounts: (container?.volumeMounts ?? [])
    .filter(({mountPath}) => !mountPath.includes('serviceaccount'))
    .map(({name, mountPath}) => [name, mountPath]),
});
