import coerce from 'semver/functions/coerce.js';
import gte from 'semver/functions/gte.js';
import {prerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {dockerGuide, installDocker} from '../../../checks/prerequisites/runtime.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, unknown} from '../../../model/verdict.js';

const withoutDocker = '1.24.0';

/** Docker is the only runtime in the guide; kubelet supports it directly up to 1.23. */
export const dockerEngine = (target: Installation) =>
  prerequisite(target, 'container-runtime', {
    title: 'Container runtime is Docker Engine, as the guide requires',
    advised: true,
    needs: ['nodeObject'],
    run({node, object}) {
      const {containerRuntimeVersion: runtime, kubeletVersion} = object.status?.nodeInfo ?? {};
      if (runtime === undefined) return unknown('The container runtime of the node is unknown.');
      if (runtime.startsWith('docker:')) return undefined;
      const kubelet = coerce(kubeletVersion);
      const needsShim = !kubelet || gte(kubelet, withoutDocker);
      return fail(
        needsShim
          ? `The node runs ${runtime}. ${target.title} for Windows requires Docker Engine, which kubelet ${kubeletVersion ?? '1.24 and later'} cannot use without cri-dockerd.`
          : `The node runs ${runtime}. ${target.title} for Windows requires Docker Engine.`,
      )
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'nodeInfo.containerRuntimeVersion',
          seen: runtime,
          expected: 'docker://',
        })
        .fixedBy(
          needsShim
            ? manual(
                'Choose one of these; the two requirements conflict:',
                `Stay on ${runtime.split(':')[0]} and test ${target.title} on one node first: its guide does not support it.`,
                'Install Docker Engine and cri-dockerd, and start kubelet with --container-runtime-endpoint=npipe:////./pipe/cri-dockerd',
                'Use Kubernetes 1.23 with Docker Engine, or another plugin.',
              )
            : manual(
                ...installDocker,
                `.\\PrepareNode.ps1 -KubernetesVersion ${kubeletVersion} -ContainerRuntime Docker`,
              ),
        );
    },
    explain: {
      meaning:
        'The guide of Kube-OVN for Windows supports Docker Engine only. kubelet 1.24 and newer does not support Docker without cri-dockerd. Nodes with Docker cannot run HostProcess pods, so kubectl win can only diagnose them from a snapshot.',
      why: 'Kubernetes removed its Docker support in 1.24; nodes have used containerd since then.',
      see: ['kubectl get node NODE -o jsonpath="{.status.nodeInfo.containerRuntimeVersion}"'],
      fix: [
        'With Kubernetes 1.23 or older: install Docker Engine on the node.',
        'With 1.24 or newer: install Docker Engine and cri-dockerd, or test containerd on one node first.',
      ],
      sources: [dockerGuide, 'https://github.com/Mirantis/cri-dockerd'],
    },
  });
