import coerce from 'semver/functions/coerce.js';
import gte from 'semver/functions/gte.js';
import lt from 'semver/functions/lt.js';
import {prerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {installContainerd} from '../../../checks/prerequisites/runtime.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, unknown} from '../../../model/verdict.js';

/** Recommended containerd versions per Kubernetes release, for containerd 1.7 and 1.6. */
const recommended = [
  {kubernetes: '1.30.0', line17: '1.7.13', line16: '1.6.28'},
  {kubernetes: '1.29.0', line17: '1.7.11', line16: '1.6.27'},
  {kubernetes: '1.26.0', line17: '1.7.0', line16: '1.6.18'},
] as const;

export const containerdForKubernetes = (target: Installation) =>
  prerequisite(target, 'containerd-version', {
    title: 'containerd version recommended for this Kubernetes version',
    advised: true,
    needs: ['nodeObject'],
    run({node, object}) {
      const {containerRuntimeVersion: runtime, kubeletVersion} = object.status?.nodeInfo ?? {};
      const containerd = coerce(/^containerd:\/\/(.*)$/.exec(runtime ?? '')?.[1]);
      const kubelet = coerce(kubeletVersion);
      if (!containerd || !kubelet) return unknown('The versions of containerd and kubelet are unknown.');
      const row = recommended.find(({kubernetes}) => gte(kubelet, kubernetes));
      if (!row) return undefined;
      const least = lt(containerd, '1.7.0') ? row.line16 : row.line17;
      if (gte(containerd, least)) return undefined;
      return fail(
        `containerd ${containerd.version} is older than ${least}, which is recommended for kubelet ${kubeletVersion}.`,
      )
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'nodeInfo.containerRuntimeVersion',
          seen: runtime,
          expected: `${row.line17}, or ${row.line16} for containerd 1.6`,
        })
        .fixedBy(manual(...installContainerd));
    },
    explain: {
      meaning:
        'Antrea recommends a containerd version for each Kubernetes release. The installed version is older and has bugs with HostProcess pods that were fixed later.',
      why: 'kubelet was upgraded and containerd was not.',
      see: ['kubectl get nodes -o wide', 'containerd.exe --version'],
      fix: ['Drain the node.', ...installContainerd, 'Uncordon the node.'],
      sources: ['https://containerd.io/releases/#kubernetes-support'],
    },
  });
