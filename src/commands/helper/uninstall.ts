import {inspectionOf, WinCommand} from '../../cli/command.js';
import {clusterFlags, generalFlags, helperFlags, timeoutFlag} from '../../cli/flags.js';

export default class HelperUninstall extends WinCommand {
  static override summary = 'Remove the DaemonSet that "helper install" made, and the tasks for boots from the nodes';
  static override description =
    `Where a node cannot be reached, its task stays, and so does the DaemonSet, so that it can be done again.

EXIT CODES
  0  removed, or nothing was there
  2  usage
  3  access denied
  4  a node could not be reached`;
  static override examples = [{description: 'Take it all away', command: 'kubectl win helper uninstall'}];
  static override flags = {timeout: timeoutFlag(10), ...helperFlags, ...clusterFlags, ...generalFlags};

  async run(): Promise<void> {
    const {flags} = await this.parse(HelperUninstall);
    const {uninstallFleet} = await import('../../services/helper.js');
    const options = inspectionOf([], flags);
    const {output, exitCode} = await this.interruptible(signal => uninstallFleet(options, this.streams, signal));
    this.print(output);
    process.exitCode = exitCode;
  }
}
