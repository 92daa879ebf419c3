import {shellText} from '../../lib/quote.js';
import {type Check, check, clusterCheck, type Fleet, type NodeSubject} from '../../model/check.js';
import type {Plugin} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, type Verdict} from '../../model/verdict.js';
import {type ClusterModel, isHostProcess, isWindows, type Pod, type Workload} from '../../snapshot/cluster.js';
import {linuxSign} from './linux-image.js';
import {osText, osVersion} from './os-version.js';
import {complaintsOf, isPodHealthy, oldOsLabel, osLabel, selectsOs, wrongImage} from './pod-state.js';

/** Agents only for Linux, or with a separate DaemonSet for Windows, in addition to those of the plugins. */
const linuxAgents = ['kube-proxy', 'canal', 'weave-net', 'cilium', 'kube-router', 'node-local-dns'];

export const podPlatformChecks: readonly Check[] = [
  check({
    id: 'platform/image-os-build',
    title: 'Images match the Windows version',
    failure: 'Image is for a different Windows version',
    severity: 'error',
    needs: ['cluster'],
    run(subject) {
      const {node, cluster} = subject;
      const version = osVersion(subject);
      return cluster
        .podsOn(node.name)
        .filter(pod => !isPodHealthy(pod))
        .flatMap(pod => {
          const message = complaintsOf(pod, cluster).find(text => wrongImage.test(text));
          if (message === undefined || daemonSetForLinux(pod, subject) || linuxSign(pod, cluster) !== undefined)
            return [];
          const images = pod.spec.containers.map(({image}) => image ?? 'unnamed').join(', ');
          const here = version ? `Windows build ${osText(version)}` : 'the Windows version of this node';
          return [
            fail(
              `Pod ${pod.metadata.namespace}/${pod.metadata.name} cannot start: its image ${images} is not for ${here}.`,
            )
              .because({
                section: 'cluster',
                object: `Pod ${pod.metadata.namespace}/${pod.metadata.name}`,
                field: 'status',
                seen: message,
                expected: `an image for ${here}`,
              })
              .fixedBy(
                manual(
                  'Use an image tag for this Windows version (ltsc2019 for 17763, ltsc2022 for 20348, ltsc2025 for 26100), or a multi-version image.',
                  'If the cluster has several Windows versions, select nodes by label: nodeSelector node.kubernetes.io/windows-build.',
                ),
              ),
          ];
        });
    },
    explain: {
      meaning:
        'A Windows container shares the kernel of its node, so the Windows version of the image must match the node. This image does not match, and the container cannot start. Only process isolation is supported: Hyper-V isolation (annotation experimental.windows.kubernetes.io/isolation-type) was an alpha feature for Docker nodes and has been removed. Volume paths are Windows paths: mountPath C:\\\\etc\\\\foo or C:/etc/foo.',
      why: 'The image tag is for another version, or the pod does not select a Windows version and was scheduled to a node with another one.',
      see: ['kubectl describe pod POD', 'docker manifest inspect IMAGE'],
      fix: [
        'Use a matching tag, for nanoserver and servercore: ltsc2019 on build 17763, ltsc2022 on 20348, ltsc2025 on 26100.',
        'Or select nodes with the matching version: nodeSelector node.kubernetes.io/windows-build=10.0.20348',
      ],
      sources: [
        'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility',
        'https://kubernetes.io/docs/concepts/windows/user-guide/#handling-multiple-windows-versions-in-the-same-cluster',
      ],
    },
  }),

  clusterCheck({
    id: 'platform/os-selector',
    title: 'DaemonSets select an operating system',
    failure: 'DaemonSet does not select an operating system',
    severity: 'warning',
    run(fleet) {
      const sets = fleet.cluster.all('DaemonSet');
      return [...sets.flatMap(set => straysOf(set, fleet)), ...sets.flatMap(oldSelector)];
    },
    explain: {
      meaning:
        'A DaemonSet for Linux has no selector for the operating system, so its pods are also scheduled to Windows nodes, where they cannot start. Or it uses the deprecated label beta.kubernetes.io/os.',
      why: 'The manifest was written for a cluster without Windows nodes.',
      see: [
        'kubectl get pods -A -o wide --field-selector spec.nodeName=NODE',
        'kubectl -n NAMESPACE get daemonset NAME -o jsonpath="{.spec.template.spec.nodeSelector}"',
      ],
      fix: [
        `kubectl -n NAMESPACE patch daemonset NAME -p '{"spec":{"template":{"spec":{"nodeSelector":{"${osLabel}":"linux"}}}}}'`,
      ],
      sources: [
        'https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host',
        'https://kubernetes.io/docs/reference/labels-annotations-taints/#beta-kubernetes-io-os',
      ],
    },
  }),
];

