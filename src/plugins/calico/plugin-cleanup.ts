import {type Cleanup, type NodeRepair, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {composeDraft, leftovers} from '../../repair/plan/compose-draft.js';
import {isType, type Network, same} from '../../snapshot/hns.js';

const key = {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'LastBootTime'};
/** Felix waits for the node service (calico.psm1). */
const services = ['CalicoNode', 'CalicoFelix'];

/**
 * Calico cleans up automatically after a boot: if its recorded boot time does not match, it removes all networks except
 * nat when it starts, and recreates them (node-service.ps1). Without the record, it does so at every start.
 */
export const calicoCleanup: Cleanup = {
  builder: () => 'agent',

  needs: ({level}) => (level === 'hard' ? ['registry'] : []),

  draft(job): ReturnType<Cleanup['draft']> {
    const remakes = cleansUp(job) ? networksButNat(job) : [];
    const foreign = remakes.filter(({name}) => !/^(external|calico)/i.test(name));
    if (foreign.length > 0) return refuseForeignNetworks(foreign);
    return composeDraft(job, {
      services,
      remakes,
      stopFirst: job.level === 'hard',
      stale: [...(job.level === 'hard' ? forgetBoot(job) : []), ...leftovers(job, remakes)],
      notes: wrongNic(job),
    });
  },
};

/** Whether a restart of calico-node removes all networks. Assumed if undetermined. */
function cleansUp(job: NodeRepair): boolean {
  return job.level === 'hard' || (job.restart.agent && !job.passed('cni/calico-boot-time'));
}

function networksButNat({subject}: NodeRepair): Network[] {
  return (subject.node.hnsNetworks ?? []).filter(network => !isType(network, 'nat'));
}

function refuseForeignNetworks(foreign: readonly Network[]): Refusal {
  return refusal(
    `Calico's own cleanup removes all HNS networks except nat, including ${foreign.map(({name}) => name).join(', ')}, which ${foreign.length === 1 ? 'does' : 'do'} not belong to Calico.`,
    {next: 'First remove the leftovers of the other plugin on the node console.'},
  );
}

function forgetBoot({subject}: NodeRepair): PlanStep[] {
  const value = subject.node.registry?.find(({path, name}) => same(path, key.path) && same(name, key.name));
  if (!value) return [];
  return [{do: 'registry.removeValue', with: key, why: 'Calico then cleans up when it starts, as after a boot.'}];
}

/** A network on the wrong NIC is recreated on the same NIC unless Calico is configured with another one. */
function wrongNic({failed}: NodeRepair): string[] {
  if (!failed('net/management-ip')) return [];
  return [
    'Calico uses the first NIC it finds. Set VXLAN_ADAPTER of calico-node to the NIC with the node address before you run this plan, or the network is recreated on the same NIC.',
  ];
}
