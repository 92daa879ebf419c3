import {connectionOf, WinCommand} from '../../command.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag} from '../../flags.js';

export default class HelperStatus extends WinCommand {
  static override summary = 'Show what of this plugin is in the cluster now';
  static override examples = ['<%= config.bin %> helper status', '<%= config.bin %> helper status -o json'];
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml'], 'Format of the answer'),
    'helper-namespace': helperFlags['helper-namespace'],
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<void> {
    const {flags} = await this.parse(HelperStatus);
    const {showFleet} = await import('../../helper-fleet.js');
    const shown = await this.interruptible(signal =>
      showFleet(connectionOf(flags), {namespace: flags['helper-namespace'], signal}, flags.output),
    );
    this.print(shown);
  }
}
