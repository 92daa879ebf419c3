import {isOvs, ovsExtension} from '../../checks/ovs/extension-ids.js';
import type {NodeRepair} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {nameOf, normalPath} from '../../snapshot/paths.js';
import type {Service} from '../../snapshot/sections.js';
import {isOvsOn} from '../node/address-carrier.js';
import {deleteBridge, removeFile, restartService, setOvsExtension, startService, stopService} from '../steps/make.js';

// Steps for Open vSwitch, shared by Antrea and Kube-OVN.

const daemonNames = ['ovsdb-server', 'ovs-vswitchd'] as const;

interface Daemon {
  readonly name: (typeof daemonNames)[number];
  /** Undefined if it runs in the agent pod. */
  readonly service: Service | undefined;
  readonly running: boolean;
}

function daemon(node: NodeModel, name: Daemon['name']): Daemon {
  const service = node.services?.find(its => same(its.name, name));
  const running = service?.state === 'Running' || (node.processes?.some(process => process.name === name) ?? false);
  return {name, service, running};
}

/** Whether the rows of OVS can be read and changed. */
export function databaseRuns(node: NodeModel): boolean {
  return daemon(node, 'ovsdb-server').running;
}

/** Starts the daemons that are services and are not running. */
export function startDaemons({subject: {node}}: NodeRepair): PlanStep[] {
  return daemonNames.flatMap(name => start(daemon(node, name)));
}

function start({name, service, running}: Daemon): PlanStep[] {
  return service && !running ? [startService(service, `${name} is not running, and the agent needs it.`)] : [];
}

/** The plugin's bridges in OVS; all of them if the database is down and its rows could not be read. */
export function bridgesLeft({subject}: NodeRepair): string[] {
  const {ovs} = subject.node;
  return subject.plugin.profile.bridges.filter(its => !ovs || ovs.bridges.some(({name}) => same(name, its)));
}

/**
 * Restarts OVS without these bridges: first the database, because rows are deleted, then ovs-vswitchd, which reads
 * them. `changed`: rows that ovs-vswitchd has in memory were already deleted.
 */
export function revive({subject}: NodeRepair, bridges: readonly string[] = [], changed = false): PlanStep[] {
  const {node} = subject;
  const ovsdb = daemon(node, 'ovsdb-server');
  const vswitchd = daemon(node, 'ovs-vswitchd');
  const rows =
    bridges.length === 0 ? [] : ovsdb.running || ovsdb.service ? deleteBridges(bridges) : emptyDatabase(node);
  const isDue = changed || rows.length > 0 || !vswitchd.running;
  return [
    ...pidFile(node, ovsdb),
    ...start(ovsdb),
    ...rows,
    ...pidFile(node, vswitchd),
    ...(vswitchd.service && isDue ? [restartService(vswitchd.service, 'Reloads its database.')] : []),
  ];
}

function deleteBridges(bridges: readonly string[]): PlanStep[] {
  return bridges.map(bridge => deleteBridge(bridge, 'Its switch is gone; the stale rows keep OVS from starting.'));
}

/** If OVS runs in the agent pod, the pod creates a missing database (antrea Clean-AntreaNetwork.ps1). */
function emptyDatabase({files = []}: NodeModel): PlanStep[] {
  return files
    .filter(({path, exists}) => exists && normalPath(path).endsWith('\\etc\\openvswitch\\conf.db'))
    .map(({path}) =>
      removeFile(path, 'It belongs to a switch that no longer exists; OVS in the agent pod creates a new database.'),
    );
}

/** A stale pid file can make the next start of a daemon fail. */
function pidFile({files = []}: NodeModel, {name, running}: Daemon): PlanStep[] {
  if (running) return [];
  return files
    .filter(({path, exists}) => exists && nameOf(path) === `${name}.pid`)
    .map(({path}) => removeFile(path, `It is stale: ${name} is not running.`));
}

export function hasStalePid({subject: {node}}: NodeRepair): boolean {
  return daemonNames.some(name => pidFile(node, daemon(node, name)).length > 0);
}

/** Enables OVS on the switch. Only if ovs-vswitchd runs: otherwise the node's own packets would stop too. */
export function enableExtension({subject, network}: NodeRepair): PlanStep[] {
  if (!network || isOvsOn(subject.node, network.name)) return [];
  return [setOvsExtension(network.name, true, 'Without it OVS forwards no packets.')];
}

/** OVS supports one switch, and a switch one forwarding extension: disables the surplus extensions. */
export function oneExtension({subject, network, failed}: NodeRepair): PlanStep[] {
  const {node} = subject;
  if (!failed('hns/two-extensions') || !network) return [];
  const forwarding = (node.vmSwitchExtensions ?? []).filter(
    ({type, enabled}) => enabled && /^forwarding$/i.test(type ?? ''),
  );
  const surplus = forwarding.filter(row => isOvs(row) !== same(row.switchName ?? '', network.name));
  const steps = surplus.flatMap(({switchName, id}): PlanStep[] =>
    switchName === undefined
      ? []
      : [
          {
            do: 'vswitch.setExtension',
            with: {switchName, extensionId: id, enabled: false},
            why:
              id === ovsExtension
                ? 'OVS supports only one switch.'
                : 'A switch supports only one forwarding extension.',
          },
        ],
  );
  const {service} = daemon(node, 'ovs-vswitchd');
  if (steps.length === 0 || !service) return steps;
  // The call can hang while ovs-vswitchd is running (openvswitch/ovs-issues#108).
  return [
    stopService(service, 'Otherwise the next step may hang.'),
    ...steps,
    startService(service, 'The node network also requires it.'),
  ];
}
