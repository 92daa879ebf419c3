import {gzipSync} from 'node:zlib';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {printed, told} from '../cli/answer.js';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectRoles} from '../cli/endings.js';
import {inspectFlags, outputFlag, redactFlag, timeoutFlag} from '../cli/flags.js';
import {openOutputFile} from '../lib/output-file.js';

export default class Collect extends WinCommand {
  static override summary =
    'Write a snapshot of Windows nodes and their cluster to a file, to diagnose it later or elsewhere';
  static override description =
    `What it writes is what "doctor --from" reads. Secrets are never read. Of other objects only what checks read is kept:
environment, arguments and annotations of workloads are left out, and a summary says of how many objects.`;
  static override exitCodes = {
    0: 'done',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'a node could not be read; the snapshot holds the others',
  };
  static override roles = inspectRoles;
  static override examples = [
    {description: 'All Windows nodes', command: 'kubectl win collect > snapshot.json'},
    {description: 'One node, compressed', command: 'kubectl win collect win-1 -f snapshot.json.gz'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Windows nodes (default: all)'})};
  static override flags = {
    output: outputFlag(['json', 'yaml'], 'Output format'),
    file: Flags.string({
      char: 'f',
      summary: 'Output file; compressed if it ends in .gz; - writes to stdout',
      helpValue: '<file>',
    }),
    redact: redactFlag(),
    timeout: timeoutFlag(15),
    ...inspectFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Collect);
    const [{collectSnapshot, collectionExitCode}, {collectionView, writtenText}] = await Promise.all([
      import('../services/collect.js'),
      import('../view/text/collection.js'),
    ]);
    const {file} = flags;
    const target = file === undefined || file === '-' ? undefined : await openOutputFile(file);
    try {
      const options = {...inspectionOf(argv, flags), redact: flags.redact ?? []};
      const result = await this.interruptible(signal => collectSnapshot(options, () => this.openProgress(), signal));
      const answer = {result, view: collectionView, exitCode: collectionExitCode(result)};
      if (!target) return answer;
      const text = await printed(answer, flags.output, this.textOptions);
      const bytes = file?.endsWith('.gz') ? gzipSync(text) : Buffer.from(text);
      await target.write(bytes);
      this.say(writtenText(file ?? '', bytes.length));
      this.streams.err.write(collectionView.notes(result));
      return told(answer.exitCode);
    } finally {
      await target?.close();
    }
  }
}
