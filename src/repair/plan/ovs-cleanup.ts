import {nicOf} from '../../checks/net/adapters.js';
import type {Need} from '../../model/check.js';
import type {NodeRepair} from '../../model/plugin-cleanup.js';
import type {Repair} from '../../model/repair.js';
import type {PlanStep} from '../../model/step.js';
import {same} from '../../snapshot/hns.js';
import type {VmSwitch} from '../../snapshot/sections.js';
import {deleteBridge, removeNetwork} from '../steps/make.js';
import {backOnNic} from './adapter-configuration.js';
import {type CleanupParts, endpointsRemovedWith, leftovers} from './compose-draft.js';
import {
  bridgesLeft,
  databaseRuns,
  enableExtension,
  hasStalePid,
  oneExtension,
  revive,
  startDaemons,
} from './ovs-revival.js';

/** If the database is down, its rows cannot be read: the plan then deletes the bridges if they exist. */
export function ovsNeeds({subject, level}: NodeRepair): Need[] {
  if (level === 'soft') return [];
  const rows: Need[] = databaseRuns(subject.node) ? ['ovs'] : [];
  return level === 'medium' ? rows : [...rows, 'vmSwitches', 'vmSwitchExtensions', 'adapterBindings'];
}

export function ovsRepair(id: string, job: NodeRepair): Repair | undefined {
  // A switch left over from a removed network must be removed before the agent can create another one.
  const isLeftBehind = !job.network && ownSwitch(job) !== undefined;
  if (isLeftBehind && ['hns/network-present', 'ovs/stale-bridge', 'cluster/rebooted'].includes(id))
    return {level: 'hard', effect: 'cut', restarts: 'agent'};
  if (id === 'ovs/services' && hasStalePid(job)) return {level: 'medium', effect: 'none', restarts: 'agent'};
  return undefined;
}

/** What each level does to a network on OVS. */
export function ovsParts(job: NodeRepair): CleanupParts {
  if (job.level === 'soft') return {stale: startDaemons(job)};
  if (job.level === 'medium')
    return {
      stale: [
        ...revive(job, job.network ? [] : bridgesLeft(job)),
        ...oneExtension(job),
        ...enableExtension(job),
        ...leftovers(job),
      ],
    };
  const removes = job.network ? [job.network] : [];
  return {down: tearDown(job), removes, stale: leftovers(job, removes)};
}

/** The plugin's switch, even if HNS no longer has its network. */
function ownSwitch({subject}: NodeRepair): VmSwitch | undefined {
  const name = subject.plugin.profile.network?.name ?? '';
  return subject.node.vmSwitches?.find(its => same(its.name, name));
}

/**
 * Removes a network on OVS, in the order of antrea's Clean-AntreaNetwork.ps1: bridges, management vNIC, HNS network,
 * binding of the NIC, switch; then restores the address on the NIC and restarts OVS.
 */
function tearDown(job: NodeRepair): PlanStep[] {
  const {subject, network} = job;
  const bridges = bridgesLeft(job);
  const isUp = databaseRuns(subject.node);
  const isThere = network !== undefined || ownSwitch(job) !== undefined;
  return [
    ...(isUp ? bridges.map(bridge => deleteBridge(bridge, 'Its switch is removed next.')) : []),
    ...managementNic(job),
    ...(network ? [removeNetwork(network, endpointsRemovedWith(job, network), 'The agent recreates it.')] : []),
    ...(isThere ? [...binding(job), ...removeSwitch(job), ...backOnNic(subject, network)] : []),
    ...revive(job, isUp ? [] : bridges, isUp && bridges.length > 0),
  ];
}

/** The adapter that the agent renamed to the bridge's name: it has the node's address. */
function managementNic(job: NodeRepair): PlanStep[] {
  const {node, plugin} = job.subject;
  const name = plugin.profile.managementAdapter;
  const own = ownSwitch(job);
  if (!own || name === undefined || !node.netAdapters?.some(adapter => same(adapter.name, name))) return [];
  return [
    {do: 'vnic.remove', with: {switchName: own.name, name}, why: 'Windows keeps the switch while this adapter exists.'},
  ];
}

function binding(job: NodeRepair): PlanStep[] {
  const adapter = uplinkName(job);
  if (adapter === undefined) return [];
  return [
    {
      do: 'adapter.setBinding',
      with: {adapter, componentId: 'vms_pp', enabled: false},
      why: 'Otherwise the NIC stays bound to the removed switch.',
    },
  ];
}

function removeSwitch(job: NodeRepair): PlanStep[] {
  const own = ownSwitch(job);
  if (!own) return [];
  return [{do: 'vswitch.remove', with: {name: own.name}, why: 'HNS does not always remove it with its network.'}];
}

function uplinkName(job: NodeRepair): string | undefined {
  const {node} = job.subject;
  const description = ownSwitch(job)?.adapterDescription;
  const described = node.netAdapters?.find(
    adapter => description !== undefined && !adapter.virtual && adapter.description === description,
  );
  return (described ?? (job.network && nicOf(node, job.network)))?.name;
}
