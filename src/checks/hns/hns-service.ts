import {type Check, check, type NodeSubject} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import type {NodeModel} from '../../snapshot/node.js';
import {type SectionName, sectionNames} from '../../snapshot/section-names.js';
import type {Service} from '../../snapshot/sections.js';
import {isStuck} from '../pending.js';
import {serviceNamed} from './crash.js';

const manyThreads = 200;
const tooManyThreads = 1000;
/** Maximum duration of a call to HNS; the same limit as in Microsoft's watchdog (hnsautomitigator). */
const maxCallMs = 5000;
const hnsSections: readonly SectionName[] = ['hnsService', 'hnsNetworks', 'hnsEndpoints', 'hnsPolicyLists'];

export const hnsServiceChecks: readonly Check[] = [
  check({
    id: 'hns/service',
    title: 'Host Network Service is running',
    failure: 'Host Network Service is not running',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    needs: ['services'],
    run(subject) {
      const {node} = subject;
      const hns = serviceNamed(node, 'hns');
      if (!hns && node.hnsNetworks)
        return unknown('Service hns was not found among the services that were read, but HNS responded.');
      const vfp = serviceNamed(node, 'vfpext');
      // Plugins that do not use OVS require VFP.
      const needsVfp = subject.plugin.profile.network !== undefined && !usesOvs(subject);
      return [
        ...(hns?.state === 'Running' ? [] : [notRunning(subject, 'hns', hns, 'pods cannot get a network')]),
        ...(vfp && vfp.state !== 'Running' && needsVfp
          ? [notRunning(subject, 'vfpext', vfp, 'the switch does not forward pod traffic')]
          : []),
      ];
    },
    explain: {
      meaning:
        'The Host Network Service (service hns) creates every pod network on Windows, and most switches forward with the driver vfpext. One of them is not running, so networks, endpoints and load balancers can be neither created nor read.',
      why: 'The service crashed and was not restarted, was disabled, or the Containers feature is not installed.',
      see: ['Get-Service hns, vfpext', 'Get-WindowsFeature Containers', 'sc.exe query vfpext'],
      fix: [
        'Start-Service hns',
        'Then restart kube-proxy and the plugin agent: both lose their HNS objects.',
        'Service missing: Install-WindowsFeature Containers, and reboot.',
      ],
      sources: ['https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/collectlogs.ps1'],
    },
  }),

  check({
    id: 'hns/threads',
    title: 'Host Network Service has a normal number of threads',
    failure: 'Host Network Service has too many threads',
    severity: 'error',
    repair: {level: 'hard', effect: 'cut', restarts: 'agent'},
    needs: [],
    consequenceOf: ['hns/responds'],
    run({node}) {
      const threads = threadsOf(node);
      if (threads === undefined) return unknown('The number of HNS threads is unknown.');
      if (threads <= manyThreads) return undefined;
      const stuck = threads > tooManyThreads;
      return fail(
        stuck
          ? `HNS has ${threads} threads: it is deadlocked, and calls to it hang.`
          : `HNS has ${threads} threads, far more than normal: it may be about to deadlock.`,
      )
        .because({
          section: node.hnsService?.threads === undefined ? 'processes' : 'hnsService',
          object: 'hns',
          field: 'ThreadCount',
          seen: threads,
          expected: `at most ${manyThreads}`,
        })
        .as(stuck ? 'error' : 'warning')
        .fixedBy(cleanupRemedy(node, {cuts: true}));
    },
    explain: {
      meaning:
        'HNS normally uses a few dozen threads. Each call that waits for a lock keeps one. More than 200 threads mean that calls are blocked; more than 1000 mean a deadlock.',
      why: 'A driver below HNS (VFP, the switch, an old OVS driver) does not return, or many pods were created and deleted at once.',
      see: ['(Get-Process -Id (Get-CimInstance Win32_Service -Filter "Name=\'hns\'").ProcessId).Threads.Count'],
      fix: [
        'Drain the node.',
        'Stop-Process -Force -Id (Get-CimInstance Win32_Service -Filter "Name=\'hns\'").ProcessId; Start-Service hns',
        'Restart kube-proxy, then the agent. If the number of threads rises again, reboot.',
      ],
      sources: ['https://github.com/microsoft/SDN/tree/master/Kubernetes/windows/debug/hnsautomitigator'],
    },
  }),

  check({
    id: 'hns/responds',
    title: 'Host Network Service responds',
    failure: 'Host Network Service does not respond',
    severity: 'error',
    repair: {level: 'hard', effect: 'cut', restarts: 'agent'},
    needs: [],
    consequenceOf: ['hns/service'],
    run({node}) {
      const silent = hnsSections.filter(section => node.errors[section]?.kind === 'Timeout');
      // If the node does not respond at all, the state of HNS is unknown.
      if (silent.length > 0 && !sectionNames.some(section => node[section] !== undefined))
        return unknown('Undetermined: the node did not respond in time.');
      const slow = node.hnsService?.respondedMs;
      if (silent.length > 0)
        return fail('HNS does not respond: pods can be neither started nor removed.')
          .because(
            ...silent.map(section => ({
              section,
              object: 'HNS',
              seen: node.errors[section]?.message,
              expected: 'a response in time',
            })),
          )
          .fixedBy(cleanupRemedy(node, {cuts: true}));
      if (slow !== undefined && slow >= maxCallMs)
        return fail(`HNS took ${slow} ms for a simple call: it is overloaded or may hang soon.`)
          .because({
            section: 'hnsService',
            object: 'HNS',
            field: 'RespondedMs',
            seen: slow,
            expected: `below ${maxCallMs}`,
          })
          .fixedBy(cleanupRemedy(node, {cuts: true}));
      if (slow === undefined) return unknown(node.errors.hnsService?.message || 'No call to HNS was timed.');
      return undefined;
    },
    explain: {
      meaning:
        'HNS took longer than five seconds for a call that normally takes milliseconds, or did not respond. While it hangs, pods cannot be started or deleted, and its networks cannot be read. The networks may still exist.',
      why: 'A deadlock in HNS or in a driver below it. Known causes are old OVS drivers and a very large number of load balancers.',
      see: [
        'Wait-Job (Start-Job { Get-HnsEndpoint }) -Timeout 5',
        '(Get-Process -Id (Get-CimInstance Win32_Service -Filter "Name=\'hns\'").ProcessId).Threads.Count',
      ],
      fix: [
        'Drain the node.',
        'Stop-Process -Force -Id (Get-CimInstance Win32_Service -Filter "Name=\'hns\'").ProcessId; Start-Service hns',
        'Restart kube-proxy, then the agent. If that does not help, reboot.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/issues/4702',
        'https://github.com/kubernetes/kubernetes/issues/110849',
        'https://github.com/microsoft/SDN/tree/master/Kubernetes/windows/debug/hnsautomitigator',
      ],
    },
  }),
];

function notRunning(subject: NodeSubject, name: string, service: Service | undefined, consequence: string) {
  const {node} = subject;
  if (service && isStuck(subject, service) === false)
    return unknown(`Service ${name} is changing state (${service.state}).`);
  const state = service
    ? `is ${service.state}${service.startMode === 'Disabled' ? ' and disabled' : ''}`
    : 'does not exist';
  return fail(`Service ${name} ${state}: ${consequence}.`)
    .because({section: 'services', object: name, field: 'State', seen: service?.state ?? null, expected: 'Running'})
    .fixedBy(cleanupRemedy(node));
}

function threadsOf(node: NodeModel): number | undefined {
  if (node.hnsService?.threads !== undefined) return node.hnsService.threads;
  const pid = serviceNamed(node, 'hns')?.processId;
  const isHns = ({service, id}: {service: string | undefined; id: number | undefined}) =>
    service?.toLowerCase() === 'hns' || (pid !== undefined && pid !== 0 && id === pid);
  return node.processes?.find(isHns)?.threads;
}
