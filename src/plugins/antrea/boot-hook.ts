import {type Check, check} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import type {NodeModel} from '../../snapshot/node.js';

const startKubelet = /[\\/]StartKubelet\.ps1$/i;
/** The script itself, or the scripts and functions it calls. */
const preparation = /Prepare-?AntreaAgent|Clean-?AntreaNetwork|Start-OVSServices|^kubectl-win-boot$/i;

export const bootChecks: readonly Check[] = [
  check({
    id: 'cni/antrea-boot-hook',
    title: 'A startup task cleans up after a reboot',
    failure: 'No startup task cleans up after a reboot',
    severity: 'warning',
    plugins: 'Antrea',
    needs: ['files'],
    appliesTo: runs('antrea'),
    run({node, plugin}) {
      const script = node.files.find(({path, exists}) => exists && startKubelet.test(path));
      if (isInScript(script?.content) || isTask(node)) return undefined;
      if (!node.scheduledTasks)
        return unknown('Scheduled tasks were not read, and StartKubelet.ps1 does not run the cleanup.');
      if (!script) return unknown('StartKubelet.ps1 does not exist on this node: other startup scripts are unknown.');
      if (script.content === undefined) return unknown(`The content of ${script.path} was not read.`);
      const mode = plugin.profile.ovs?.inPod ? ' -RunOVSServices $false' : '';
      return fail(
        'Neither StartKubelet.ps1 nor a scheduled task runs Prepare-AntreaAgent.ps1: after the next reboot stale OVS bridges may keep Antrea from starting.',
      )
        .because(
          {
            section: 'files',
            object: script.path,
            seen: 'no call to Prepare-AntreaAgent.ps1',
            expected: 'a call to Prepare-AntreaAgent.ps1',
          },
          {
            section: 'scheduledTasks',
            object: 'PrepareAntreaAgent',
            seen: node.scheduledTasks.map(({name}) => name),
            expected: 'a task PrepareAntreaAgent that runs at startup, or the call in StartKubelet.ps1',
          },
        )
        .fixedBy(
          manual(
            // A task on the node cannot access OVS in a pod.
            ...(plugin.profile.ovs?.inPod
              ? []
              : ['Install a startup task: kubectl win helper install --cleanup-on-boot']),
            `${plugin.profile.ovs?.inPod ? 'Add' : 'Or add'} this line to ${script.path}, before kubelet.exe starts: & C:\\k\\antrea\\Prepare-AntreaAgent.ps1${mode}`,
          ),
        );
    },
    explain: {
      meaning:
        'A reboot removes the Antrea network from HNS, but not its bridge from OVS. Antrea provides Prepare-AntreaAgent.ps1 to clean this up. The script must run at every boot, before the agent starts. Nothing on this node runs it.',
      why: 'The step was skipped when the node was set up, or an update of the scripts in C:\\k removed it.',
      see: [
        'Select-String -Path C:\\k\\StartKubelet.ps1 -Pattern Prepare-AntreaAgent',
        'Get-ScheduledTask -TaskName PrepareAntreaAgent',
      ],
      fix: [
        'If OVS runs as services, install a startup task: kubectl win helper install --cleanup-on-boot',
        'Or copy Prepare-AntreaAgent.ps1 and Clean-AntreaNetwork.ps1 of your Antrea version to C:\\k\\antrea.',
        'Call the script in C:\\k\\StartKubelet.ps1 before kubelet starts: & C:\\k\\antrea\\Prepare-AntreaAgent.ps1 (with -RunOVSServices $false if OVS runs in the agent pod)',
        'Or register a job that runs it at startup: Register-ScheduledJob -Name PrepareAntreaAgent -Trigger (New-JobTrigger -AtStartup) -ScriptBlock { C:\\k\\antrea\\Prepare-AntreaAgent.ps1 } -ScheduledJobOption (New-ScheduledJobOption -RunElevated)',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md#4-prepare-node-environment-needed-by-antrea-agent',
      ],
    },
  }),
];

/** Whether a line other than a comment calls it. */
function isInScript(content: string | undefined): boolean {
  return (content ?? '').split('\n').some(line => !line.trimStart().startsWith('#') && preparation.test(line));
}

/** Any task whose name refers to the cleanup counts. State 1 means Disabled. */
function isTask({scheduledTasks}: NodeModel): boolean {
  return (
    scheduledTasks?.some(({name, state}) => preparation.test(name) && !/^(disabled|1)$/i.test(state ?? '')) ?? false
  );
}
