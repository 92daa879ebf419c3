import {type Cleanup, type NodeRepair, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import {builtManually} from '../../repair/plan/built-manually.js';
import {composeDraft, leftovers, takeDown} from '../../repair/plan/compose-draft.js';
import {ovsNeeds} from '../../repair/plan/ovs-cleanup.js';
import {hasStalePid, revive, startDaemons} from '../../repair/plan/ovs-revival.js';
import {same} from '../../snapshot/hns.js';

/** The hybrid overlay's second network is recreated at every boot; its base network stays and is never changed. */
export const ovnKubernetesCleanup: Cleanup = {
  builder: ({plugin}) => (plugin.variant === 'legacy' ? 'person' : 'agent'),

  needs: job => (isLegacy(job) ? ovsNeeds({...job, level: job.level === 'soft' ? 'soft' : 'medium'}) : []),

  leaveAlone: job => (isLegacy(job) ? undefined : underOperator(job)),

  repair(id, job) {
    if (isLegacy(job)) {
      if (builtManually.has(id) || id === 'ovs/stale-bridge') return 'nothing';
      return id === 'ovs/services' && hasStalePid(job)
        ? {level: 'medium', effect: 'none', restarts: 'agent'}
        : undefined;
    }
    // The start script of kube-proxy creates VIPEndpoint.
    if (id === 'hns/host-endpoint') return {level: 'soft', effect: 'none', restarts: 'kube-proxy'};
    return undefined;
  },

  draft(job) {
    if (isLegacy(job)) return legacy(job);
    const {network, level} = job;
    if (level === 'hard' && network) {
      const removes = [network];
      return composeDraft(job, {down: takeDown(job, network), removes, stale: leftovers(job, removes)});
    }
    const isRemade = job.failed('hns/subnet') && job.restart.agent;
    return composeDraft(job, {stale: leftovers(job), remakes: network && isRemade ? [network] : []});
  },
};

function isLegacy({subject}: NodeRepair): boolean {
  return subject.plugin.variant === 'legacy';
}

/** The OpenShift operator configures the node itself, and reverts other changes. */
function underOperator({subject}: NodeRepair): Refusal | undefined {
  const {node, object} = subject;
  const isManaged =
    Object.keys(object?.metadata.annotations ?? {}).some(name =>
      name.startsWith('windowsmachineconfig.openshift.io/'),
    ) ||
    (node.services?.some(({name}) => same(name, 'windows-instance-config-daemon')) ?? false);
  if (!isManaged) return undefined;
  return refusal(`${node.name} is managed by the Windows Machine Config Operator, which configures its network.`, {
    next: 'Check the progress of the operator: oc -n openshift-windows-machine-config-operator logs deployment/windows-machine-config-operator',
    forcible: true,
  });
}

/** OVN until 2020: network and uplink bridge were created manually, so cleanup can only start the services in order. */
function legacy(job: NodeRepair) {
  if (job.level === 'hard')
    return refusal('Nothing on this node recreates the network of the old OVN-Kubernetes after it is removed.', {
      next: 'Set up the node again with its setup scripts, or use --level=medium.',
    });
  const stale = job.level === 'soft' ? startDaemons(job) : [...revive(job), ...leftovers(job)];
  return composeDraft(job, {services: ['ovn-controller', 'ovn-kubernetes-node', 'ovn-k8s'], stopFirst: true, stale});
}
