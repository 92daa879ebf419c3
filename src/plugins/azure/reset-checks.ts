import {isoTime} from '../../lib/iso-time.js';
import {parseJson, property, textProperty} from '../../lib/json-properties.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, type Verdict} from '../../model/verdict.js';
import {fileNamed} from '../../snapshot/cni-conf.js';
import type {FileEntry} from '../../snapshot/sections.js';

const resetTask = 'k8s-restart-job';
/** The task waits for services to stop and, with dual stack, for an address. */
const runningTime = 5 * 60_000;

export const resetChecks: readonly Check[] = [
  check({
    id: 'cni/azure-reset-task',
    title: 'AKS cleans up the network at boot',
    failure: 'AKS does not clean up the network at boot',
    severity: 'warning',
    plugins: 'AKS',
    needs: ['files', 'scheduledTasks'],
    appliesTo: subject => runs('azure')(subject) && isAks(subject),
    run: subject => [taskVerdict(subject), configVerdict(subject)].filter(verdict => verdict !== undefined),
    explain: {
      meaning:
        'On AKS, the scheduled task k8s-restart-job runs at every boot. It removes the HNS network and the state file of Azure CNI together, before kubelet starts. The task is missing, is disabled, did not run after the last boot, or is configured for another CNI.',
      why: 'The task was disabled or failed, or the cluster used another CNI when the node was created.',
      see: [
        'Get-ScheduledTask -TaskName k8s-restart-job | Get-ScheduledTaskInfo',
        'Get-Item C:\\k\\windowsnodereset.log | Select-Object LastWriteTime',
        '(Get-CimInstance Win32_OperatingSystem).LastBootUpTime',
      ],
      fix: [
        'Enable-ScheduledTask -TaskName k8s-restart-job',
        'Drain the node and run the task once: Start-ScheduledTask -TaskName k8s-restart-job',
        'Or reimage the node: az aks nodepool upgrade --node-image-only',
      ],
      sources: [
        'https://github.com/Azure/AgentBaker/tree/master/staging/cse/windows',
        'https://github.com/Azure/azure-container-networking/pull/4551',
      ],
    },
  }),
];

const reimage = manual('Reimage the node, which sets up the task again: az aks nodepool upgrade --node-image-only');
const runNow = `Start-ScheduledTask -TaskName ${resetTask} (restarts kubelet and stops all pods on the node)`;

function isAks({node, object}: NodeSubject): boolean {
  const labelled = Object.keys(object?.metadata.labels ?? {}).some(key => key.startsWith('kubernetes.azure.com/'));
  return labelled || fileNamed(node, 'kubeclusterconfig.json') !== undefined;
}

function taskVerdict({node, now}: NodeSubject<'scheduledTasks'>): Verdict | undefined {
  const task = node.scheduledTasks.find(({name}) => name.toLowerCase() === resetTask);
  const object = resetTask;
  if (!task)
    return fail(`The scheduled task ${resetTask}, which cleans up the network at every boot, does not exist.`)
      .because({section: 'scheduledTasks', object, seen: null, expected: 'Ready'})
      .fixedBy(reimage);
  const log = fileNamed(node, 'windowsnodereset.log');
  const booted = node.os?.bootedAt;
  if (task.state?.toLowerCase() === 'disabled')
    return fail(`The scheduled task ${resetTask}, which cleans up the network at every boot, is disabled.`)
      .because(
        {section: 'scheduledTasks', object, field: 'State', seen: task.state, expected: 'Ready'},
        ...logEvidence(log, booted),
      )
      .fixedBy(manual(`Enable-ScheduledTask -TaskName ${resetTask}`, runNow));
  // A node that was never rebooted has no log yet.
  if (log?.writtenAt === undefined || booted === undefined) return undefined;
  if (log.writtenAt >= booted || now - booted < runningTime) return undefined;
  return fail(`The scheduled task ${resetTask} has not run since the boot, so leftovers from before the boot remain.`)
    .because(...logEvidence(log, booted))
    .fixedBy(manual(runNow));
}

/** The cleanup handles only the CNI that the node was created with. */
function configVerdict({node}: NodeSubject): Verdict | undefined {
  const config = fileNamed(node, 'kubeclusterconfig.json');
  const cni = textProperty(property(parseJson(config?.content), 'Cni'), 'Name');
  if (!config || cni === undefined || cni.toLowerCase() === 'azure') return undefined;
  return fail(`The CNI in ${config.path} is ${cni}, so the cleanup at boot skips the objects of Azure CNI.`)
    .because({section: 'files', object: config.path, field: 'Cni.Name', seen: cni, expected: 'azure'})
    .fixedBy(reimage);
}

function logEvidence(log: FileEntry | undefined, booted: number | undefined) {
  if (log?.writtenAt === undefined || booted === undefined) return [];
  return [
    {
      section: 'files',
      object: log.path,
      field: 'LastWriteTime',
      seen: isoTime(log.writtenAt),
      expected: `later than the boot, ${isoTime(booted)}`,
    },
  ];
}
