import {inspectionOf, WinCommand} from '../../cli/command.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag, timeoutFlag} from '../../cli/flags.js';

export default class HelperStatus extends WinCommand {
  static override summary = 'Show what of this plugin is in the cluster now, and on the nodes';
  static override examples = [
    {description: 'What is there now', command: 'kubectl win helper status'},
    {description: 'The same for a program', command: 'kubectl win helper status -o json'},
  ];
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml'], 'Format of the answer'),
    timeout: timeoutFlag(10),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<void> {
    const {flags} = await this.parse(HelperStatus);
    const {showFleet} = await import('../../services/helper.js');
    const options = inspectionOf([], flags);
    const shown = await this.interruptible(signal => showFleet(options, this.streams, signal, flags.output));
    this.print(shown);
  }
}
