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

/** Checks of what stops together with its service manager. */
const kept = ['cni/agent-pod', 'kube-proxy/expected', 'cluster/node-conditions', 'ovs/services'];
/** Programs on every node whose processes the helper always lists; those of plugins are in their footprints. */
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
      why: 'The service was stopped, it does not start at boot, or the program exits right after each start. In that case nssm waits longer before each restart and shows the service as Paused.',
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

/** RKE2 runs containerd, kubelet, kube-proxy and the agent as child processes: they stop with it. */
function rke2(subject: NodeSubject<'services'>): Verdict[] {
  if (!runsRke2(subject)) return [];
  const {node} = subject;
  const service = node.services.find(({name}) => same(name, 'rke2'));
  if (service && same(service.state, 'Running')) return [];
  if (service && isPending(service) && isStuck(subject, service) !== true)
    return [unknown(`Service rke2 is changing state (${service.state}).`)];
  // It may have been started in a console instead of as a service.
  if (node.processes?.some(({name}) => name === 'rke2')) return [];
  if (!service && node.processes === undefined)
    return [unknown('Service rke2 does not exist, and processes were not read.')];
  const verdict = fail(
    service
      ? `Service rke2 is ${service.state.toLowerCase()}: containerd, kubelet, kube-proxy and the plugin agent stop with it.`
      : 'This node uses the kubelet of RKE2, but service rke2, which keeps it running, does not exist.',
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
  const problems = [
    ...(throttled.length > 0
      ? [`the program of ${serviceNames(throttled)} exits right after each start, so nssm delays the next start`]
      : []),
    ...(empty.length > 0
      ? [`${serviceNames(empty)} ${empty.length === 1 ? 'is' : 'are'} running, but ${programs(empty)} is not`]
      : []),
  ];
  const sentence = `${problems.join('; ')}.`;
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
        'If the program exits again, read its log for the reason.',
      ),
    )
    .following(...([...throttled, ...empty].every(isKubeProxy) ? ['hns/network-present'] : []));
  const reason = settling(subject);
  return [reason === undefined ? verdict : verdict.asInfo(`Still settling (${reason}): ${verdict.message}`)];
}

/** Its start script waits for the pod network, and kube-proxy itself exits without it. */
const isKubeProxy = ({name, application}: Service) =>
  /^kube-?proxy$/i.test(name) || same(programOf(application), 'kube-proxy');

/** A running wrapper service whose program is not running. */
function isEmpty(subject: NodeSubject, {state, application}: Service): boolean {
  const {processes} = subject.node;
  const program = programOf(application);
  if (!same(state, 'Running') || processes === undefined || !isListed(subject, program)) return false;
  return !processes.some(({name}) => name === program);
}

/** Whether the helper lists all processes of a program: only then a missing process means that it is not running. */
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
