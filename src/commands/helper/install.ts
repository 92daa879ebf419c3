import * as Flags from '@oclif/core/flags';
import type {Answer} from '../../cli/answer.js';
import {connectionOf, inspectionOf, WinCommand} from '../../cli/command.js';
import {installRoles} from '../../cli/endings.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag, timeoutFlag} from '../../cli/flags.js';
import {WinError} from '../../lib/errors.js';
import type {BootPorts, OnBootOptions} from '../../services/boot/boot-tasks.js';

export default class HelperInstall extends WinCommand {
  static override summary = 'Keep the helper on all Windows nodes as a DaemonSet, for fleets that are looked at often';
  static override description =
    `Waits until the helper runs on all Windows nodes, for --helper-timeout at most. Where no pod comes up, it shows what the
cluster says about it.

With --cleanup-on-boot each node also gets a scheduled task that repairs its network after every boot without a person:
it waits for the network to come back by itself and, where it does not, carries out steps of levels soft and medium that
you have seen here. Nodes where no task could help are named, with the reason. Run it again for nodes that came later.`;
  static override exitCodes = {
    0: 'installed',
    2: 'usage, or declined',
    3: 'access denied',
    4: 'a node could not be reached, or has no helper yet',
  };
  static override roles = installRoles;
  static override rolesNote =
    'create on namespaces where that of the helpers is not there yet; with --cleanup-on-boot also kubectl-win-look';
  static override examples = [
    {description: 'Keep a helper on every Windows node', command: 'kubectl win helper install'},
    {description: 'In a namespace of your own', command: 'kubectl win helper install --helper-namespace ops'},
    {
      description: 'Apply the manifests yourself',
      command: 'kubectl win helper install --dry-run=client | kubectl apply --server-side -f -',
    },
    {
      description: 'See what nodes would do at a boot, then let them',
      command:
        'kubectl win helper install --cleanup-on-boot --dry-run=client\nkubectl win helper install --cleanup-on-boot',
    },
  ];
  static override flags = {
    'cleanup-on-boot': Flags.boolean({summary: 'Also let nodes repair their network at every boot by themselves'}),
    'dry-run': Flags.option({options: ['client'] as const})({
      summary: 'Only show what would be made; with --cleanup-on-boot, what nodes would do at a boot',
    }),
    output: outputFlag(['text', 'json', 'yaml'], 'Format of what --dry-run shows'),
    yes: Flags.boolean({char: 'y', summary: 'Do not ask'}),
    timeout: timeoutFlag(10),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<Answer> {
    const {flags} = await this.parse(HelperInstall);
    const dryRun = flags['dry-run'] !== undefined;
    if (flags.output !== undefined && !dryRun)
      throw new WinError('--output is the format of what --dry-run shows.', {next: ['Give --dry-run=client with it.']});
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
