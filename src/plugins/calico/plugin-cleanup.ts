import {type Cleanup, type NodeRepair, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {composeDraft, leftovers} from '../../repair/plan/compose-draft.js';
import {isType, type Network, same} from '../../snapshot/hns.js';

const key = {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'LastBootTime'};
/** Felix waits for the node service (calico.psm1). */
const services = ['CalicoNode', 'CalicoFelix'];

/**
 * Calico cleans up by itself after a boot: where its note of the boot does not fit, it removes every network but nat when
 * it starts, and rebuilds them (node-service.ps1). Without the note it does so at any time.
 */
export const calicoCleanup: Cleanup = {
  builder: () => 'agent',

  needs: ({level}) => (level === 'hard' ? ['registry'] : []),

  draft(job): ReturnType<Cleanup['draft']> {
    const remakes = cleansUp(job) ? networksButNat(job) : [];
    const foreign = remakes.filter(({name}) => !/^(external|calico)/i.test(name));
    if (foreign.length > 0) return takesOthersToo(foreign);
    return composeDraft(job, {
      services,
      remakes,
      stopFirst: job.level === 'hard',
      stale: [...(job.level === 'hard' ? forgetBoot(job) : []), ...leftovers(job, remakes)],
      notes: wrongNic(job),
    });
  },
};

/** Whether a restart of calico-node takes all networks down. What cannot be determined counts as yes. */
function cleansUp(job: NodeRepair): boolean {
  return job.level === 'hard' || (job.restart.agent && !job.passed('cni/calico-boot-time'));
}

function networksButNat({subject}: NodeRepair): Network[] {
  return (subject.node.hnsNetworks ?? []).filter(network => !isType(network, 'nat'));
}

function takesOthersToo(foreign: readonly Network[]): Refusal {
  return refusal(
    `Calico's own clean-up removes every HNS network but nat, and so would take ${foreign.map(({name}) => name).join(', ')} too, which ${foreign.length === 1 ? 'is' : 'are'} not Calico's.`,
    {next: 'First remove the leftovers of the other plugin on the node console.'},
  );
}

function forgetBoot({subject}: NodeRepair): PlanStep[] {
  const value = subject.node.registry?.find(({path, name}) => same(path, key.path) && same(name, key.name));
  if (!value) return [];
  return [{do: 'registry.removeValue', with: key, why: 'Calico then cleans up as after a boot when it starts.'}];
}

/** A network on the wrong NIC comes back on the same one, unless Calico is configured with another. */
function wrongNic({failed}: NodeRepair): string[] {
  if (!failed('net/management-ip')) return [];
  return [
    'Calico uses the first NIC it finds. Set VXLAN_ADAPTER of calico-node to the NIC with the node address before you run this plan, or the network is recreated on the same NIC.',
  ];
}
