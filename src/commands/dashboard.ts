import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {connectionOf, selectionOf, WinCommand} from '../cli/command.js';
import {clusterFlags, duration, generalFlags, helperFlags, nodeFlags} from '../cli/flags.js';

export default class Dashboard extends WinCommand {
  static override summary = 'Live with the Windows nodes: findings, topology, tables, logs and repairs on one screen';
  static override description =
    `Press ? for the keys. Everything it shows can be had without a terminal: doctor, inspect, cleanup --dry-run, and collect for logs and journals.`;
  static override examples = [
    {description: 'All Windows nodes', command: 'kubectl win dashboard'},
    {
      description: 'Some of them, read again every minute',
      command: 'kubectl win dashboard -l pool=win --auto --interval 1m',
    },
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Names of Windows nodes; none: all of them'})};
  static override flags = {
    auto: Flags.boolean({summary: 'Read all nodes again and again'}),
    interval: duration({summary: 'Time between two readings', default: 60_000, defaultHelp: async () => '1m'}),
    timeout: duration({summary: 'Limit for one reading', default: 15 * 60_000, defaultHelp: async () => '15m'}),
    ...nodeFlags,
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<void> {
    performance.mark('command');
    const {flags, argv} = await this.parse(Dashboard);
    const {runDashboard} = await import('../services/dashboard/run.js');
    const options = {
      connection: connectionOf(flags),
      ...selectionOf(argv, flags),
      concurrency: flags.concurrency,
      helperNamespace: flags['helper-namespace'],
      helperImage: flags['helper-image'],
      helperTimeout: flags['helper-timeout'],
      timeout: flags.timeout,
    };
    const fix = async (node: string, signal: AbortSignal) => {
      const {runCleanup} = await import('../services/cleanup/run.js');
      const {output} = await runCleanup(
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
          text: this.textOptions,
        },
        this.streams,
        signal,
      );
      return output;
    };
    await this.interruptible(signal =>
      runDashboard({...options, interval: flags.interval, auto: flags.auto, fix}, this.streams, signal),
    );
  }
}
