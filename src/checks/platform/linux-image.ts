import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual, type Remedy} from '../../model/remedies.js';
import {fail, type Verdict} from '../../model/verdict.js';
import {type ClusterModel, isWindows, type KubeNode, oncePerCluster, type Pod} from '../../snapshot/cluster.js';
import {complaintsOf, isPodHealthy, osLabel, selectsOs, wrongImage} from './pod-state.js';

/** Messages of kubelet and runtimes that a pod is for Linux. */
const saysLinux =
  /image operating system "?linux"? cannot be used|PodOSNotSupported|OS field doesn't match node OS|linux\/\w{1,20} .{0,300} does not match .{0,300}windows/i;
/** Tags and names that only Linux images have. */
const linuxName =
  /(^|[-/:])(alpine|slim|bookworm|bullseye|buster|stretch|jammy|focal|bionic|debian|ubuntu|centos|rockylinux|fedora|ubi\d?|distroless)([-.:@\d]|$)|(^|[-/:_])linux([-.:@_]|$)/i;
/** Official images without a Windows variant. */
const linuxOnly =
  /^(docker\.io\/library\/)?(nginx|redis|postgres|mysql|mariadb|busybox|httpd|haproxy|rabbitmq|memcached|traefik)[:@]/;
const windowsName =
  /windows|nanoserver|servercore|ltsc\d|(^|[-:])(1709|1803|1809|1903|1909|2004|20h2|2019|2022|2025)\b/i;

export const linuxImageChecks: readonly Check[] = [
  check({
    id: 'platform/linux-image',
    title: 'Pods on the node are for Windows',
    failure: 'Linux pod is on a Windows node',
    severity: 'error',
    needs: ['cluster'],
    run(subject) {
      const {node, cluster} = subject;
      const stray = cluster.podsOn(node.name).flatMap(pod => {
        const sign = linuxSign(pod, cluster);
        return sign === undefined ? [] : [{pod, sign}];
      });
      const byOwner = Map.groupBy(stray, ({pod}) => titleOf(pod, cluster));
      return [...byOwner].map(([title, pods]) => verdictOf(title, pods, subject));
    },
    explain: {
      meaning: 'A pod with a Linux image was scheduled to a Windows node. Its containers cannot start there.',
      why: 'The pod does not select an operating system, so the scheduler can choose any node; or it names this node (spec.nodeName).',
      see: [
        'kubectl get pods -A -o wide --field-selector spec.nodeName=NODE',
        'kubectl describe pod POD',
        'docker manifest inspect IMAGE',
      ],
      fix: [
        `kubectl -n NAMESPACE patch deployment NAME -p '{"spec":{"template":{"spec":{"nodeSelector":{"${osLabel}":"linux"}}}}}'`,
        `Use the same patch for a StatefulSet. Recreate a Job or a bare pod with nodeSelector ${osLabel}: linux.`,
        'To keep pods without a matching toleration off the node: kubectl taint nodes NODE os=windows:NoSchedule',
      ],
      sources: [
        'https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host',
      ],
    },
  }),
];

interface Stray {
  readonly pod: Pod;
  readonly sign: string;
}

function verdictOf(title: string, pods: readonly Stray[], {node, cluster}: NodeSubject<'cluster'>): Verdict {
  const [first] = pods as [Stray, ...Stray[]];
  const images = names(pods.flatMap(({pod}) => pod.spec.containers.map(({image}) => image ?? 'unnamed')));
  return fail(
    `${title} is for Linux (image ${images}), but has a pod on Windows node ${node.name}, where it cannot start.`,
  )
    .because(
      ...pods.map(({pod, sign}) => ({
        section: 'cluster',
        object: `Pod ${nameOf(pod)}`,
        field: 'image',
        seen: sign,
        expected: 'a pod for Windows',
      })),
      {
        section: 'cluster',
        object: title,
        field: 'nodeSelector',
        seen: first.pod.spec.nodeSelector,
        expected: {[osLabel]: 'linux'},
      },
    )
    .fixedBy(remedyOf(first.pod, cluster));
}

/** The evidence that a failing pod is for Linux; undefined: none. */
export function linuxSign(pod: Pod, cluster: ClusterModel): string | undefined {
  // DaemonSets are reported by platform/os-selector, or by platform/image-os-build if they select Windows.
  if (isPodHealthy(pod) || pod.metadata.ownerReferences.some(({kind}) => kind === 'DaemonSet')) return undefined;
  const {spec} = pod;
  const complaints = [pod.status?.reason, ...complaintsOf(pod, cluster)].filter(text => text !== undefined);
  const message = complaints.find(text => saysLinux.test(text));
  if (message !== undefined) return message;
  if (spec.os?.name === 'linux') return 'spec.os.name is linux';
  if (spec.nodeSelector[osLabel] === 'linux') return `spec.nodeSelector ${osLabel} is linux`;
  const refused = complaints.find(text => wrongImage.test(text));
  if (refused === undefined) return undefined;
  const privileged = spec.containers.some(
    ({securityContext}) => securityContext?.privileged === true || securityContext?.capabilities !== undefined,
  );
  if (privileged) return `${refused} (it requests Linux capabilities)`;
  const images = spec.containers.flatMap(({image}) => image ?? []);
  const linux = images.find(image => isLinuxImage(image, cluster));
  return linux === undefined ? undefined : refused;
}

