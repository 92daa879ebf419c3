import * as Flags from '@oclif/core/flags';
import type {Answer} from '../../cli/answer.js';
import {connectionOf, inspectionOf, WinCommand} from '../../cli/command.js';
import {installRoles} from '../../cli/endings.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag, timeoutFlag} from '../../cli/flags.js';
import {WinError} from '../../lib/errors.js';
import type {BootPorts, OnBootOptions} from '../../services/boot/boot-tasks.js';

export default class HelperInstall extends WinCommand {
  static override summary = 'Install the helper on all Windows nodes as a DaemonSet';
  static override description =
    `For clusters that are inspected often: commands then start no pods. Waits until the helper runs on all Windows nodes,
up to --helper-timeout. If a pod does not start, it shows the reason.

With --cleanup-on-boot each node also gets a scheduled task that repairs its network after every boot, unattended: it
waits for the network to recover and, if it does not, runs steps of the levels soft and medium that are shown here for
approval. Nodes where no task can help are listed with the reason. Run the command again for nodes added later.`;
  static override exitCodes = {
    0: 'installed',
    2: 'invalid usage, or declined',
    3: 'access denied',
    4: 'a node could not be reached, or has no helper yet',
  };
  static override roles = installRoles;
  static override rolesNote =
    'create on namespaces where that of the helpers does not exist yet; with --cleanup-on-boot also kubectl-win-look';
  static override examples = [
    {description: 'Install the helper', command: 'kubectl win helper install'},
    {description: 'Use another namespace', command: 'kubectl win helper install --helper-namespace ops'},
    {
      description: 'Print the manifests and apply them with kubectl',
      command: 'kubectl win helper install --dry-run=client | kubectl apply --server-side -f -',
    },
    {
      description: 'Show what nodes would do at boot, then enable it',
      command:
        'kubectl win helper install --cleanup-on-boot --dry-run=client\nkubectl win helper install --cleanup-on-boot',
    },
  ];
  static override flags = {
    'cleanup-on-boot': Flags.boolean({
      summary: 'Also install a task on each node that repairs its network after every boot',
    }),
    'dry-run': Flags.option({options: ['client'] as const})({
      summary: 'client: only show the objects; with --cleanup-on-boot, the steps at boot',
    }),
    output: outputFlag(['text', 'json', 'yaml'], 'Output format of --dry-run'),
    yes: Flags.boolean({char: 'y', summary: 'Do not ask for confirmation'}),
    timeout: timeoutFlag(10),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<Answer> {
    const {flags} = await this.parse(HelperInstall);
    const dryRun = flags['dry-run'] !== undefined;
    if (flags.output !== undefined && !dryRun)
      throw new WinError('--output requires --dry-run.', {next: ['Give --dry-run=client with it.']});
    if (flags['cleanup-on-boot']) return this.#onBoot({...inspectionOf([], flags), dryRun, yes: flags.yes});
    const [{fleetManifests, installExitCode, installFleet}, {installedView, manifestsView}] = await Promise.all([
      import('../../services/helper-fleet.js'),
      import('../../view/text/helper-fleet.js'),
    ]);
    const place = {namespace: flags['helper-namespace'], image: flags['helper-image']};
    if (dryRun) return {result: fleetManifests(place), view: manifestsView};
    const timeoutMs = flags['helper-timeout'];
    const result = await this.interruptible(signal => installFleet(connectionOf(flags), {...place, timeoutMs, signal}));
    return {result, view: installedView, exitCode: installExitCode(result)};
  }

  async #onBoot(options: OnBootOptions): Promise<Answer> {
    const [{onBootExitCode, setBootTasks}, {onBootView, renderForBoots}, {askYesOf}] = await Promise.all([
      import('../../services/boot/boot-tasks.js'),
      import('../../view/text/boot.js'),
      import('../../view/consent.js'),
    ]);
    const ports: BootPorts = {
      openProgress: () => this.openProgress({quiet: true}),
      askYes: askYesOf(this.streams),
      showPlans: nodes => this.streams.err.write(`${renderForBoots(nodes, this.textOptions)}\n`),
    };
    const result = await this.interruptible(signal => setBootTasks(options, ports, signal));
    return {result, view: onBootView, exitCode: onBootExitCode(result)};
  }
}
