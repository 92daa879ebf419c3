import {type Check, check, type NodeSubject} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {type Evidence, fail, unknown, type Verdict} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {FileEntry} from '../../snapshot/sections.js';
import {isPending, isStuck} from '../pending.js';
import {settling} from '../still-starting.js';
import {isOvs} from './extension-ids.js';

const daemons = ['ovsdb-server', 'ovs-vswitchd'] as const;

const consequence = {
  'ovsdb-server': 'so the bridges can be neither read nor changed',
  'ovs-vswitchd': 'so pod traffic is not forwarded',
} as const;

export const daemonChecks: readonly Check[] = [
  check({
    id: 'ovs/driver',
    title: 'OVS driver is installed once',
    failure: 'OVS driver is missing or installed twice',
    severity: 'error',
    blocksRepair: true,
    plugins: 'Antrea, Kube-OVN',
    needs: ['drivers'],
    appliesTo: usesOvs,
    run({node}) {
      const {installed, inf} = node.drivers.ovsext;
      const packages = [...new Set(inf.map(name => name.toLowerCase()))];
      // The output of netcfg is localised; a switch that lists the extension is better evidence.
      if (installed === false && !isListed(node)) {
        return fail('The OVS driver ovsext is not installed, so OVS cannot use a switch on this node.')
          .because({section: 'drivers', object: 'ovsext', field: 'Installed', seen: false, expected: true})
          .fixedBy(installDriver);
      }
      if (packages.length > 1) {
        return fail(
          `The OVS driver is in the driver store ${packages.length} times (${packages.join(', ')}): Windows may load the wrong one.`,
        )
          .because({section: 'drivers', object: 'ovsext', field: 'Inf', seen: packages, expected: 'one package'})
          .fixedBy(installDriver);
      }
      if (installed === undefined && !isListed(node))
        return unknown('Windows did not report whether ovsext is installed.');
      return undefined;
    },
    explain: {
      meaning:
        'OVS works on Windows through a kernel driver, ovsext, which appears as "Open vSwitch Extension" on virtual switches. Without it, or with two versions in the driver store, OVS cannot use a switch.',
      why: 'The driver was not installed on this node, its installation failed (an untrusted certificate, a path inside a container), or an upgrade left the old package behind.',
      see: ['netcfg -q ovsext', 'pnputil.exe /enum-drivers', 'Get-VMSystemSwitchExtension'],
      fix: [
        'Make sure that you have console access: uninstalling a driver in use interrupts the node network.',
        'netcfg -u ovsext (only if an old version is installed)',
        'pnputil.exe -d oemNN.inf, for each package of ovsext.inf',
        'Reinstall it: Install-OVS.ps1 for Antrea (in containerized mode restart the agent pod: its init container installs the driver), OpenvSwitch.msi for Kube-OVN.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
        'https://github.com/antrea-io/antrea/blob/main/hack/windows/Install-OVS.ps1',
      ],
    },
  }),

  check({
    id: 'ovs/services',
    title: 'OVS daemons are running',
    failure: 'OVS daemons are not running',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    plugins: 'plugins on OVS',
    needs: ['services'],
    consequenceOf: ['ovs/driver', 'ovs/stale-bridge'],
    appliesTo: usesOvs,
    run(subject) {
      const {plugin} = subject;
      const verdicts = daemons.map(name => diagnose(name, subject)).filter(verdict => verdict !== undefined);
      // In the agent pod, the daemons start with the pod, some time after the boot.
      const reason = plugin.profile.ovs?.inPod ? settling(subject) : undefined;
      if (reason === undefined) return verdicts;
      return verdicts.map(verdict =>
        verdict.outcome === 'fail' ? verdict.asInfo(`Still settling (${reason}): ${verdict.message}`) : verdict,
      );
    },
    explain: {
      meaning:
        'OVS consists of two programs: ovsdb-server stores the configuration, and ovs-vswitchd runs the bridges. One of them is not running. If the OVS extension is enabled and ovs-vswitchd is not running, the node itself has no network.',
      why: 'After a reboot ovs-vswitchd can fail on rows of bridges whose switch no longer exists, or on an old PID file. A service can also be deleted, disabled, or waiting for ovsdb-server. If OVS runs in the agent pod there are no services; then the processes count.',
      see: [
        'Get-Service ovsdb-server, ovs-vswitchd',
        'Get-Process ovsdb-server, ovs-vswitchd',
        'Get-Content C:\\openvswitch\\var\\log\\openvswitch\\ovs-vswitchd.log -Tail 20',
      ],
      fix: [
        'Remove-Item C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid (only while no ovs-vswitchd runs)',
        'Start-Service ovsdb-server; Start-Service ovs-vswitchd',
        'If ovs-vswitchd stops again and the HNS network does not exist: ovs-vsctl.exe --no-wait --if-exists del-br br-int, then start it again.',
        'In containerized mode delete the agent pod on this node; its replacement starts both.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/issues/4721',
        'https://github.com/antrea-io/antrea/issues/1528',
        'https://github.com/antrea-io/antrea/blob/main/hack/windows/Clean-AntreaNetwork.ps1',
      ],
    },
  }),
];