/**
 * Whether a pod is on this node because its Linux DaemonSet does not select an operating system, which
 * `platform/os-selector` reports.
 */
function daemonSetForLinux({metadata}: Pod, {cluster, plugin}: NodeSubject<'cluster'>): boolean {
  const owner = metadata.ownerReferences.find(({kind}) => kind === 'DaemonSet');
  const set = owner && cluster.find('DaemonSet', owner.name, metadata.namespace);
  if (!set || selectsOs(set.spec.template.spec) || isHostProcess(set.spec.template.spec)) return false;
  return isForLinux(set, plugin.known) || runsOnLinuxOnly(set, cluster);
}

/** Whether its healthy pods are only on Linux nodes. */
function runsOnLinuxOnly(set: Workload, cluster: ClusterModel): boolean {
  const windows = new Set(
    cluster
      .known('Node')
      .filter(isWindows)
      .map(({metadata}) => metadata.name),
  );
  const running = cluster.known('Pod').filter(pod => isOf(pod, set) && isPodHealthy(pod));
  return running.length > 0 && running.every(({spec}) => spec.nodeName !== undefined && !windows.has(spec.nodeName));
}

function isOf({metadata}: Pod, set: Workload): boolean {
  return (
    metadata.namespace === set.metadata.namespace &&
    metadata.ownerReferences.some(({kind, name}) => kind === 'DaemonSet' && name === set.metadata.name)
  );
}

/** Pods of a Linux DaemonSet on Windows nodes. */
function straysOf(set: Workload, {cluster, known}: Fleet): Verdict[] {
  const pod = set.spec.template.spec;
  if (selectsOs(pod) || isHostProcess(pod) || !(isForLinux(set, known) || runsOnLinuxOnly(set, cluster))) return [];
  const windowsNodes = new Set(
    cluster
      .all('Node')
      .filter(isWindows)
      .map(({metadata}) => metadata.name),
  );
  const strays = cluster
    .all('Pod')
    .filter(candidate => isOf(candidate, set) && windowsNodes.has(candidate.spec.nodeName ?? ''));
  if (strays.length === 0) return [];
  const nodes = [...new Set(strays.map(({spec}) => spec.nodeName ?? ''))];
  return [
    fail(
      `DaemonSet ${nameOf(set)} is for Linux, but has pods on Windows nodes (${nodes.join(', ')}), where they cannot start.`,
    )
      .because({
        section: 'cluster',
        object: `DaemonSet ${nameOf(set)}`,
        field: 'nodeSelector',
        seen: pod.nodeSelector,
        expected: {[osLabel]: 'linux'},
      })
      .fixedBy(manual(patch(set, `{"${osLabel}":"linux"}`))),
  ];
}

function oldSelector(set: Workload): Verdict[] {
  const pod = set.spec.template.spec;
  const os = pod.nodeSelector[oldOsLabel];
  if (os === undefined && !JSON.stringify(pod.affinity ?? '').includes(`"${oldOsLabel}"`)) return [];
  return [
    fail(`DaemonSet ${nameOf(set)} selects nodes by ${oldOsLabel}, which Kubernetes replaced with ${osLabel}.`)
      .because({
        section: 'cluster',
        object: `DaemonSet ${nameOf(set)}`,
        field: os === undefined ? 'affinity' : 'nodeSelector',
        seen: oldOsLabel,
        expected: osLabel,
      })
      .fixedBy(
        os === undefined
          ? manual(
              `kubectl -n ${shellText(set.metadata.namespace ?? 'default')} edit daemonset ${shellText(set.metadata.name)}`,
            )
          : manual(patch(set, `{"${oldOsLabel}":null,"${osLabel}":${JSON.stringify(os)}}`)),
      ),
  ];
}

/** By its name, or by settings that Windows does not support. */
export function isForLinux({metadata, spec}: Workload, known: readonly Plugin[]): boolean {
  const isPrivileged = spec.template.spec.containers.some(
    ({securityContext}) => securityContext?.privileged === true || securityContext?.capabilities !== undefined,
  );
  const agents = [...linuxAgents, ...known.flatMap(({footprint}) => footprint.linuxAgents)];
  const isAgent = agents.some(agent => metadata.name.toLowerCase().startsWith(agent));
  return (isAgent || isPrivileged) && !/win/i.test(metadata.name);
}

export function patch({metadata}: Workload, nodeSelector: string): string {
  const body = `{"spec":{"template":{"spec":{"nodeSelector":${nodeSelector}}}}}`;
  return `kubectl -n ${shellText(metadata.namespace ?? 'default')} patch daemonset ${shellText(metadata.name)} -p ${shellText(body)}`;
}

function nameOf({metadata}: Workload): string {
  return `${metadata.namespace}/${metadata.name}`;
}
