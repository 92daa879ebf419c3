import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import {type Answer, alreadyPrinted} from '../cli/answer.js';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectRoles} from '../cli/exit-codes-and-roles.js';
import {duration, inspectFlags, outputFlag, timeoutFlag} from '../cli/flags.js';
import type {DoctorReport} from '../diagnose/report.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {type Progress, silent} from '../session/progress.js';
import {type Format, isForPeople} from '../view/view.js';

export default class Doctor extends WinCommand {
  static override summary = 'Diagnose the pod network of Windows nodes';
  static override description =
    `Runs a helper pod on each node to read its networks, then removes the pod and reports what is wrong.`;
  static override exitCodes = {
    0: 'no problems found',
    1: 'problems found',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'a node could not be inspected; the report is incomplete',
  };
  static override roles = inspectRoles;
  static override rolesNote = 'with --fix also kubectl-win-repair, with --no-helper only kubectl-win-look';
  static override examples = [
    {description: 'Inspect all Windows nodes', command: 'kubectl win doctor'},
    {description: 'Inspect one node', command: 'kubectl win doctor win-1'},
    {description: 'Run only the OVS checks, print JSON', command: 'kubectl win doctor --only ovs -o json'},
    {description: 'Print what changes, every 5 minutes', command: 'kubectl win doctor --watch --interval 5m'},
    {description: 'Diagnose a snapshot taken earlier', command: 'kubectl win doctor --from snapshot.json'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Windows nodes (default: all)'})};
  static override flags = {
    output: outputFlag(
      ['text', 'wide', 'short', 'json', 'yaml', 'name', 'html', 'markdown', 'junit', 'sarif', 'prometheus'],
      'Output format',
    ),
    by: Flags.option({options: ['finding', 'node'] as const, default: 'finding' as const})({
      summary: 'Group the text report by finding or by node',
    }),
    'fail-on': Flags.option({options: ['error', 'warning', 'never'] as const, default: 'error' as const})({
      summary: 'Lowest severity that sets exit code 1',
    }),
    only: Flags.string({
      summary: 'Run only these checks (ids, or areas such as ovs)',
      multiple: true,
      delimiter: ',',
      helpValue: '<check>',
    }),
    skip: Flags.string({
      summary: 'Skip these checks (ids, or areas such as ovs)',
      multiple: true,
      delimiter: ',',
      helpValue: '<check>',
    }),
    'list-checks': Flags.boolean({summary: 'List the checks and exit'}),
    from: Flags.string({
      summary: 'Diagnose a snapshot file instead of a live cluster; - reads stdin',
      helpValue: '<file>',
    }),
    helper: Flags.boolean({
      summary: 'Run helpers on the nodes; --no-helper runs only the checks of cluster objects',
      default: true,
      allowNo: true,
    }),
    fix: Flags.boolean({
      summary: 'Then repair what can be repaired without interrupting node networking; asks before each node',
      exclusive: ['from', 'wait'],
    }),
    yes: Flags.boolean({
      char: 'y',
      summary: 'With --fix: do not ask for confirmation',
      dependsOn: ['fix'],
    }),
    'max-age': duration({
      summary:
        'Use the snapshots that installed helpers keep (helper install --interval) if they are not older than this',
      exclusive: ['from'],
    }),
    wait: Flags.boolean({summary: 'Repeat until no problems are found or --timeout expires', exclusive: ['watch']}),
    watch: Flags.boolean({
      char: 'w',
      summary: 'Repeat every --interval until Ctrl-C and print what changed, one line each; JSON lines with -o json',
      exclusive: ['from', 'fix', 'wait'],
    }),
    interval: duration({
      summary: 'With --watch: time between two inspections (default 1m)',
      dependsOn: ['watch'],
    }),
    config: Flags.string({
      summary: 'Suppression file (default: .kubectl-win.yaml, if present); - reads stdin',
      helpValue: '<file>',
    }),
    timeout: timeoutFlag(15),
    ...inspectFlags,
  };

  async run(): Promise<Answer> {
    // Only with a terminal: the first mark loads its implementation.
    if (this.streams.err.isTTY) performance.mark('command');
    const {flags, argv} = await this.parse(Doctor);
    if (flags['list-checks']) return this.#listChecks();
    if (flags.fix && !flags.helper)
      throw new WinError('--fix requires helpers on the nodes and cannot be combined with --no-helper.');
    if (flags.watch) return this.#watch(argv, flags);
    return this.interruptible(async signal => {
      const first = await this.#inspect(argv, flags, signal);
      return flags.fix ? this.#fix(first, argv, flags, signal) : first;
    });
  }

  /** Opens the progress display before the code that inspects and diagnoses is loaded. */
  async #inspect(
    argv: readonly unknown[],
    flags: DoctorFlags,
    signal: AbortSignal,
    isQuiet = flags.from !== undefined,
  ): Promise<Answer<DoctorReport>> {
    const progress = isQuiet ? silent : await this.#openProgress(flags.output);
    try {
      const [{doctor}, {doctorExitCode}, {reportView, summaryLine}] = await Promise.all([
        import('../services/doctor/doctor.js'),
        import('../diagnose/report.js'),
        import('../view/text/report.js'),
      ]);
      const {only, skip, from, helper, wait, config, verbose, 'fail-on': failOn} = flags;
      const chosen = {only, skip, from, helper, wait, config, verbose, failOn, maxAgeMs: flags['max-age']};
      const drawings = flags.output === 'html' ? await openDrawings() : undefined;
      const options = {...inspectionOf(argv, flags), ...chosen, drawings};
      const lookingAgain = (report: DoctorReport) => this.say(`${summaryLine(report)}; checking again…`);
      const result = await doctor(options, {progress, lookingAgain}, signal);
      return {result, view: reportView(flags.by, drawings?.topologies), exitCode: doctorExitCode(result, options)};
    } finally {
      progress.end();
    }
  }

  /** Ctrl-C ends it without an error. */
  async #watch(argv: readonly unknown[], flags: DoctorFlags): Promise<Answer> {
    const {output, interval = 60_000} = flags;
    if (output !== undefined && output !== 'text' && output !== 'json') {
      throw new WinError(`--watch prints text or JSON lines, not ${output}.`, {
        next: ['Omit -o, or use -o json.'],
      });
    }
    const [{watchNodes}, {changeText}, {summaryLine}] = await Promise.all([
      import('../services/doctor/watch-nodes.js'),
      import('../view/text/change-line.js'),
      import('../view/text/report.js'),
    ]);
    let seen: DoctorReport | undefined;
    return this.interruptible(async signal => {
      try {
        return await watchNodes(
          {
            // Show progress only for the first inspection.
            look: async () => (await this.#inspect(argv, flags, signal, seen !== undefined)).result,
            looked: (changes, report) => {
              for (const change of changes)
                this.print(output === 'json' ? `${JSON.stringify(change)}\n` : changeText(change, this.textOptions));
              if (report && !seen) this.say(`${summaryLine(report)}; watching for changes until Ctrl-C…`);
              seen ??= report;
            },
          },
          interval,
          signal,
        );
      } catch (error) {
        const {aborted, reason} = signal;
        if (aborted && reason instanceof WinError && seen) return alreadyPrinted(reason.exit);
        throw error;
      }
    });
  }

  /** A live display only if the report also goes to the terminal. With piped JSON, lines if stderr is a terminal. */
  #openProgress(format: Format | undefined): Promise<Progress> {
    const machine = !isForPeople(format);
    return this.openProgress({
      quiet: machine && this.streams.err.isTTY !== true,
      live: !machine && (this.streams.out as NodeJS.WriteStream).isTTY === true,
    });
  }