const installDriver = manual(
  'Antrea, OVS as services: .\\Install-OVS.ps1 -InstallUserspace $true (add -LocalFile for your own signed package)',
  'Antrea, OVS in the pod: kubectl -n kube-system rollout restart daemonset/antrea-agent-windows (its init container installs the driver)',
  'Kube-OVN: run OpenvSwitch.msi from its Windows package again',
);

/** Whether a switch lists the extension, which means that the driver is installed. */
function isListed({vmSwitchExtensions, hnsNetworks}: NodeModel): boolean {
  return (
    (vmSwitchExtensions?.some(isOvs) ?? false) || (hnsNetworks?.some(({extensions}) => extensions.some(isOvs)) ?? false)
  );
}

type Daemon = (typeof daemons)[number];

const serviceOf = (name: Daemon, {services}: NodeModel) => services?.find(its => same(its.name, name));

const isUp = (name: Daemon, node: NodeModel): boolean =>
  same(serviceOf(name, node)?.state ?? '', 'Running') ||
  (node.processes?.some(process => process.name === name) ?? false);

/** Whether a daemon is certainly stopped; false if services or processes were not read. */
export const isDown = (name: Daemon, node: NodeModel): boolean =>
  node.services !== undefined && node.processes !== undefined && !isUp(name, node);

function diagnose(name: Daemon, subject: NodeSubject): Verdict | undefined {
  const {node} = subject;
  const service = serviceOf(name, node);
  if (isUp(name, node)) return undefined;
  if (!service && !node.processes) return unknown(`Service ${name} does not exist, and the processes were not read.`);
  if (service && isPending(service) && isStuck(subject, service) !== true)
    return unknown(`Service ${name} is changing state (${service.state}).`);
  const pidFile = stalePid(name, node);
  const state = service
    ? `${service.state.toLowerCase()}${service.exitCode ? ` (exit code ${service.exitCode})` : ''}${
        service.startMode === 'Disabled' ? ' and disabled' : ''
      }`
    : 'neither installed as a service nor running as a process';
  return fail(
    `${name} is ${state}, ${consequence[name]}.${pidFile ? ' Its pid file refers to a process that no longer exists.' : ''}`,
  )
    .because(
      service
        ? {section: 'services', object: name, field: 'State', seen: service.state, expected: 'Running'}
        : {section: 'services', object: name, seen: null, expected: 'a running service, or a process'},
      ...(pidFile ? [pidFile] : []),
    )
    .fixedBy(cleanupRemedy(node));
}

/** A stale pid file of a stopped daemon can make its next start fail. */
function stalePid(name: string, {files}: NodeModel): Evidence | undefined {
  const isIts = ({path, exists}: FileEntry) => exists && path.toLowerCase().endsWith(`\\${name}.pid`);
  const file = files?.find(isIts);
  return (
    file && {
      section: 'files',
      object: file.path,
      field: 'Content',
      seen: file.content?.trim() ?? 'a process id',
      expected: 'no file, or the id of a running process',
    }
  );
}
