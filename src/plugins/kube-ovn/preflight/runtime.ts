import {prerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {dockerGuide, installDocker} from '../../../checks/prerequisites/runtime.js';
import type {Installation} from '../../../model/preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, unknown} from '../../../model/verdict.js';

/** The guide knows no other; containerd has been seen to work. */
export const dockerEngine = (target: Installation) =>
  prerequisite(target, 'container-runtime', {
    title: 'Docker Engine, the runtime that the guide names',
    advised: true,
    needs: ['nodeObject'],
    run({node, object}) {
      const told = object.status?.nodeInfo?.containerRuntimeVersion;
      if (told === undefined) return unknown('The container runtime of the node is not known.');
      if (told.startsWith('docker:')) return undefined;
      return fail(`The node runs ${told}, and the guide of ${target.title} for Windows only names Docker Engine.`)
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'nodeInfo.containerRuntimeVersion',
          seen: told,
          expected: 'docker://',
        })
        .fixedBy(
          manual(
            ...installDocker,
            `.\\PrepareNode.ps1 -KubernetesVersion ${object.status?.nodeInfo?.kubeletVersion ?? 'VERSION'} -ContainerRuntime Docker`,
          ),
        );
    },
    explain: {
      meaning:
        'The guide of Kube-OVN for Windows was written for Docker Engine and names no other runtime. This node has another one: it may work, but nobody promises it.',
      why: 'Kubernetes itself dropped Docker in 1.24; nodes have had containerd since.',
      see: ['kubectl get node NODE -o jsonpath="{.status.nodeInfo.containerRuntimeVersion}"'],
      fix: [
        'With Kubernetes before 1.24: install Docker Engine on the node.',
        'Else try it with containerd on one node first.',
      ],
      sources: [dockerGuide],
    },
  });
