import {names} from '../../lib/names.js';
import {type Check, check} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail} from '../../model/verdict.js';
import type {Pod} from '../../snapshot/cluster.js';

const startTime = 60_000;

export const logicalPortChecks: readonly Check[] = [
  check({
    id: 'ovs/logical-ports',
    title: 'Every pod has an OVN logical port',
    failure: 'Pod has no OVN logical port',
    severity: 'error',
    plugins: 'older OVN-Kubernetes',
    needs: ['ovs', 'cluster'],
    consequenceOf: ['ovs/bridges', 'ovs/stale-bridge', 'ovs/services', 'cni/agent-pod'],
    appliesTo: ({plugin}) => plugin.name === 'ovn-kubernetes' && plugin.variant === 'legacy',
    run({node, cluster, now}) {
      const ids = new Set(
        node.ovs.bridges.flatMap(({ports}) =>
          ports.flatMap(({interfaces}) => interfaces.flatMap(({externalIds}) => externalIds['iface-id'] ?? [])),
        ),
      );
      const missing = cluster.podsOn(node.name).filter(pod => isOnOvn(pod, now) && !ids.has(portOf(pod)));
      if (missing.length === 0) return undefined;
      return fail(
        `No OVS port belongs to the logical port of ${names(missing.map(portOf))}: these pods have no network.`,
      )
        .because({
          section: 'ovs',
          object: 'Interface',
          field: 'external_ids:iface-id',
          seen: [...ids],
          expected: missing.map(portOf),
        })
        .fixedBy(
          manual(
            'On the master: systemctl status ovn-k8s-watcher; tail /var/log/openvswitch/ovn-k8s-watcher.log',
            'Restart-Service ovn-kubernetes-node (or ovn-k8s), then delete the pods: the new pods get ports.',
          ),
        );
    },
    explain: {
      meaning:
        'In OVN, each pod is a logical port named NAMESPACE_POD on the logical switch of its node. On the node, the OVS port of the pod has that name in external_ids:iface-id. Without it, OVN installs no flows for the pod.',
      why: 'ovn-k8s-watcher on the master, which creates logical ports, is not running, or the service on the node (ovn-k8s, later ovn-kubernetes-node), which connects them, missed the pod.',
      see: [
        'ovs-vsctl.exe --timeout=5 --columns=name,external_ids list Interface',
        'ovn-nbctl show (on the master)',
        'systemctl status ovn-k8s-watcher ovn-k8s-gateway-helper (on the master and on the gateway node)',
      ],
      fix: [
        'Start ovn-k8s-watcher on the master, and read /var/log/openvswitch/ovn-k8s-watcher.log.',
        'Restart the service on the node, and delete the pod.',
        'Traffic that leaves the cluster through a gateway node with one interface also needs ovn-k8s-gateway-helper there.',
      ],
      sources: [
        'https://github.com/openvswitch/ovn-kubernetes',
        'https://github.com/ovn-kubernetes/ovn-kubernetes/issues/516',
      ],
    },
  }),
];

const portOf = ({metadata}: Pod) => `${metadata.namespace}_${metadata.name}`;

function isOnOvn({metadata, spec, status}: Pod, now: number): boolean {
  if (spec.hostNetwork || metadata.deletionTimestamp !== undefined || status?.phase !== 'Running') return false;
  const started = status.startTime ?? metadata.creationTimestamp;
  return started === undefined || now - started >= startTime;
}
