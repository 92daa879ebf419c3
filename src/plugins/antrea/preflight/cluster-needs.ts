import {apiServer} from '../../../checks/cni/api-server-override.js';
import {clusterPrerequisite} from '../../../checks/prerequisites/prerequisite.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {info} from '../../../model/verdict.js';
import {apiServerOverride as diagnoseOverride} from '../api-server-override.js';

const releases = 'https://github.com/antrea-io/antrea/releases/download/TAG';

export const installOnLinux = [`kubectl apply -f ${releases}/antrea.yml`] as const;

/** The manifest leaves the address open: it is filled in when it is applied. */
export const apiServerOverrideSet = (target: Installation) =>
  clusterPrerequisite(target, 'api-server-override', {
    title: 'kubeAPIServerOverride names the API server',
    run(fleet) {
      const verdicts = diagnoseOverride(fleet);
      if (verdicts) return verdicts;
      const told = apiServer(fleet.cluster);
      const address = told !== undefined && /^[\d.:]+$/.test(told) ? told : 'ADDRESS:6443';
      return info(
        'It is set with the manifest for Windows: without kube-proxy the agent cannot reach the API server by its Service.',
      ).fixedBy(
        manual(
          `curl -sL ${releases}/antrea-windows-with-ovs.yml | sed 's|kubeAPIServerOverride: ""|kubeAPIServerOverride: "https://${address}"|' | kubectl apply -f -`,
        ),
      );
    },
    explain: {
      meaning:
        'Antrea 1.13 and newer replaces kube-proxy, so the kubernetes Service does not work on a Windows node before the agent has started. The agent must be configured with the real API server address.',
      why: 'The manifest leaves kubeAPIServerOverride empty, and it has to be filled in manually.',
      see: ["kubectl -n kube-system get configmap antrea-windows-config -o jsonpath='{.data.antrea-agent\\.conf}'"],
      fix: [
        'Before: sed the address into antrea-windows-with-ovs.yml and apply it.',
        'Afterwards: edit ConfigMap antrea-windows-config, then kubectl -n kube-system rollout restart daemonset/antrea-agent-windows',
      ],
    },
  });
