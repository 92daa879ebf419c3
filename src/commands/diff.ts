import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectRoles} from '../cli/exit-codes-and-roles.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag, timeoutFlag} from '../cli/flags.js';
import {isForPeople} from '../view/view.js';

export default class Diff extends WinCommand {
  static override summary = 'Show the differences between two nodes, two snapshots, or a node and its peers';
  static override description =
    `Compares what matters to the pod network: versions, networks, bridges, switches, extensions, services, addresses, routes, firewall, hotfixes. Names, addresses and ids that are specific to each node are ignored. The most significant differences come first.`;
  static override exitCodes = {
    0: 'no differences',
    1: 'differences found',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'a node, or a part of it, could not be compared',
  };
  static override roles = inspectRoles;
  static override rolesNote = 'none with snapshots';
  static override examples = [
    {description: 'Compare a node with the other nodes of its plugin', command: 'kubectl win diff win-1'},
    {description: 'Compare two nodes', command: 'kubectl win diff win-1 win-2'},
    {description: 'Compare two nodes of a snapshot', command: 'kubectl win diff win-1 win-2 --from snapshot.json'},
    {description: 'Compare two snapshots of the same nodes', command: 'kubectl win diff before.json after.json'},
  ];
  static override strict = false;
  static override args = {
    node: Args.string({description: 'One or two names of Windows nodes, or two snapshot files'}),
  };
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml'], 'Output format'),
    from: Flags.string({summary: 'Read the nodes from a snapshot file; - reads stdin', helpValue: '<file>'}),
    timeout: timeoutFlag(15),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Diff);
    const [{diff, diffExitCode}, {nodeDiffView}] = await Promise.all([
      import('../services/diff/diff.js'),
      import('../view/text/node-diff.js'),
    ]);
    const quiet = !isForPeople(flags.output);
    const options = {...inspectionOf(argv, flags), from: flags.from};
    const result = await this.interruptible(signal => diff(options, () => this.openProgress({quiet}), signal));
    return {result, view: nodeDiffView, exitCode: diffExitCode(result)};
  }
}