/** By its name, or because only Linux nodes have it. */
function isLinuxImage(image: string, cluster: ClusterModel): boolean {
  if (windowsName.test(image)) return false;
  const full = fullName(image);
  if (linuxName.test(image) || linuxOnly.test(full)) return true;
  const {onWindows, onOthers} = imagesOf(cluster);
  return onOthers.has(full) && !onWindows.has(full);
}

/** The images that Windows nodes have, and those that other nodes have: on disk, or in a healthy pod. */
const imagesOf = oncePerCluster(cluster => {
  const [onWindows, onOthers] = [new Set<string>(), new Set<string>()];
  const on = (node: KubeNode) => (isWindows(node) ? onWindows : onOthers);
  for (const node of cluster.known('Node'))
    for (const image of node.status?.images ?? []) for (const name of image.names) on(node).add(fullName(name));
  for (const pod of cluster.known('Pod').filter(isPodHealthy)) {
    const node = cluster.node(pod.spec.nodeName ?? '');
    if (node) for (const {image} of pod.spec.containers) if (image !== undefined) on(node).add(fullName(image));
  }
  return {onWindows, onOthers};
});

/** `nginx` is `docker.io/library/nginx:latest`. */
function fullName(image: string): string {
  const [path = '', rest] = image.includes('@') ? image.split('@') : [image];
  const tagged = rest !== undefined ? `${path}@${rest}` : /:[^/]+$/.test(path) ? path : `${path}:latest`;
  const [host = ''] = tagged.split('/');
  if (!tagged.includes('/')) return `docker.io/library/${tagged}`;
  return /[.:]|^localhost$/.test(host) ? tagged : `docker.io/${tagged}`;
}

interface Owner {
  readonly kind: string;
  readonly name: string;
}

/** The owner of the pod; for a ReplicaSet, its Deployment. */
function ownerOf({metadata}: Pod, cluster: ClusterModel): Owner | undefined {
  const [owner] = metadata.ownerReferences;
  if (owner?.kind !== 'ReplicaSet') return owner;
  const deployment = cluster
    .known('Deployment')
    .find(({metadata: its}) => its.namespace === metadata.namespace && isOf(owner.name, its.name));
  return {kind: 'Deployment', name: deployment?.metadata.name ?? owner.name.replace(/-[a-z0-9]{5,10}$/, '')};
}

function isOf(replicaSet: string, deployment: string): boolean {
  return replicaSet.startsWith(`${deployment}-`) && !replicaSet.slice(deployment.length + 1).includes('-');
}

function titleOf(pod: Pod, cluster: ClusterModel): string {
  const owner = ownerOf(pod, cluster);
  return owner ? `${owner.kind} ${pod.metadata.namespace ?? 'default'}/${owner.name}` : `Pod ${nameOf(pod)}`;
}

const nameOf = ({metadata}: Pod) => `${metadata.namespace ?? 'default'}/${metadata.name}`;

function remedyOf(pod: Pod, cluster: ClusterModel): Remedy {
  const namespace = shellText(pod.metadata.namespace ?? 'default');
  const owner = ownerOf(pod, cluster);
  const selector = `nodeSelector ${osLabel}: linux`;
  if (owner && selectsOs(pod.spec))
    return manual(
      `Remove spec.nodeName from ${owner.kind} ${owner.name}: it bypasses the scheduler, which would select a Linux node.`,
    );
  if (owner && ['Deployment', 'StatefulSet', 'ReplicaSet'].includes(owner.kind)) {
    const body = `{"spec":{"template":{"spec":{"nodeSelector":{"${osLabel}":"linux"}}}}}`;
    return manual(
      `kubectl -n ${namespace} patch ${owner.kind.toLowerCase()} ${shellText(owner.name)} -p ${shellText(body)}`,
    );
  }
  const made = owner ? `${owner.kind} ${owner.name}` : 'the pod';
  return manual(
    `kubectl -n ${namespace} delete pod ${shellText(pod.metadata.name)}`,
    `Recreate ${made} with ${selector}, and without spec.nodeName.`,
  );
}
