import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {alreadyPrinted, printed} from '../cli/answer.js';
import {WinCommand} from '../cli/command.js';
import {generalFlags, outputFlag, redactFlag} from '../cli/flags.js';
import {openOutputFile} from '../lib/output-file.js';

export default class Redact extends WinCommand {
  static override summary = 'Remove secrets, and on request addresses and names, from a snapshot file';
  static override description =
    `Copies a snapshot without values that look like secrets: keys, tokens, passwords, credentials in URLs and command lines, also encoded ones. With --redact=ips,names, each address and name is replaced consistently and subnets stay subnets, so "doctor --from" finds the same problems. A summary of the replacements goes to stderr.`;
  static override exitCodes = {0: 'done', 2: 'invalid usage or input'};
  static override examples = [
    {description: 'Remove secrets', command: 'kubectl win redact snapshot.json > redacted.json'},
    {
      description: 'Also replace addresses and names',
      command: 'kubectl win redact snapshot.json --redact=ips,names -f redacted.json',
    },
  ];
  static override args = {file: Args.string({description: 'Snapshot file; - reads stdin', required: true})};
  static override flags = {
    output: outputFlag(['json', 'yaml'], 'Output format'),
    redact: redactFlag(),
    file: Flags.string({char: 'f', summary: 'Output file; - writes to stdout', helpValue: '<file>'}),
    ...generalFlags,
  };

  async run() {
    const {args, flags} = await this.parse(Redact);
    const [{redactFile}, {redactionView}] = await Promise.all([
      import('../services/redact/redact-file.js'),
      import('../view/text/redaction.js'),
    ]);
    const {file} = flags;
    const target = file === undefined || file === '-' ? undefined : await openOutputFile(file);
    try {
      const answer = {result: await redactFile(args.file, flags.redact ?? []), view: redactionView};
      if (!target) return answer;
      await target.write(await printed(answer, flags.output, this.textOptions));
      this.streams.err.write(redactionView.notes(answer.result));
      return alreadyPrinted(0);
    } finally {
      await target?.close();
    }
  }
}
