import coerce from 'semver/functions/coerce.js';
import gte from 'semver/functions/gte.js';
import lt from 'semver/functions/lt.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {isWindows} from '../../snapshot/cluster.js';
import {clusterPrerequisite, sameAs} from './prerequisite.js';

export const serverVersionAtLeast = (target: Installation, least: string) =>
  clusterPrerequisite(target, 'kubernetes-version', {
    title: `Kubernetes ${least} or later`,
    run({cluster}) {
      const server = coerce(cluster.version);
      if (!server) return unknown('The version of the API server is unknown.');
      if (gte(server, `${least}.0`)) return undefined;
      return fail(
        `The API server has version ${cluster.version}, but ${target.title} on Windows requires ${least} or later.`,
      )
        .because({
          section: 'cluster',
          object: 'API server',
          field: 'version',
          seen: cluster.version,
          expected: `at least ${least}`,
        })
        .fixedBy(
          manual(
            'kubeadm upgrade plan',
            `kubeadm upgrade apply v${server.major}.${server.minor + 1}.0 (one minor version at a time, up to ${least})`,
          ),
        );
    },
    explain: {
      meaning: `${target.title} supports Windows nodes with Kubernetes ${least} and newer. This cluster is older.`,
      why: 'The cluster has not been upgraded.',
      see: ['kubectl version'],
      fix: ['Upgrade the control plane, one minor version at a time, then the nodes.'],
      sources: ['https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/'],
    },
  });

/** For plugins whose agents run as HostProcess pods. */
export const hostProcessPods = (target: Installation) =>
  sameAs(target, 'kubernetes-version', 'platform/kubernetes-version', {
    title: 'Kubernetes 1.23 or later, with HostProcess pods',
  });

export const linuxNodes = (target: Installation) =>
  clusterPrerequisite(target, 'linux-nodes', {
    title: 'Cluster has a Linux node for Linux-only components',
    run({cluster}) {
      const nodes = cluster.all('Node');
      if (nodes.length === 0) return unknown('The nodes of the cluster were not read.');
      if (nodes.some(node => !isWindows(node))) return undefined;
      return fail(
        `All ${nodes.length} nodes of the cluster run Windows, but some components of ${target.title} run only on Linux.`,
      )
        .because({section: 'cluster', object: 'Node', seen: 'only Windows nodes', expected: 'at least one Linux node'})
        .fixedBy(
          manual('kubeadm token create --print-join-command (on the control plane, for a Linux machine to join)'),
        );
    },
    explain: {
      meaning:
        'The control plane, DNS and the controllers of network plugins run only on Linux. The cluster has no Linux node.',
      why: 'In a managed cluster, the control plane is not among the nodes, and there may be only a Windows node pool.',
      see: ['kubectl get nodes -L kubernetes.io/os'],
      fix: ['Add a Linux node or node pool.'],
      sources: ['https://kubernetes.io/docs/concepts/windows/intro/'],
    },
  });

/** Compares the version of a plugin that already runs on Linux with the versions that support Windows. */
export function versionVerdict(
  target: Installation,
  version: string | undefined,
  {least, below}: {least?: string; below?: string},
  steps: readonly string[],
): Verdict | undefined {
  const release = coerce(version);
  if (!release) return unknown(`The version of ${target.title} could not be determined (${version ?? 'no image'}).`);
  const old = least !== undefined && lt(release, least);
  const ended = below !== undefined && gte(release, below);
  if (!old && !ended) return undefined;
  return fail(
    old
      ? `${target.title} ${version} is older than ${least}, the first version with Windows support.`
      : `${target.title} ${version} does not support Windows: support ended before ${below}.`,
  )
    .because({
      section: 'cluster',
      object: target.title,
      field: 'image',
      seen: version,
      expected: [least && `at least ${least}`, below && `below ${below}`].filter(Boolean).join(', '),
    })
    .fixedBy(manual(...steps));
}
