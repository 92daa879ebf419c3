import {apiServer} from '../../../checks/cni/api-server-override.js';
import {clusterPrerequisite} from '../../../checks/prerequisites/prerequisite.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {info} from '../../../model/verdict.js';
import {apiServerOverride as diagnoseOverride} from '../api-server-override.js';

const releases = 'https://github.com/antrea-io/antrea/releases/download/TAG';

export const installOnLinux = [`kubectl apply -f ${releases}/antrea.yml`] as const;

/** The address is not set in the manifest and must be filled in before it is applied. */
export const apiServerOverrideSet = (target: Installation) =>
  clusterPrerequisite(target, 'api-server-override', {
    title: 'kubeAPIServerOverride is the API server address',
    run(fleet) {
      const verdicts = diagnoseOverride(fleet);
      if (verdicts) return verdicts;
      const known = apiServer(fleet.cluster);
      const address = known !== undefined && /^[\d.:]+$/.test(known) ? known : 'ADDRESS:6443';
      return info(
        'Set it in the Windows manifest: without kube-proxy, the agent cannot reach the API server through its Service.',
      ).fixedBy(
        manual(
          `curl -sL ${releases}/antrea-windows-with-ovs.yml | sed 's|kubeAPIServerOverride: ""|kubeAPIServerOverride: "https://${address}"|' | kubectl apply -f -`,
        ),
      );
    },
    explain: {
      meaning:
        'Antrea 1.13 and newer replaces kube-proxy, so the kubernetes Service does not work on a Windows node before the agent has started. The agent must be configured with the real API server address.',
      why: 'kubeAPIServerOverride is empty in the manifest and must be set manually.',
      see: ["kubectl -n kube-system get configmap antrea-windows-config -o jsonpath='{.data.antrea-agent\\.conf}'"],
      fix: [
        'Before the installation: set the address in antrea-windows-with-ovs.yml and apply it.',
        'After the installation: edit ConfigMap antrea-windows-config, then kubectl -n kube-system rollout restart daemonset/antrea-agent-windows',
      ],
    },
  });
