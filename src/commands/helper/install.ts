import * as Flags from '@oclif/core/flags';
import type {Answer} from '../../cli/answer.js';
import {connectionOf, inspectionOf, WinCommand} from '../../cli/command.js';
import {installRoles} from '../../cli/exit-codes-and-roles.js';
import {clusterFlags, duration, generalFlags, helperFlags, outputFlag, timeoutFlag} from '../../cli/flags.js';
import type {FleetStart} from '../../helper/fleet-start.js';
import {WinError} from '../../lib/errors.js';
import type {BootPorts, OnBootOptions} from '../../services/boot/boot-tasks.js';

export default class HelperInstall extends WinCommand {
  static override summary = 'Install the helper on all Windows nodes as a DaemonSet';
  static override description =
    `For clusters that are inspected often: commands then use the installed helper and start no pods. Waits until the
helper runs on all Windows nodes, up to --helper-timeout. If no pod starts, it shows the reason.

With --cleanup-on-boot each node also gets a scheduled task that repairs its network after every boot, unattended. The
task waits for the network to recover. If it does not, the task runs steps of the levels soft and medium, which are
shown here for approval. Nodes without a task are listed with the reason. Run the command again for nodes added later.`;
  static override exitCodes = {
    0: 'installed',
    2: 'invalid usage, or declined',
    3: 'access denied',
    4: 'a node could not be reached, or has no helper yet',
  };
  static override roles = installRoles;
  static override rolesNote =
    'create on namespaces if the helper namespace does not exist; with --cleanup-on-boot also kubectl-win-look';
  static override examples = [
    {description: 'Install the helper', command: 'kubectl win helper install'},
    {
      description: 'Read all nodes every five minutes, and diagnose the stored snapshots',
      command: 'kubectl win helper install --interval 5m\nkubectl win doctor --max-age 10m',
    },
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
    interval: duration({summary: 'How often each helper reads its node and stores a snapshot for doctor --max-age'}),
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
    if (flags.output !== undefined && !dryRun) throw new WinError('--output requires --dry-run=client.');
    if (flags['cleanup-on-boot']) return this.#onBoot({...inspectionOf([], flags), dryRun, yes: flags.yes});
    const [{fleetManifests, installExitCode, installFleet}, {installedView, manifestsView}] = await Promise.all([
      import('../../services/helper-fleet.js'),
      import('../../view/text/helper-fleet.js'),
    ]);
    const place = {
      namespace: flags['helper-namespace'],
      image: flags['helper-image'],
      intervalSeconds: intervalOf(flags.interval),
    };
    if (dryRun) return {result: fleetManifests(place), view: manifestsView};
    const timeoutMs = flags['helper-timeout'];
    const onProgress = this.#rollout();
    const result = await this.interruptible(signal =>
      installFleet(connectionOf(flags), {...place, timeoutMs, onProgress, signal}),
    );
    return {result, view: installedView, exitCode: installExitCode(result)};
  }

  /** Reports the progress of the rollout when it changes. */
  #rollout(): (start: FleetStart) => void {
    let said = -1;
    return ({ready, desired}) => {
      if (ready === said || ready >= desired) return;
      said = ready;
      this.say(`The helper runs on ${ready} of ${desired} Windows nodes…`);
    };
  }

  async #onBoot(options: OnBootOptions): Promise<Answer> {
    const [{onBootExitCode, setBootTasks}, {onBootView, renderForBoots}, {askYesOf}] = await Promise.all([
      import('../../services/boot/boot-tasks.js'),
      import('../../view/text/on-boot.js'),
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

/** In whole seconds. Reading a node takes several seconds, so shorter intervals would keep it busy. */
function intervalOf(ms: number | undefined): number | undefined {
  if (ms === undefined) return undefined;
  if (ms >= 30_000 && ms <= 86_400_000) return Math.round(ms / 1000);
  throw new WinError('--interval must be between 30s and 24h.');
}
