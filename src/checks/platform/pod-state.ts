import type {ClusterModel, Pod} from '../../snapshot/cluster.js';

export const osLabel = 'kubernetes.io/os';
export const oldOsLabel = 'beta.kubernetes.io/os';

/** Messages of runtimes that an image is for another system. 0xc0370101 is the same in every language. */
export const wrongImage =
  /container operating system does not match the host|0xc0370101|no match(ing)? (for platform in )?manifest|-based image is incompatible with a .* host|image operating system .* cannot be used on this platform/i;

export function isPodHealthy({status}: Pod): boolean {
  const statuses = status?.containerStatuses ?? [];
  return status?.phase === 'Succeeded' || (statuses.length > 0 && statuses.every(({ready}) => ready === true));
}

/** Messages of the runtime about a pod, from its status and events. */
export function complaintsOf(pod: Pod, cluster: ClusterModel): string[] {
  const {status} = pod;
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const own = statuses.flatMap(({state, lastState}) => [
    state?.waiting?.message,
    state?.terminated?.message,
    lastState?.terminated?.message,
  ]);
  const fromEvents = cluster.knownEventsOn(pod).map(({message}) => message);
  return [status?.message, ...own, ...fromEvents].filter(text => text !== undefined);
}

export function selectsOs({nodeSelector, affinity, os}: Pod['spec']): boolean {
  const isDirect = osLabel in nodeSelector || oldOsLabel in nodeSelector || os !== undefined;
  return isDirect || JSON.stringify(affinity ?? '').includes(`${osLabel}"`);
}