  /** Repairs the findings that can be repaired, then inspects again. The second result counts. */
  async #fix(
    first: Answer<DoctorReport>,
    argv: readonly unknown[],
    flags: DoctorFlags,
    signal: AbortSignal,
  ): Promise<Answer> {
    const [{findingsOf, fixFindings}, {cleanupExitCode, hasRunPlan}, {cleanupPorts}, {cleanupView}] = await Promise.all(
      [
        import('../services/doctor/fix.js'),
        import('../services/cleanup/cleanup-result.js'),
        import('../cli/cleanup-ports.js'),
        import('../view/text/cleanup.js'),
      ],
    );
    const fixes = findingsOf(first.result);
    if (fixes.size === 0) return first;
    // With a document format, stdout contains only the final report.
    const isText = flags.output === undefined || flags.output === 'text' || flags.output === 'wide';
    if (isText) {
      await this.show(first);
      this.print('\n');
    }
    const ports = cleanupPorts(this.streams, this.textOptions);
    const options = {...inspectionOf(argv, flags), yes: flags.yes};
    const fixed = await fixFindings(fixes, options, ports, signal);
    (isText ? this.streams.out : this.streams.err).write(cleanupView.text(fixed, this.textOptions));
    const worked = hasRunPlan(fixed);
    const last = worked ? await this.#inspect(argv, flags, signal) : first;
    if (isText && worked) this.print('\n');
    const code = cleanupExitCode(fixed);
    const exitCode = code === ExitCode.problems ? code : (last.exitCode ?? ExitCode.ok);
    return isText && !worked ? alreadyPrinted(exitCode) : {...last, exitCode};
  }

  async #listChecks(): Promise<Answer> {
    const [{explain}, {checkListView}] = await Promise.all([
      import('../services/explain.js'),
      import('../view/text/explain.js'),
    ]);
    return {result: (await explain(undefined)).checks, view: checkListView};
  }
}

type DoctorFlags = Interfaces.InferredFlags<typeof Doctor.flags>;

/** Loaded only for a report with drawings. */
async function openDrawings() {
  const {Drawings} = await import('../services/inspect/drawings.js');
  return new Drawings();
}
