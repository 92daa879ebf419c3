import {connectionOf, WinCommand} from '../../command.js';
import {clusterFlags, generalFlags, helperFlags} from '../../flags.js';

export default class HelperUninstall extends WinCommand {
  static override summary = 'Remove the DaemonSet that "helper install" made';
  static override examples = ['<%= config.bin %> helper uninstall'];
  static override flags = {'helper-namespace': helperFlags['helper-namespace'], ...clusterFlags, ...generalFlags};

  async run(): Promise<void> {
    const {flags} = await this.parse(HelperUninstall);
    const {uninstallFleet} = await import('../../helper-fleet.js');
    const done = await this.interruptible(signal =>
      uninstallFleet(connectionOf(flags), {namespace: flags['helper-namespace'], signal}),
    );
    this.print(done);
  }
}
