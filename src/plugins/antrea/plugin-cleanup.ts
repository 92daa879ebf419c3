import type {Cleanup} from '../../model/plugin-cleanup.js';
import {composeDraft} from '../../repair/plan/compose-draft.js';
import {ovsNeeds, ovsParts, ovsRepair} from '../../repair/plan/ovs-cleanup.js';

/**
 * Antrea loses its HNS network at every boot, while OVS keeps the bridge: the rows go first, then OVS and the agent start.
 * OVS in the agent's pod has no services, and starts with the pod.
 */
export const antreaCleanup: Cleanup = {
  builder: () => 'agent',
  // Its own job at boot cleans OVS alone, too (antrea Prepare-AntreaAgent.ps1).
  podTriesAgain: true,
  needs: ovsNeeds,

  repair(id, job) {
    if (id === 'hns/subnet') return {level: 'hard', effect: 'cut', restarts: 'agent'};
    // Its two rules for pods the agent makes when it starts.
    if (id === 'net/firewall') return {level: 'medium', effect: 'none', restarts: 'agent'};
    return ovsRepair(id, job);
  },

  draft: job => composeDraft(job, ovsParts(job)),
};
