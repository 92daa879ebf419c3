import {connectionOf, WinCommand} from '../../command.js';
import {clusterFlags, generalFlags, helperFlags} from '../../flags.js';

export default class HelperInstall extends WinCommand {
  static override summary = 'Keep the helper on all Windows nodes as a DaemonSet, for fleets that are looked at often';
  static override examples = [
    '<%= config.bin %> helper install',
    '<%= config.bin %> helper install --helper-namespace ops',
  ];
  static override flags = {
    'helper-namespace': helperFlags['helper-namespace'],
    'helper-image': helperFlags['helper-image'],
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<void> {
    const {flags} = await this.parse(HelperInstall);
    const {installFleet} = await import('../../helper-fleet.js');
    const done = await this.interruptible(signal =>
      installFleet(connectionOf(flags), {namespace: flags['helper-namespace'], image: flags['helper-image'], signal}),
    );
    this.print(done);
  }
}
