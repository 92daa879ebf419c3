import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {helperRoles} from '../cli/exit-codes-and-roles.js';
import {duration, inspectFlags, outputFlag, timeoutFlag} from '../cli/flags.js';
import {isForPeople} from '../view/view.js';

export default class Events extends WinCommand {
  static override summary = 'List events of HNS, VFP, virtual switches and services on Windows nodes';
  static override description =
    `Prints the Windows events about the pod network in one table, oldest first. Known errors are explained.`;
  static override exitCodes = {
    0: 'done',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'the events of a node could not be read',
  };
  static override roles = helperRoles;
  static override rolesNote = 'none with --from';
  static override examples = [
    {description: 'Events of the last two hours on a node', command: 'kubectl win events win-1 --since 2h'},
    {description: 'Events of all Windows nodes, as JSON', command: 'kubectl win events -o json'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Windows nodes (default: all)'})};
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml'], 'Output format'),
    since: duration({summary: 'Only events newer than this'}),
    from: Flags.string({
      summary: 'Read a snapshot file instead of a cluster; - reads stdin',
      helpValue: '<file>',
    }),
    timeout: timeoutFlag(15),
    ...inspectFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Events);
    const [{eventsExitCode, nodeEvents}, {eventsView}] = await Promise.all([
      import('../services/events.js'),
      import('../view/text/events.js'),
    ]);
    const {from, since} = flags;
    const quiet = !isForPeople(flags.output);
    const result = await this.interruptible(signal =>
      nodeEvents({...inspectionOf(argv, flags), from, since}, () => this.openProgress({quiet}), signal),
    );
    return {result, view: eventsView, exitCode: eventsExitCode(result)};
  }
}
