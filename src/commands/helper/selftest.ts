import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {printed} from '../../cli/answer.js';
import {inspectionOf, WinCommand} from '../../cli/command.js';
import {clusterExitCodes, inspectRoles} from '../../cli/exit-codes-and-roles.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag, timeoutFlag} from '../../cli/flags.js';
import {openOutputFile} from '../../lib/output-file.js';

export default class HelperSelftest extends WinCommand {
  static override summary = 'Check that Windows on a node provides what the helper requires';
  static override description =
    `Reads and times every section, and checks the classes, properties, types, cmdlets, HNS fields and pipes that the
helper relies on. It repairs nothing. The only change is a scheduled task that does nothing, is never started, and is
removed again. The JSON document contains no IP addresses. It contains the user name of the helper, paths and error
messages of Windows: review it before you attach it to an issue.`;
  static override exitCodes = {
    ...clusterExitCodes,
    0: 'everything is as expected',
    1: 'something differs from the requirements or could not be determined',
    4: 'the node could not be inspected',
  };
  static override roles = inspectRoles;
  static override examples = [
    {description: 'Print a table', command: 'kubectl win helper selftest win-1'},
    {
      description: 'Also write a file to attach to an issue',
      command: 'kubectl win helper selftest win-1 -f selftest.json',
    },
  ];
  static override args = {node: Args.string({description: 'Name of a Windows node', required: true})};
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml'], 'Output format'),
    file: Flags.string({
      char: 'f',
      summary: 'Also write the JSON document to this file; - writes only the document, to stdout',
      helpValue: '<file>',
    }),
    timeout: timeoutFlag(15),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {flags, args} = await this.parse(HelperSelftest);
    const [{testNode, selfTestExitCode}, {selfTestView}] = await Promise.all([
      import('../../services/self-test.js'),
      import('../../view/text/self-test.js'),
    ]);
    const {file} = flags;
    const target = file === undefined || file === '-' ? undefined : await openOutputFile(file);
    try {
      const result = await this.interruptible(signal =>
        testNode(inspectionOf([args.node], flags), () => this.openProgress({quiet: true}), signal),
      );
      const answer = {result, view: selfTestView, exitCode: selfTestExitCode(result)};
      if (file === undefined) return answer;
      const json = await printed(answer, 'json', this.textOptions);
      await target?.write(json);
      return target ? answer : {...answer, view: {...selfTestView, text: () => json}};
    } finally {
      await target?.close();
    }
  }
}
