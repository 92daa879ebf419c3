import {adapterNamed} from '../../checks/net/adapters.js';
import {podNetwork} from '../../checks/pod-network.js';
import type {NodeSubject} from '../../model/check.js';
import {type Detection, stateFile} from '../../model/plugin.js';
import type {NodeRepair} from '../../model/plugin-cleanup.js';
import {same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {nameOf} from '../../snapshot/paths.js';
import type {Adapter, FileEntry} from '../../snapshot/sections.js';
import {carrierOf, isLastOnSwitch} from '../node/address-carrier.js';

/** The cleanup job of this node as if a boot had removed its network. */
export function jobAfterLoss(subject: NodeSubject): NodeRepair {
  return {
    subject: {...subject, node: afterLoss(subject)},
    level: 'medium',
    drain: false,
    force: false,
    network: undefined,
    restart: {agent: true, kubeProxy: true},
    failed: () => false,
    passed: () => false,
    seen: () => [],
  };
}

const ovsDaemons = ['ovsdb-server', 'ovs-vswitchd'];

/**
 * The worst state a boot may leave: no pod network, no endpoints, OVS stopped with stale rows, and all state files
 * present.
 */
function afterLoss(subject: NodeSubject): NodeModel {
  const {node, plugin} = subject;
  const {ovs: _, hnsPolicyLists: __, ...rest} = node;
  const lost = podNetwork(node, plugin.profile.network);
  return {
    ...rest,
    ...withoutSwitch(subject),
    hnsNetworks: (node.hnsNetworks ?? []).filter(network => network !== lost),
    hnsEndpoints: [],
    processes: [],
    services: (node.services ?? []).map(service =>
      ovsDaemons.some(name => same(name, service.name)) ? {...service, state: 'Stopped'} : service,
    ),
    files: (node.files ?? [])
      .filter(file => isStateAtBoot(plugin, file))
      .map(file => ({...file, exists: true, writtenAt: 0})),
  };
}

/** A switch is removed with its last network; the node's address then moves to the NIC. */
function withoutSwitch(subject: NodeSubject): Partial<NodeModel> {
  const {node, plugin} = subject;
  const lost = podNetwork(node, plugin.profile.network);
  const carrier = carrierOf(subject);
  const nic = adapterNamed(node, carrier?.nic);
  if (!lost || !nic || !carrier?.switched || !carrier.networks.includes(lost) || !isLastOnSwitch(node, lost)) return {};
  const {adapter: held} = carrier.held;
  return {
    netAdapters: (node.netAdapters ?? []).filter(({name}) => !same(name, held)),
    netIPAddresses: (node.netIPAddresses ?? []).map(row => (same(row.adapter, held) ? onNic(row, nic) : row)),
    netRoutes: (node.netRoutes ?? []).map(row => (same(row.adapter ?? '', held) ? onNic(row, nic) : row)),
  };
}

const onNic = <Row extends {adapter?: string | undefined; index?: number | undefined}>(
  row: Row,
  nic: Adapter,
): Row => ({
  ...row,
  adapter: nic.name,
  index: nic.index,
});

/** Files that are always stale after a boot. Others, such as address leases, must be checked one by one. */
function isStateAtBoot(plugin: Detection, {path}: FileEntry): boolean {
  return nameOf(path) === 'ovs-vswitchd.pid' || (stateFile(plugin, path)?.removable ?? false);
}
