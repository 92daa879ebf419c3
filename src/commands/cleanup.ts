import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {repairRoles} from '../cli/endings.js';
import {duration, inspectFlags, outputFlag, timeoutFlag} from '../cli/flags.js';

export default class Cleanup extends WinCommand {
  static override summary = 'After a reboot: remove what is stale and bring the network back, without losing the node';
  static override description =
    `Makes a plan from what is really on the node, shows it, asks, lets the node carry it out, and proves that the network is back.
Without a node: the nodes that have problems which a cleanup can repair. Nothing is changed that you have not seen.`;
  static override exitCodes = {
    0: 'done and verified, or nothing to do',
    1: 'a node is not well afterwards',
    2: 'usage, bad input, or refused',
    3: 'access denied',
    4: 'a node could not be inspected',
  };
  static override roles = repairRoles;
  static override examples = [
    {description: 'Look at the plan first', command: 'kubectl win cleanup win-1 --dry-run=client'},
    {description: 'Carry it out, asking before', command: 'kubectl win cleanup win-1'},
    {
      description: 'Review a plan as a file, then run exactly that',
      command: 'kubectl win cleanup win-1 --dry-run=client -o yaml > plan.yaml\nkubectl win cleanup --plan plan.yaml',
    },
    {description: 'See what became of a plan', command: 'kubectl win cleanup win-1 --status'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Names of Windows nodes; none: those that need it'})};
  static override flags = {
    level: Flags.option({options: ['auto', 'soft', 'medium', 'hard'] as const, default: 'auto' as const})({
      summary:
        'soft restarts agents, medium also removes what is stale, hard takes the network down; auto takes the mildest that can work',
    }),
    'dry-run': Flags.option({options: ['client', 'server'] as const})({
      summary: 'Only show the plan; with server the node says what it thinks of each step',
    }),
    output: outputFlag(['text', 'json', 'yaml'], 'Format of the plan (with --dry-run) or of the outcome'),
    plan: Flags.string({summary: 'Run exactly the plan in this file; - is standard input', helpValue: '<file>'}),
    yes: Flags.boolean({char: 'y', summary: 'Do not ask'}),
    force: Flags.boolean({
      summary: 'Go on where running pods would lose their network; takes the typed name of the node',
    }),
    confirm: Flags.string({
      summary: 'The name of the node, typed beforehand for --force without a terminal',
      helpValue: '<node>',
    }),
    drain: Flags.boolean({summary: 'Move pods elsewhere before'}),
    cni: Flags.string({
      summary: 'The network plugin to repair, where a node has traces of several',
      helpValue: '<name>',
    }),
    'max-unavailable': Flags.integer({
      summary: 'Nodes worked on at once; the next begins when one is verified',
      default: 1,
      min: 1,
    }),
    status: Flags.boolean({summary: 'Show the plans that are on the nodes'}),
    resume: Flags.boolean({summary: 'Show a plan that was interrupted, ask, and go on with it'}),
    rollback: Flags.boolean({summary: 'Show a plan that was interrupted, ask, and undo it'}),
    'verify-timeout': duration({
      summary: 'How long a node may take to be well again',
      default: 5 * 60_000,
      defaultHelp: async () => '5m',
    }),
    timeout: timeoutFlag(60),
    ...inspectFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Cleanup);
    const [{cleanup, existingMode, pluginNamed}, {cleanupExitCode}, {cleanupPorts}, {cleanupView}] = await Promise.all([
      import('../services/cleanup/cleanup.js'),
      import('../services/cleanup/result.js'),
      import('../cli/cleanup-ports.js'),
      import('../view/text/cleanup.js'),
    ]);
    const options = {
      ...inspectionOf(argv, flags),
      level: flags.level,
      dryRun: flags['dry-run'],
      planFile: flags.plan,
      yes: flags.yes,
      force: flags.force,
      confirm: flags.confirm,
      drain: flags.drain,
      plugin: pluginNamed(flags.cni),
      maxUnavailable: flags['max-unavailable'],
      existing: existingMode(flags),
      verifyTimeout: flags['verify-timeout'],
    };
    const ports = cleanupPorts(this.streams, this.textOptions);
    const result = await this.interruptible(signal => cleanup(options, ports, signal));
    return {result, view: cleanupView, exitCode: cleanupExitCode(result)};
  }
}
