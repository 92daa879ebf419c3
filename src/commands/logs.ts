import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {alreadyPrinted} from '../cli/answer.js';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {helperRoles} from '../cli/exit-codes-and-roles.js';
import {clusterFlags, duration, generalFlags, helperFlags, outputFlag} from '../cli/flags.js';
import {isForPeople} from '../view/view.js';

export default class Logs extends WinCommand {
  static override summary = 'Print the network logs of a Windows node, merged by time';
  static override description =
    `Reads the last lines of the logs of the network plugin, Open vSwitch, kubelet and kube-proxy. Lines with a known error are marked and explained.`;
  static override exitCodes = {
    0: 'done',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'a log could not be read',
  };
  static override roles = helperRoles;
  static override rolesNote = 'none with --from';
  static override examples = [
    {description: 'The last half hour', command: 'kubectl win logs win-1 --since 30m'},
    {description: 'Follow Open vSwitch', command: 'kubectl win logs win-1 --component ovs --follow'},
    {description: 'Use a snapshot file', command: 'kubectl win logs win-1 --from snapshot.json'},
  ];
  static override args = {node: Args.string({description: 'Name of a Windows node', required: true})};
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml'], 'Output format'),
    component: Flags.string({
      summary: 'Only logs whose name contains this, such as ovs or kubelet',
      multiple: true,
      delimiter: ',',
      helpValue: '<name>',
    }),
    since: duration({summary: 'Only lines newer than this'}),
    follow: Flags.boolean({
      char: 'f',
      summary: 'Print new lines as they are written, until Ctrl-C',
      exclusive: ['from', 'output'],
    }),
    from: Flags.string({
      summary: 'Read a snapshot file instead of a cluster; - reads stdin',
      helpValue: '<file>',
    }),
    timeout: duration({summary: 'Timeout for the whole command', default: 15 * 60_000, defaultHelp: async () => '15m'}),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {args, flags} = await this.parse(Logs);
    const [{logs, logsExitCode}, {logsView, linesText}] = await Promise.all([
      import('../services/logs/logs.js'),
      import('../view/text/logs.js'),
    ]);
    const {from, since, follow, component = []} = flags;
    // The user ends --follow; this only limits the lifetime of the helper pod.
    const timeout = follow ? Math.max(flags.timeout, 12 * 60 * 60_000) : flags.timeout;
    const options = {...inspectionOf([args.node], {...flags, timeout}), from, since, follow, components: component};
    const quiet = !isForPeople(flags.output);
    const ports = {
      open: () => this.openProgress({quiet}),
      more: (lines: Parameters<typeof linesText>[0]) => this.print(linesText(lines, this.textOptions)),
    };
    const result = await this.interruptible(signal => logs(options, ports, signal));
    return follow ? alreadyPrinted(0) : {result, view: logsView, exitCode: logsExitCode(result)};
  }
}
