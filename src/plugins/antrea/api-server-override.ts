import {apiServer, isService} from '../../checks/cni/api-server-override.js';
import {shellText} from '../../lib/quote.js';
import type {Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import type {Workload} from '../../snapshot/cluster.js';
import {windowsDaemonSets} from '../../snapshot/daemon-sets.js';
import {clusterConf, setting} from './settings.js';

/** Only for agents in pods: an agent that runs as a service has its own kubeconfig. */
export function apiServerOverride(fleet: Fleet): readonly Verdict[] | undefined {
  const [set] = windowsDaemonSets(fleet.cluster, /^antrea-agent-windows$/);
  return set && [override(fleet, set)].filter(verdict => verdict !== undefined);
}

function override({cluster, subjects}: Fleet, {metadata}: Workload): Verdict | undefined {
  const conf = clusterConf(cluster);
  if (conf === undefined) return unknown('ConfigMap antrea-windows-config was not read.');
  // Without proxyAll, kube-proxy provides the ClusterIP before the agent starts.
  const withoutKubeProxy = subjects.some(({plugin}) => plugin.profile.kubeProxy === 'unwanted');
  if (!withoutKubeProxy || setting(conf, 'kubeconfig')) return undefined;
  const value = setting(conf, 'kubeAPIServerOverride');
  if (value !== undefined && !isService(cluster, value)) return undefined;
  return fail(
    value === undefined
      ? 'kubeAPIServerOverride is not set for Antrea on Windows: without kube-proxy its agent cannot reach the API server when it starts.'
      : `kubeAPIServerOverride for Antrea on Windows is ${value}, the ClusterIP of the API server, which works only after the agent has started.`,
  )
    .because({
      section: 'cluster',
      object: `ConfigMap ${metadata.namespace}/antrea-windows-config`,
      field: 'antrea-agent.conf: kubeAPIServerOverride',
      seen: value ?? null,
      expected: apiServer(cluster) ?? 'the address of the API server',
    })
    .fixedBy(
      manual(
        `kubectl -n ${shellText(metadata.namespace ?? 'kube-system')} edit configmap antrea-windows-config (set kubeAPIServerOverride: "https://${apiServer(cluster) ?? 'ADDRESS:6443'}")`,
        `kubectl -n ${shellText(metadata.namespace ?? 'kube-system')} rollout restart daemonset/antrea-agent-windows`,
      ),
    );
}
