import type {Cleanup} from '../../model/plugin-cleanup.js';
import {composeDraft} from '../../repair/plan/compose-draft.js';
import {ovsNeeds, ovsParts, ovsRepair} from '../../repair/plan/ovs-cleanup.js';

/**
 * Antrea loses its HNS network at every boot, while OVS keeps the bridge: the plan removes the rows first, then starts
 * OVS and the agent. OVS in the agent pod has no services, and starts with the pod.
 */
export const antreaCleanup: Cleanup = {
  builder: () => 'agent',
  // Antrea's own startup job also cleans up only OVS (antrea Prepare-AntreaAgent.ps1).
  podTriesAgain: true,
  needs: ovsNeeds,

  repair(id, job) {
    if (id === 'hns/subnet') return {level: 'hard', effect: 'cut', restarts: 'agent'};
    // The agent creates its two rules for pods when it starts.
    if (id === 'net/firewall') return {level: 'medium', effect: 'none', restarts: 'agent'};
    return ovsRepair(id, job);
  },

  draft: job => composeDraft(job, ovsParts(job)),
};
