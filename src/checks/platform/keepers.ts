import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';
import {nameOf} from '../../snapshot/paths.js';
import type {Service} from '../../snapshot/sections.js';
import {isPending, isStuck} from '../pending.js';
import {settling} from '../still-starting.js';

/** What runs only as long as its keeper does. */
const kept = ['cni/agent-pod', 'kube-proxy/expected', 'cluster/node-conditions', 'ovs/services'];
/** Programs of every node of which the helper lists all processes; those of plugins are in their footprints. */
const onEveryNode: readonly string[] = ['containerd', 'dockerd', 'kubelet', 'kube-proxy'];

export const keeperChecks: readonly Check[] = [
  check({
    id: 'platform/keeper',
    title: 'Service managers (RKE2, nssm) are running',
    failure: 'Service manager is stopped, or its program keeps exiting',
    severity: 'error',
    plugins: 'RKE2, nssm',
    needs: ['services'],
    appliesTo: subject => runsRke2(subject) || subject.node.services === undefined || wrapped(subject).length > 0,
    run: subject => [...rke2(subject), ...wrappers(subject)],
    explain: {
      meaning:
        'On most nodes a service manager starts kubelet, containerd, kube-proxy and the plugin agent, and restarts them when they exit: on RKE2 the service rke2, elsewhere nssm, which runs each of them as a service. The service manager is not running, or it is running and its program is not.',
      why: 'Someone stopped the service, it does not start at boot, or the program exits right after each start. nssm then waits longer before each restart, and shows the service as Paused meanwhile.',
      see: [
        'Get-Service rke2; Get-Process rke2, kubelet, containerd',
        "Get-EventLog -LogName Application -Source 'rke2' -Newest 50 | Format-Table -Property TimeGenerated, ReplacementStrings -Wrap",
        "Get-EventLog -LogName Application -Source 'nssm' -Newest 20",
        'nssm.exe get SERVICE Application',
      ],
      fix: [
        'Find out why the program exits: read its log and the event log.',
        'Start the service manager, not the program: Start-Service rke2, or Restart-Service NAME for an nssm service.',
      ],
      sources: ['https://docs.rke2.io/reference/windows_agent_config', 'https://nssm.cc/usage'],
    },
  }),
];

function runsRke2({node, object}: NodeSubject): boolean {
  const version = object?.status?.nodeInfo?.kubeletVersion ?? '';
  return version.includes('+rke2') || (node.services?.some(({name}) => same(name, 'rke2')) ?? false);
}

/** RKE2 runs containerd, kubelet, kube-proxy and the agent as its own processes: they end with it. */
function rke2(subject: NodeSubject<'services'>): Verdict[] {
  if (!runsRke2(subject)) return [];
  const {node} = subject;
  const service = node.services.find(({name}) => same(name, 'rke2'));
  if (service && same(service.state, 'Running')) return [];
  if (service && isPending(service) && isStuck(subject, service) !== true)
    return [unknown(`Service rke2 is changing state (${service.state}).`)];
  // It may run in a console instead of as a service.
  if (node.processes?.some(({name}) => name === 'rke2')) return [];
  if (!service && node.processes === undefined)
    return [unknown('There is no service rke2, and processes were not read.')];
  const verdict = fail(
    service
      ? `Service rke2 is ${service.state.toLowerCase()}: containerd, kubelet, kube-proxy and the plugin agent end with it.`
      : 'kubelet on this node is the one of RKE2, but there is no service rke2 that keeps it running.',
  )
    .because({
      section: 'services',
      object: 'rke2',
      field: 'State',
      seen: service?.exitCode ? `${service.state}, exit code ${service.exitCode}` : (service?.state ?? null),
      expected: 'Running',
    })
    .fixedBy(
      service
        ? manual(
            ...(same(service.startMode ?? '', 'Disabled') ? ['Set-Service rke2 -StartupType Automatic'] : []),
            'Start-Service rke2',
            "If it stops again: Get-EventLog -LogName Application -Source 'rke2' -Newest 50",
          )
        : manual('rke2.exe agent service --add', 'Start-Service rke2'),
    )
    .explaining(...kept);
  const reason = settling(subject);
  return [reason === undefined ? verdict : verdict.asInfo(`Still settling (${reason}): ${verdict.message}`)];
}

function wrapped({node}: NodeSubject): Service[] {
  return (node.services ?? []).filter(
    ({application, path}) => application !== undefined || /(^|[\\/"])nssm(-\w+)?\.exe/i.test(path ?? ''),
  );
}

function wrappers(subject: NodeSubject<'services'>): Verdict[] {
  const all = wrapped(subject);
  const throttled = all.filter(({state}) => same(state, 'Paused'));
  const empty = all.filter(service => isEmpty(subject, service));
  if (throttled.length + empty.length === 0) return [];
  const told = [
    ...(throttled.length > 0
      ? [`the program of ${serviceNames(throttled)} ends right after each start, so nssm waits with the next one`]
      : []),
    ...(empty.length > 0
      ? [`${serviceNames(empty)} ${empty.length === 1 ? 'runs' : 'run'}, but ${programs(empty)} does not`]
      : []),
  ];
  const sentence = `${told.join('; ')}.`;
  const verdict = fail(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`)
    .because(
      ...throttled.map(({name, state}) => ({
        section: 'services',
        object: name,
        field: 'State',
        seen: state,
        expected: 'Running',
      })),
      ...empty.map(({name, application}) => ({
        section: 'processes',
        object: programOf(application),
        seen: null,
        expected: `a process, started by service ${name}`,
      })),
    )
    .fixedBy(
      manual(
        "Get-EventLog -LogName Application -Source 'nssm' -Newest 20",
        ...[...throttled, ...empty].map(({name}) => `Restart-Service ${powerShellText(name)}`),
        'If it ends again, read its log: it says what it lacks.',
      ),
    )
    .following(...([...throttled, ...empty].every(isKubeProxy) ? ['hns/network-present'] : []));
  const reason = settling(subject);
  return [reason === undefined ? verdict : verdict.asInfo(`Still settling (${reason}): ${verdict.message}`)];
}

/** Its start script waits for the pods' network, and kube-proxy itself exits without it. */
const isKubeProxy = ({name, application}: Service) =>
  /^kube-?proxy$/i.test(name) || same(programOf(application), 'kube-proxy');

/** A wrapper that runs without the program that it is there for. */
function isEmpty(subject: NodeSubject, {state, application}: Service): boolean {
  const {processes} = subject.node;
  const program = programOf(application);
  if (!same(state, 'Running') || processes === undefined || !isListed(subject, program)) return false;
  return !processes.some(({name}) => name === program);
}

/** Whether the helper lists every process of a program: only then does no process mean that none runs. */
function isListed({plugin}: NodeSubject, program: string): boolean {
  return onEveryNode.includes(program) || plugin.known.some(({footprint}) => footprint.processes.includes(program));
}

const programOf = (application: string | undefined) =>
  nameOf((application ?? '').replaceAll('"', ''))
    .replace(/\.exe$/i, '')
    .toLowerCase();

const serviceNames = (services: readonly Service[]) =>
  `service${services.length === 1 ? '' : 's'} ${names(services.map(({name}) => name))}`;
const programs = (services: readonly Service[]) => names(services.map(({application}) => programOf(application)));
