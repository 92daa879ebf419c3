import type {Cleanup, NodeRepair} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {composeDraft, leftovers, takeDown} from '../../repair/plan/compose-draft.js';
import {removeEndpoint} from '../../repair/steps/make.js';
import {same} from '../../snapshot/hns.js';

/** flanneld heals itself when it starts, unless its own leftover endpoint is in its way (flannel-io/flannel#1423). */
export const flannelCleanup: Cleanup = {
  builder: () => 'agent',

  repair(id, job) {
    const isInTheWay = ['hns/host-endpoint', 'net/peer-routes', 'net/forwarding'].includes(id);
    if (isInTheWay && staleHostEndpoint(job).length > 0) return {level: 'medium', effect: 'none', restarts: 'agent'};
    // It deletes a network of its name that has another type, and recreates it (flannel device_windows.go).
    if (id === 'hns/network-type') return {level: 'soft', effect: 'blip', restarts: 'agent'};
    return undefined;
  },

  draft(job) {
    const {network} = job;
    if (job.level === 'hard' && network) {
      const removes = [network];
      return composeDraft(job, {down: takeDown(job, network), removes, stale: leftovers(job, removes)});
    }
    const isRemade = job.failed('hns/subnet') || job.failed('hns/network-type');
    return composeDraft(job, {
      stale: job.level === 'soft' ? [] : [...staleHostEndpoint(job), ...leftovers(job)],
      remakes: network && isRemade && job.restart.agent ? [network] : [],
    });
  },
};

/** cbr0_ep without an adapter: flanneld finds it by its name, and waits for the adapter forever (hostgw_windows.go). */
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
    .map(endpoint => removeEndpoint(endpoint, `${endpoint.name} has no adapter, and flanneld waits for one forever.`));
}
