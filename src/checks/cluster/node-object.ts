import {shellText} from '../../lib/quote.js';
import {type Check, check, clusterCheck, type Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, info, unknown} from '../../model/verdict.js';
import type {Pod} from '../../snapshot/cluster.js';
import {sectionNames} from '../../snapshot/section-names.js';
import {since} from '../reachable.js';

const minutes = 60_000;
const stuckAfter = 10 * minutes;
const enforceLabel = 'pod-security.kubernetes.io/enforce';
const helperNamespace = 'kubectl-win';
const networkNotReady = /NetworkPluginNotReady|NetworkReady=false|cni (plugin|config) (not initialized|uninitialized)/i;

export const clusterNodeChecks: readonly Check[] = [
  check({
    id: 'cluster/node-conditions',
    title: 'Node is Ready and its conditions are healthy',
    failure: 'Node is NotReady or reports unhealthy conditions',
    severity: 'error',
    needs: ['nodeObject'],
    consequenceOf: [
      'hns/network-present',
      'hns/service',
      'hns/responds',
      'ovs/services',
      'cni/agent-pod',
      'cni/conf',
      'net/node-ip-owner',
      'net/apipa',
      'net/default-route',
      'net/metadata-route',
      'net/api-server',
    ],
    run({node, object}) {
      const conditions = object.status?.conditions ?? [];
      const ready = conditions.find(({type}) => type === 'Ready');
      if (!ready) return unknown('The Node object has no Ready condition.');
      const noNetwork = conditions.find(({type}) => type === 'NetworkUnavailable');
      const taint = object.spec?.taints.find(({key}) => key === 'node.kubernetes.io/network-unavailable');
      const describe = manual(`kubectl describe node ${shellText(node.name)}`);
      const verdicts = [];
      if (ready.status !== 'True') {
        const reason = [ready.reason, ready.message].filter(Boolean).join(': ') || 'without a reason';
        const what = networkNotReady.test(reason) ? 'because its network plugin is not ready' : `(${reason})`;
        // If nothing was read from the node, findings about its pods are consequences of this one.
        const isAll = ready.status === 'Unknown' && sectionNames.every(section => node[section] === undefined);
        verdicts.push(
          fail(
            ready.status === 'Unknown'
              ? `The node has not reported to the API server${since(ready)} ${what}.`
              : `The node is not Ready ${what}.`,
          )
            .explaining(...(isAll ? ['cni/agent-pod', 'cluster/stuck-terminating', 'kube-proxy/expected'] : []))
            .because({section: 'cluster', object: `Node ${node.name}`, field: 'Ready', seen: reason, expected: 'True'})
            .fixedBy(describe),
        );
      }
      if (noNetwork?.status === 'True' || taint)
        verdicts.push(
          fail('Kubernetes reports that the node has no network, and schedules no pods to it.')
            .because({
              section: 'cluster',
              object: `Node ${node.name}`,
              field: noNetwork?.status === 'True' ? 'NetworkUnavailable' : 'taints',
              seen:
                noNetwork?.status === 'True'
                  ? [noNetwork.reason, noNetwork.message].filter(Boolean).join(': ')
                  : taint?.key,
              expected: noNetwork?.status === 'True' ? 'False' : 'no such taint',
            })
            .fixedBy(describe),
        );
      return verdicts;
    },
    explain: {
      meaning:
        'Kubernetes reports that this node is not ready or has no network. It schedules no new pods to the node and evicts existing ones.',
      why: 'Kubelet reports that the container runtime has no working network plugin, kubelet does not report at all, or the plugin or the cloud provider has tainted the node. The other findings on this node usually name the cause.',
      see: ['kubectl describe node NODE', 'kubectl get node NODE -o jsonpath="{.spec.taints}"'],
      fix: [
        'Repair the other findings on this node.',
        'Ready becomes True within a minute after the network works. If it does not: Restart-Service containerd, kubelet',
      ],
      sources: [
        'https://kubernetes.io/docs/reference/node/node-status/#condition',
        'https://github.com/kubernetes-sigs/sig-windows-tools/issues/285',
      ],
    },
  }),

  check({
    id: 'cluster/stuck-terminating',
    title: 'Pods finish terminating',
    failure: 'Pods are stuck in Terminating',
    severity: 'warning',
    needs: ['cluster'],
    consequenceOf: ['hns/responds', 'hns/service', 'cluster/node-conditions'],
    run({node, cluster, now}) {
      const leaving = cluster.podsOn(node.name).filter(({metadata}) => metadata.deletionTimestamp !== undefined);
      if (leaving.some(({metadata}) => Number.isNaN(metadata.deletionTimestamp)))
        return unknown('The deletion time of a pod is unknown.');
      const stuck = leaving.filter(({metadata}) => now - (metadata.deletionTimestamp ?? now) > stuckAfter);
      if (stuck.length === 0) return undefined;
      return fail(
        `${stuck.length === 1 ? `Pod ${nameOf(stuck[0])} has` : `${stuck.length} pods have`} been terminating for more than 10 minutes.`,
      )
        .because(
          ...stuck.map(pod => ({
            section: 'cluster',
            object: `Pod ${nameOf(pod)}`,
            field: 'deletionTimestamp',
            seen: new Date(pod.metadata.deletionTimestamp ?? 0).toISOString(),
            expected: 'deleted within its grace period',
          })),
        )
        .fixedBy(
          manual(
            'Restart-Service containerd -Force; Restart-Service kubelet',
            'If that does not help, drain and reboot the node.',
            ...stuck.map(
              ({metadata}) =>
                `kubectl -n ${shellText(metadata.namespace ?? 'default')} delete pod ${shellText(metadata.name)} --grace-period=0 --force (last resort: the container may keep running)`,
            ),
          ),
        );
    },
    explain: {
      meaning:
        'A pod was deleted and its grace period has ended, but it still exists. The container runtime cannot remove its container or its network endpoint.',
      why: 'HNS or containerd hangs, a volume cannot be unmounted, or a finalizer holds the pod.',
      see: [
        'kubectl get pods -A --field-selector spec.nodeName=NODE | findstr Terminating',
        'crictl pods; Get-HnsEndpoint',
      ],
      fix: [
        'Restart-Service containerd -Force; Restart-Service kubelet',
        'Drain and reboot the node.',
        'Only then force the deletion: kubectl delete pod POD --grace-period=0 --force',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/issues/4702',
        'https://github.com/Azure/azure-container-networking/issues/287',
      ],
    },
  }),

  clusterCheck({
    id: 'cluster/pod-security',
    title: 'Pod Security admits the helper',
    failure: 'Pod Security rejects the helper',
    severity: 'error',
    plugins: 'the kubectl win helper',
    appliesTo: fleet => helperNamespaces(fleet).length > 0,
    run(fleet) {
      return helperNamespaces(fleet).flatMap(({metadata}) => {
        const level = metadata.labels[enforceLabel];
        const label = `kubectl label namespace ${shellText(metadata.name)} ${enforceLabel}=privileged --overwrite`;
        const evidence = {
          section: 'cluster',
          object: `Namespace ${metadata.name}`,
          field: enforceLabel,
          seen: level ?? null,
          expected: 'privileged',
        };
        if (level === 'privileged') return [];
        if (level === undefined)
          return [
            info(
              `Namespace ${metadata.name} has no Pod Security label; helper pods can start unless the cluster default forbids them.`,
            ).because(evidence),
          ];
        return [
          fail(`Namespace ${metadata.name} enforces Pod Security level ${level}, so no helper pod can start in it.`)
            .because(evidence)
            .fixedBy(manual(label)),
        ];
      });
    },
    explain: {
      meaning:
        'The helper is a HostProcess pod. Pod Security allows such pods only at level "privileged". The namespace of the helper enforces a stricter level, so the API server rejects the pod.',
      why: 'The namespace was created manually, or a cluster policy sets the label on all namespaces.',
      see: ['kubectl get namespace kubectl-win --show-labels'],
      fix: [
        `kubectl label namespace kubectl-win ${enforceLabel}=privileged --overwrite`,
        'Or use another namespace: kubectl win doctor --helper-namespace NAMESPACE',
      ],
      sources: ['https://kubernetes.io/docs/concepts/security/pod-security-standards/'],
    },
  }),
];

function nameOf(pod: Pod | undefined): string {
  return `${pod?.metadata.namespace}/${pod?.metadata.name}`;
}

/** The namespace that is created on demand, and others that contain helper pods. */
function helperNamespaces({cluster}: Fleet) {
  const own = [...cluster.all('Pod'), ...cluster.all('DaemonSet')].filter(
    ({metadata}) => metadata.labels['app.kubernetes.io/managed-by'] === 'kubectl-win',
  );
  const names = new Set([helperNamespace, ...own.map(({metadata}) => metadata.namespace)]);
  return cluster.all('Namespace').filter(({metadata}) => names.has(metadata.name));
}
