import type {NodeSubject} from '../../model/check.js';
import {type Cleanup, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import {activeConf, confType} from '../../snapshot/cni-conf.js';
import {composeDraft, leftovers, takeDown} from './compose-draft.js';
import {addPeerRoutes} from './host-steps.js';

/** Findings whose repair would remove a network that nothing on the node recreates. */
export const builtManually: ReadonlySet<string> = new Set([
  'hns/network-present',
  'hns/network-type',
  'hns/subnet',
  'net/apipa',
  'net/management-ip',
  'net/node-ip-owner',
]);

export interface BuiltManually {
  /** Microsoft's CNI plugin that creates a missing network itself. */
  readonly selfMaking?: string;
  /** Whether the routes between nodes are created manually or by a script. */
  readonly routed: boolean;
}

/**
 * Plugins without an agent: an operator or a script creates their network (containernetworking plugins/main/windows).
 */
export function manuallyBuilt({selfMaking, routed}: BuiltManually): Cleanup {
  const isMadeByCni = ({node}: NodeSubject) => selfMaking !== undefined && confType(activeConf(node)) === selfMaking;
  return {
    builder: subject => (isMadeByCni(subject) ? 'cni' : 'person'),

    repair(id, {subject}) {
      if (id === 'net/peer-routes') return {level: 'medium', effect: 'none', restarts: 'nothing'};
      return builtManually.has(id) && !isMadeByCni(subject) ? 'nothing' : undefined;
    },

    draft(job) {
      const {network, level, subject} = job;
      const last = routed && level !== 'soft' ? addPeerRoutes(job) : [];
      if (level !== 'hard') return composeDraft(job, {stale: leftovers(job), last});
      if (!isMadeByCni(subject)) return nobodyBuilds(subject);
      const removes = network ? [network] : [];
      return composeDraft(job, {
        down: network ? takeDown(job, network) : [],
        removes,
        stale: leftovers(job, removes),
        last,
      });
    },
  };
}

function nobodyBuilds({node, plugin}: NodeSubject): Refusal {
  return refusal(
    `${plugin.title} does not create its own network: nothing on ${node.name} recreates ${plugin.profile.network?.name}.`,
    {next: 'Run the setup script of the node on its console, or use --level=medium.'},
  );
}
