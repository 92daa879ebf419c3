import {parseJson} from '../../lib/json-properties.js';
import type {Cleanup, NodeRepair} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {localEndpoints} from '../../repair/node/endpoint-owners.js';
import {allPolicyLists, composeDraft, leftovers, withoutNetwork} from '../../repair/plan/compose-draft.js';
import {removeEndpoint, removeFile} from '../../repair/steps/make.js';
import {nameOf} from '../../snapshot/paths.js';
import type {FileEntry} from '../../snapshot/sections.js';

/**
 * State of the CNI and of azure-cns: it must be removed together with the HNS network (AgentBaker cleanupnetwork.ps1).
 */
const stateNames = /^(azure-vnet(-ipam(v6)?)?\.json|azure-endpoints\.json)$/;
const lockNames = /^azure-vnet.*\.json\.lock$/;

/** Azure CNI creates network `azure` with the first pod, on the switch of `ext`, which is never changed. */
export const azureCleanup: Cleanup = {
  builder: () => 'cni',

  repair(id, job) {
    if (id !== 'cni/azure-state' && id !== 'cluster/rebooted') return undefined;
    if (mustGoTogether(job)) return {level: 'hard', effect: 'cut', restarts: 'agent'};
    // If the network exists and matches, only a lock is stale, which requires no restart.
    return {level: 'medium', effect: 'cut', restarts: job.network ? 'nothing' : 'agent'};
  },

  draft(job) {
    const {network, level} = job;
    if (level === 'soft') return composeDraft(job, {});
    if (level === 'medium')
      return composeDraft(job, {
        stopFirst: true,
        stale: [
          ...(network ? [] : [...allPolicyLists(job), ...stateFiles(job)]),
          ...staleLocks(job),
          ...leftovers(job),
        ],
      });
    const removes = network ? [network] : [];
    return composeDraft(job, {
      removes,
      down: [
        ...allPolicyLists(job),
        ...endpoints(job),
        ...(network ? withoutNetwork(job, network) : []),
        ...stateFiles(job),
      ],
      stale: [...staleLocks(job), ...leftovers(job, removes)],
    });
  },
};

/** State that does not match an existing network: both must be removed together. */
function mustGoTogether({network, subject}: NodeRepair): boolean {
  if (!network) return false;
  const state = subject.node.files?.find(({path, exists}) => exists && nameOf(path) === 'azure-vnet.json');
  if (!state || state.content === undefined || state.content.trim() === '') return false;
  if (parseJson(state.content) === undefined) return true;
  return !state.content.toLowerCase().includes(network.id);
}

function endpoints({subject, network}: NodeRepair): PlanStep[] {
  if (!network) return [];
  return localEndpoints(subject, [network]).map(endpoint =>
    removeEndpoint(endpoint, `Endpoint ${endpoint.name} is on the network that is removed.`),
  );
}

function stateFiles({subject}: NodeRepair): PlanStep[] {
  return existing(subject.node.files, stateNames).map(({path}) =>
    removeFile(path, 'It describes a network that no longer exists, so every new pod fails.'),
  );
}

/** The holder of a lock from before the boot no longer exists. */
function staleLocks({subject}: NodeRepair): PlanStep[] {
  const booted = subject.node.os?.bootedAt;
  return existing(subject.node.files, lockNames)
    .filter(({writtenAt}) => writtenAt !== undefined && booted !== undefined && writtenAt < booted)
    .map(({path}) =>
      removeFile(path, 'It is older than the last boot, so no process holds it, and every call waits for it.'),
    );
}

function existing(files: readonly FileEntry[] | undefined, names: RegExp): FileEntry[] {
  return (files ?? []).filter(({path, exists}) => exists && names.test(nameOf(path)));
}
