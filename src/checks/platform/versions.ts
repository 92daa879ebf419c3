import type {SemVer} from 'semver';
import coerce from 'semver/functions/coerce.js';
import lt from 'semver/functions/lt.js';
import {type Check, check} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';

/** The oldest containerd that can pull images built on the HostProcess base image (Antrea's documentation). */
const oldestContainerd = '1.6.18';
const advisedContainerd = '1.7.0';

export const versionChecks: readonly Check[] = [
  check({
    id: 'platform/container-runtime',
    title: 'Container runtime supports HostProcess pods',
    failure: 'Container runtime is too old for HostProcess pods',
    severity: 'warning',
    needs: ['nodeObject'],
    run({node, object, plugin}) {
      const reported = object.status?.nodeInfo?.containerRuntimeVersion;
      const [, runtime, version] = /^([\w-]+):\/\/(.*)$/.exec(reported ?? '') ?? [];
      if (reported === undefined || runtime === undefined)
        return unknown('The container runtime of the node is unknown.');
      const evidence = {
        section: 'cluster',
        object: `Node ${node.name}`,
        field: 'nodeInfo.containerRuntimeVersion',
        seen: reported,
        expected: `containerd ${oldestContainerd} or later`,
      };
      // Do not advise against the only runtime that the plugin supports.
      if (runtime === 'docker' && plugin.undetermined === undefined && plugin.profile.onlyRuntime === 'docker')
        return info(
          `The node runs Docker, which ${plugin.title} for Windows requires. It cannot run HostProcess pods: inspect and repair the node with kubectl win helper script. kubelet 1.24 and later need cri-dockerd for Docker.`,
        ).because({...evidence, expected: 'Docker'});
      if (runtime === 'docker')
        return fail(
          'The node runs Docker, which does not support HostProcess pods: neither the helper nor most agents can start.',
        )
          .because(evidence)
          .fixedBy(
            manual(
              'Move the node to containerd 1.7 or later.',
              'Until then: kubectl win helper script prints a script to run on the node manually.',
            ),
          );
      const parsed = runtime === 'containerd' ? coerce(version) : null;
      if (!parsed) return unknown(`${reported} is not a valid version.`);
      if (lt(parsed, oldestContainerd))
        return fail(`containerd ${version} is too old for HostProcess images: agents and the helper may not start.`)
          .because(evidence)
          .fixedBy(
            manual(
              'Upgrade containerd on this node to 1.7 or later: drain it, Stop-Service kubelet, containerd, replace the binaries, start both.',
            ),
          );
      if (plugin.undetermined === undefined && plugin.profile.onlyRuntime === 'docker')
        return info(
          `The node runs containerd ${version}, but ${plugin.title} for Windows supports only Docker Engine, which kubelet 1.24 and later cannot use without cri-dockerd. Test ${plugin.title} on one node first, or choose another plugin.`,
        ).because({...evidence, expected: 'Docker'});
      if (lt(parsed, advisedContainerd))
        return info(
          `containerd ${version} works; 1.7 is recommended, because it mounts volumes at their real paths.`,
        ).because(evidence);
      return undefined;
    },
    explain: {
      meaning:
        'Windows agents and the kubectl win helper are HostProcess pods. They require containerd 1.6 (1.6.18 for images built on the HostProcess base image); 1.7 is recommended. Docker cannot run them at all.',
      why: 'The node or its image has not been updated.',
      see: [
        'kubectl get node NODE -o jsonpath="{.status.nodeInfo.containerRuntimeVersion}"',
        'containerd.exe --version',
      ],
      fix: [
        'Drain the node.',
        'Stop-Service kubelet, containerd; replace the containerd binaries; Start-Service containerd, kubelet',
        'Uncordon the node.',
      ],
      sources: [
        'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/',
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
      ],
    },
  }),

  check({
    id: 'platform/kubernetes-version',
    title: 'Kubernetes versions are compatible',
    failure: 'Kubernetes version is not compatible',
    severity: 'error',
    needs: ['nodeObject'],
    run({node, object, cluster, plugin}) {
      const versions = {kubelet: object.status?.nodeInfo?.kubeletVersion, server: cluster.version};
      const kubelet = coerce(versions.kubelet);
      const server = coerce(versions.server);
      const evidence = (expected: string) => [
        {
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'nodeInfo.kubeletVersion',
          seen: versions.kubelet,
          expected,
        },
        {section: 'cluster', object: 'API server', field: 'version', seen: versions.server},
      ];
      const oldest = plugin.profile.oldestKubernetes;
      const verdicts: Verdict[] = [];
      for (const [who, version] of [
        ['kubelet', kubelet],
        ['the API server', server],
      ] as const) {
        if (!version) verdicts.push(unknown(`The version of ${who} is unknown.`));
        else if (oldest !== undefined && lt(version, `${oldest}.0`))
          verdicts.push(
            tooOld(
              who,
              version,
              `${oldest}, which ${plugin.title} requires on Windows`,
              evidence(`at least ${oldest}`),
            ),
          );
        else if (lt(version, '1.23.0'))
          verdicts.push(
            tooOld(who, version, '1.23, the first version with HostProcess pods', evidence('at least 1.23')),
          );
      }
      if (kubelet && server) {
        const behind = server.minor - kubelet.minor + (server.major - kubelet.major) * 100;
        if (behind < 0)
          verdicts.push(
            fail(`Kubelet ${versions.kubelet} is newer than the API server ${versions.server}, which is not supported.`)
              .because(...evidence('not newer than the API server'))
              .fixedBy(
                manual(
                  'Upgrade the control plane first, or install a kubelet with the version of the API server on this node.',
                ),
              ),
          );
        else if (behind > 3)
          verdicts.push(
            fail(
              `Kubelet ${versions.kubelet} is ${behind} minor versions older than the API server ${versions.server}; three are supported.`,
            )
              .because(...evidence('at most three minor versions older'))
              .fixedBy(
                manual(
                  `Upgrade kubelet on this node to ${server.major}.${server.minor}: drain it, Stop-Service kubelet, replace kubelet.exe, Start-Service kubelet.`,
                ),
              ),
          );
      }
      if (verdicts.length === 0 && [kubelet, server].some(version => version && lt(version, '1.26.0')))
        return info('HostProcess pods are beta in this Kubernetes version; they are stable since 1.26.');
      return verdicts;
    },
    explain: {
      meaning:
        'HostProcess pods require kubelet and API server 1.23 or newer (stable in 1.26). The two versions must also be compatible: kubelet must not be newer than the API server, nor more than three minor versions older.',
      why: 'Windows nodes are often upgraded manually, and were not upgraded with the control plane.',
      see: ['kubectl version', 'kubectl get nodes -o wide'],
      fix: [
        'Upgrade the control plane first, one minor version at a time.',
        'Then kubelet and kube-proxy on the Windows nodes.',
      ],
      sources: [
        'https://kubernetes.io/releases/version-skew-policy/',
        'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/',
      ],
    },
  }),
];

function tooOld(who: string, version: SemVer, needed: string, evidence: Parameters<Verdict['because']>): Verdict {
  return fail(`${who === 'kubelet' ? 'Kubelet' : 'The API server'} ${version.version} is older than ${needed}.`)
    .because(...evidence)
    .fixedBy(
      manual('Upgrade the cluster. Until then, kubectl win helper script prints a script to run on the node manually.'),
    );
}
