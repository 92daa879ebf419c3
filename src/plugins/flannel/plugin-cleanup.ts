import type {Cleanup, Draft, NodeRepair, Refusal} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {isSwitchKeeper} from '../../repair/node/ownership.js';
import {backOnNewSwitch, backOnNic, nodeUplink} from '../../repair/plan/adapter-configuration.js';
import {
  allPolicyLists,
  composeDraft,
  endpointsRemovedWith,
  leftovers,
  takeDown,
} from '../../repair/plan/compose-draft.js';
import {createExternalNetwork, removeEndpoint, removeNetwork} from '../../repair/steps/make.js';
import {same} from '../../snapshot/hns.js';

/**
 * flanneld repairs its network when it starts, unless its own leftover endpoint blocks it (flannel-io/flannel#1423).
 */
export const flannelCleanup: Cleanup = {
  builder: () => 'agent',

  repair(id, job) {
    const isInTheWay = ['hns/host-endpoint', 'net/peer-routes', 'net/forwarding'].includes(id);
    if (isInTheWay && staleHostEndpoint(job).length > 0) return {level: 'medium', effect: 'none', restarts: 'agent'};
    // flanneld deletes a network with its name but another type, and recreates it (flannel device_windows.go).
    if (id === 'hns/network-type') return {level: 'soft', effect: 'blip', restarts: 'agent'};
    return undefined;
  },

  draft(job) {
    const {network} = job;
    const isService = job.subject.plugin.profile.switchKeeper !== undefined;
    if (job.level === 'hard' && isService) return reset(job);
    if (job.level === 'hard' && network) {
      const removes = [network];
      return composeDraft(job, {down: takeDown(job, network), removes, stale: leftovers(job, removes)});
    }
    const isRemade = job.failed('hns/subnet') || job.failed('hns/network-type');
    return composeDraft(job, {
      stale:
        job.level === 'soft'
          ? []
          : [
              ...(job.failed('hns/external-network') ? createKeeper(job) : []),
              ...staleHostEndpoint(job),
              ...leftovers(job),
            ],
      remakes: network && isRemade && job.restart.agent ? [network] : [],
    });
  },
};

/** Like setup_windowsnode.ps1 with -Reset true followed by a run without it, but keeps the services. */
function reset(job: NodeRepair): Draft | Refusal {
  const {network, subject} = job;
  const {node, plugin} = subject;
  const keepers = (node.hnsNetworks ?? []).filter(candidate => isSwitchKeeper(plugin, candidate));
  const removes = [...(network ? [network] : []), ...keepers];
  return composeDraft(job, {
    down: [
      ...allPolicyLists(job),
      ...removes.map(gone => removeNetwork(gone, endpointsRemovedWith(job, gone), 'It is recreated.')),
      ...(removes[0] ? backOnNic(subject, removes[0]) : []),
      ...createKeeper(job),
    ],
    removes,
    stale: leftovers(job, removes),
    notes: [
      'setup_windowsnode.ps1 -Reset true also deletes the services flanneld, kubelet and kubeproxy. This plan keeps them.',
    ],
  });
}

/** Creates the overlay External, and restores the configuration of the adapter that its switch replaces. */
function createKeeper({subject}: NodeRepair): PlanStep[] {
  const uplink = nodeUplink(subject);
  if (!uplink) return [];
  return [
    ...createExternalNetwork(
      uplink.nic,
      'It keeps the switch, and the node address, while flanneld recreates its network.',
    ),
    ...backOnNewSwitch(subject),
  ];
}

/** cbr0_ep without an adapter: flanneld finds it by name and waits forever for its adapter (hostgw_windows.go). */
function staleHostEndpoint({subject}: NodeRepair): PlanStep[] {
  const {node, plugin} = subject;
  const {hostEndpoint} = plugin.profile;
  if (!hostEndpoint?.attached || !node.netIPAddresses) return [];
  return (node.hnsEndpoints ?? [])
    .filter(({name, remote}) => !remote && same(name, hostEndpoint.name))
    .filter(({ip, state}) => {
      const isAttached = state === undefined || state === 2 || state === 3;
      return !isAttached || !node.netIPAddresses?.some(address => address.ip === ip);
    })
    .map(endpoint => removeEndpoint(endpoint, `${endpoint.name} has no adapter, and flanneld waits forever for one.`));
}
