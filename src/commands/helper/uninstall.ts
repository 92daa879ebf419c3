import {inspectionOf, WinCommand} from '../../cli/command.js';
import {installRoles} from '../../cli/exit-codes-and-roles.js';
import {clusterFlags, generalFlags, helperFlags, timeoutFlag} from '../../cli/flags.js';

export default class HelperUninstall extends WinCommand {
  static override summary = 'Remove the helper DaemonSet, and the boot tasks from the nodes';
  static override description =
    `If a node cannot be reached, its task and the DaemonSet remain, so that you can run the command again.`;
  static override exitCodes = {
    0: 'removed, or not installed',
    2: 'invalid usage',
    3: 'access denied',
    4: 'a node could not be reached',
  };
  static override roles = installRoles;
  static override examples = [{description: 'Remove everything', command: 'kubectl win helper uninstall'}];
  static override flags = {timeout: timeoutFlag(10), ...helperFlags, ...clusterFlags, ...generalFlags};

  async run() {
    const {flags} = await this.parse(HelperUninstall);
    const [{uninstallExitCode, uninstallFleet}, {uninstalledView}] = await Promise.all([
      import('../../services/helper-fleet.js'),
      import('../../view/text/helper-fleet.js'),
    ]);
    const options = inspectionOf([], flags);
    const result = await this.interruptible(signal =>
      uninstallFleet(options, () => this.openProgress({quiet: true}), signal),
    );
    return {result, view: uninstalledView, exitCode: uninstallExitCode(result)};
  }
}
