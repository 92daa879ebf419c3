import {inspectionOf, WinCommand} from '../../cli/command.js';
import {clusterExitCodes, helperRoles} from '../../cli/exit-codes-and-roles.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag, timeoutFlag} from '../../cli/flags.js';

export default class HelperStatus extends WinCommand {
  static override summary = 'Show helper pods, DaemonSet and boot tasks in the cluster';
  static override exitCodes = clusterExitCodes;
  static override roles = helperRoles;
  static override examples = [
    {description: 'Show the current state', command: 'kubectl win helper status'},
    {description: 'Print JSON', command: 'kubectl win helper status -o json'},
  ];
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml'], 'Output format'),
    timeout: timeoutFlag(10),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {flags} = await this.parse(HelperStatus);
    const [{fleetOverview}, {fleetView}] = await Promise.all([
      import('../../services/helper-fleet.js'),
      import('../../view/text/helper-fleet.js'),
    ]);
    const options = inspectionOf([], flags);
    const result = await this.interruptible(signal =>
      fleetOverview(options, () => this.openProgress({quiet: true}), signal),
    );
    return {result, view: fleetView};
  }
}
