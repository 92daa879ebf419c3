import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {inspectionOf, WinCommand} from '../../cli/command.js';
import {clusterExitCodes, inspectRoles} from '../../cli/exit-codes-and-roles.js';
import {clusterFlags, duration, generalFlags, helperFlags, nodeFlags} from '../../cli/flags.js';
import {WinError} from '../../lib/errors.js';
import type {InspectOptions} from '../../session/inspection.js';

export default class Dashboard extends WinCommand {
  static override summary = 'Interactive dashboard: findings, topology, tables, logs and repairs';
  static override description =
    `Press ? for help. Everything it shows is also available non-interactively: doctor, inspect, cleanup --dry-run, and
collect for logs and journals.`;
  static override exitCodes = clusterExitCodes;
  static override roles = inspectRoles;
  static override rolesNote = 'to repair nodes also kubectl-win-repair; none with --from';
  static override examples = [
    {description: 'All Windows nodes', command: 'kubectl win dashboard'},
    {
      description: 'Select nodes by label, refresh every minute',
      command: 'kubectl win dashboard -l pool=win --auto --interval 1m',
    },
    {description: 'Use a bundle', command: 'kubectl win dashboard --from bundle.tar.gz'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Windows nodes (default: all)'})};
  static override flags = {
    from: Flags.string({
      summary:
        'Show a snapshot file or a bundle instead of a live cluster; - is not supported (stdin is used for keys)',
      helpValue: '<file>',
      exclusive: ['auto', 'selector'],
    }),
    auto: Flags.boolean({summary: 'Refresh all nodes automatically'}),
    interval: duration({summary: 'Refresh interval', default: 60_000, defaultHelp: async () => '1m'}),
    timeout: duration({summary: 'Timeout for one refresh', default: 15 * 60_000, defaultHelp: async () => '15m'}),
    ...nodeFlags,
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    performance.mark('command');
    const {flags, argv} = await this.parse(Dashboard);
    const {runDashboard} = await import('./controller.js');
    const options = inspectionOf(argv, flags);
    const fix = (node: string, signal: AbortSignal) => this.#fix(node, options, signal);
    const {interval, auto, from} = flags;
    if (from === '-') throw new WinError('--from=- is not supported: the dashboard reads keys from stdin.');
    await this.interruptible(signal => runDashboard({...options, interval, auto, from, fix}, this.streams, signal));
    return undefined;
  }

  /** Reviews and runs a repair of one node. Returns the outcome as text. */
  async #fix(node: string, options: InspectOptions, signal: AbortSignal): Promise<string> {
    const [{cleanup}, {cleanupPorts}, {cleanupView}] = await Promise.all([
      import('../../services/cleanup/cleanup.js'),
      import('../../cli/cleanup-ports.js'),
      import('../../view/text/cleanup.js'),
    ]);
    const result = await cleanup(
      {
        ...options,
        names: [node],
        selector: undefined,
        level: 'auto',
        yes: false,
        force: false,
        drain: false,
        maxUnavailable: 1,
        verifyTimeout: 5 * 60_000,
      },
      cleanupPorts(this.streams, this.textOptions),
      signal,
    );
    return cleanupView.text(result, this.textOptions);
  }
}
