import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectFlags, outputFlag, timeoutFlag} from '../cli/flags.js';
import {type ExitCode, WinError} from '../lib/errors.js';
import type {Looked} from '../services/doctor/run.js';
import {doctorProgress} from '../session/progress.js';

export default class Doctor extends WinCommand {
  static override summary = 'Find out what is wrong with the pod network of Windows nodes';
  static override description =
    `Puts a helper pod on each node for as long as it takes to read its networks, and judges what it reads.

EXIT CODES
  0  nothing wrong found
  1  problems found
  2  usage, or bad input
  3  access denied
  4  some node could not be inspected`;
  static override examples = [
    {description: 'Look at every Windows node', command: 'kubectl win doctor'},
    {description: 'Look at one node', command: 'kubectl win doctor win-1'},
    {description: 'Only what concerns OVS, as JSON', command: 'kubectl win doctor --only ovs -o json'},
    {description: 'Judge a snapshot that was taken earlier', command: 'kubectl win doctor --from snapshot.json'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Names of Windows nodes; none: all of them'})};
  static override flags = {
    output: outputFlag(['text', 'wide', 'short', 'json', 'yaml', 'name'], 'Format of the report'),
    'fail-on': Flags.option({options: ['error', 'warning', 'never'] as const, default: 'error' as const})({
      summary: 'What makes the exit code 1',
    }),
    only: Flags.string({
      summary: 'Only these checks: ids or areas such as ovs',
      multiple: true,
      delimiter: ',',
      helpValue: '<check>',
    }),
    skip: Flags.string({summary: 'Not these checks', multiple: true, delimiter: ',', helpValue: '<check>'}),
    'list-checks': Flags.boolean({summary: 'List the checks and end'}),
    from: Flags.string({
      summary: 'Judge a snapshot file instead of a cluster; - is standard input',
      helpValue: '<file>',
    }),
    helper: Flags.boolean({
      summary: 'Put helpers on nodes; --no-helper runs the cluster-side checks alone',
      default: true,
      allowNo: true,
    }),
    fix: Flags.boolean({
      summary: 'Then mend what can be mended without cutting a node off, asking before each node',
      exclusive: ['from', 'wait'],
    }),
    yes: Flags.boolean({char: 'y', summary: 'With --fix: do not ask', dependsOn: ['fix']}),
    wait: Flags.boolean({summary: 'Look again until nothing is wrong, or --timeout is over'}),
    config: Flags.string({
      summary:
        'File that says which findings to suppress, and why; - is standard input; .kubectl-win.yaml is read where it is there',
      helpValue: '<file>',
    }),
    timeout: timeoutFlag(15),
    ...inspectFlags,
  };

  async run(): Promise<void> {
    // Where a person looks on: what a mark takes loads with the first of them.
    if (this.streams.err.isTTY) performance.mark('command');
    const {flags, argv} = await this.parse(Doctor);
    if (flags['list-checks']) {
      const {listChecks} = await import('../services/doctor/run.js');
      this.print(await listChecks(flags.output));
      return;
    }
    if (flags.fix && !flags.helper) throw new WinError('--fix takes helpers on the nodes, so not --no-helper.');
    process.exitCode = await this.interruptible(async signal => {
      const looked = await this.#look(argv, flags, signal);
      if (flags.fix) return this.#fix(looked, argv, flags, signal);
      this.print(looked.output);
      return looked.exitCode;
    });
  }

  /** What is going on is on the screen before what looks and judges is loaded. */
  async #look(argv: readonly unknown[], flags: DoctorFlags, signal: AbortSignal) {
    const progress = flags.from === undefined ? await doctorProgress(this.streams, flags.output) : undefined;
    try {
      const {runDoctor} = await import('../services/doctor/run.js');
      return await runDoctor(
        {
          ...inspectionOf(argv, flags),
          only: flags.only,
          skip: flags.skip,
          from: flags.from,
          helper: flags.helper,
          wait: flags.wait,
          config: flags.config,
          failOn: flags['fail-on'],
          format: flags.output,
          text: {...this.textOptions, verbose: flags.verbose || flags.output === 'wide'},
          verbose: flags.verbose,
          progress,
        },
        this.streams,
        signal,
      );
    } finally {
      progress?.end();
    }
  }

  async #fix(looked: Looked, argv: readonly unknown[], flags: DoctorFlags, signal: AbortSignal): Promise<ExitCode> {
    const {fix} = await import('../services/doctor/fix.js');
    const options = {...inspectionOf(argv, flags), yes: flags.yes, format: flags.output, text: this.textOptions};
    return fix(looked, options, {
      look: () => this.#look(argv, flags, signal),
      print: output => this.print(output),
      streams: this.streams,
      signal,
    });
  }
}

type DoctorFlags = Interfaces.InferredFlags<typeof Doctor.flags>;
