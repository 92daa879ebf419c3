import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectFlags, outputFlag, timeoutFlag} from '../cli/flags.js';

export default class Collect extends WinCommand {
  static override summary = 'Write a snapshot of Windows nodes and their cluster, to judge or send elsewhere';
  static override description = `What it writes is what "doctor --from" reads. Secrets are never read.

EXIT CODES
  0  done
  2  usage, or bad input
  3  access denied
  4  some node could not be read; the others are in the snapshot`;
  static override examples = [
    {description: 'All Windows nodes', command: 'kubectl win collect > snapshot.json'},
    {description: 'One node, compressed', command: 'kubectl win collect win-1 -f snapshot.json.gz'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Names of Windows nodes; none: all of them'})};
  static override flags = {
    output: outputFlag(['json', 'yaml'], 'Format of the snapshot'),
    file: Flags.string({
      char: 'f',
      summary: 'File to write; one that ends in .gz is gzipped; - is standard output',
      helpValue: '<file>',
    }),
    timeout: timeoutFlag(15),
    ...inspectFlags,
  };

  async run(): Promise<void> {
    const {flags, argv} = await this.parse(Collect);
    const {collectSnapshot} = await import('../services/collect.js');
    const {text, exitCode} = await this.interruptible(signal =>
      collectSnapshot(
        {
          ...inspectionOf(argv, flags),
          format: flags.output,
          file: flags.file,
        },
        this.streams,
        signal,
      ),
    );
    this.print(text);
    process.exitCode = exitCode;
  }
}
