import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {repairRoles} from '../cli/exit-codes-and-roles.js';
import {duration, inspectFlags, outputFlag, timeoutFlag} from '../cli/flags.js';
import {WinError} from '../lib/errors.js';

export default class Cleanup extends WinCommand {
  static override summary = 'Repair the pod network of Windows nodes';
  static override description =
    `Creates a plan from the current state of the node, shows it, asks for confirmation, runs it on the node, and verifies
the result. Without a node: all nodes with problems that cleanup can repair. Nothing changes that the plan does not show.`;
  static override exitCodes = {
    0: 'repaired and verified, or nothing to do',
    1: 'a node is still unhealthy',
    2: 'invalid usage or input, or refused',
    3: 'access denied',
    4: 'a node could not be inspected',
  };
  static override roles = repairRoles;
  static override examples = [
    {description: 'Show the plan without running it', command: 'kubectl win cleanup win-1 --dry-run=client'},
    {description: 'Repair a node, with confirmation', command: 'kubectl win cleanup win-1'},
    {
      description: 'Save a plan for review, then run exactly that plan',
      command: 'kubectl win cleanup win-1 --dry-run=client -o yaml > plan.yaml\nkubectl win cleanup --plan plan.yaml',
    },
    {
      description: 'Plan from a snapshot taken manually on the node, and run the plan there',
      command:
        'kubectl win cleanup --from node.json -o yaml > plan.yaml\npowershell -NoProfile -ExecutionPolicy Bypass -File kubectl-win-helper.ps1 -RunPlanFile plan.yaml',
    },
    {description: 'Show the plans of a node and their state', command: 'kubectl win cleanup win-1 --status'},
    {description: 'Show who changed what on a node', command: 'kubectl win cleanup win-1 --history'},
  ];
  static override strict = false;
  static override args = {
    node: Args.string({description: 'Windows nodes (default: those with problems that cleanup can repair)'}),
  };
  static override flags = {
    level: Flags.option({options: ['auto', 'soft', 'medium', 'hard'] as const, default: 'auto' as const})({
      summary:
        'soft: restart agents; medium: also remove stale objects; hard: remove and recreate the network; auto: the mildest level that can work',
    }),
    'dry-run': Flags.option({options: ['client', 'server'] as const})({
      summary: 'client: only show the plan; server: also ask the node to validate each step',
    }),
    output: outputFlag(['text', 'json', 'yaml'], 'Output format of the plan (with --dry-run) or of the result'),
    plan: Flags.string({summary: 'Run the plan in this file; - reads stdin', helpValue: '<file>'}),
    from: Flags.string({
      summary: 'Plan from a snapshot file, for the helper script (-RunPlanFile); changes nothing; - reads stdin',
      helpValue: '<file>',
      exclusive: ['plan', 'yes', 'status', 'history', 'resume', 'rollback', 'drain'],
    }),
    yes: Flags.boolean({char: 'y', summary: 'Do not ask for confirmation'}),
    force: Flags.boolean({
      summary: 'Allow repairs that interrupt the network of running pods; asks you to type the node name',
    }),
    confirm: Flags.string({
      summary: 'Confirms --force non-interactively: the node name',
      helpValue: '<node>',
    }),
    drain: Flags.boolean({summary: 'Drain the node first'}),
    cni: Flags.string({
      summary: 'Network plugin to repair, if a node has traces of several',
      helpValue: '<name>',
    }),
    'max-unavailable': Flags.integer({
      summary: 'Maximum nodes repaired at the same time; the next node starts after one is verified',
      default: 1,
      min: 1,
    }),
    status: Flags.boolean({summary: 'Show the plans stored on the nodes'}),
    history: Flags.boolean({
      summary: 'Show the changes made to the nodes: the audit log of each node, and Events',
    }),
    resume: Flags.boolean({summary: 'Resume an interrupted plan, with confirmation'}),
    rollback: Flags.boolean({summary: 'Roll back an interrupted plan, with confirmation'}),
    'verify-timeout': duration({
      summary: 'How long to wait for a node to become healthy',
      default: 5 * 60_000,
      defaultHelp: async () => '5m',
    }),
    timeout: timeoutFlag(60),
    ...inspectFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Cleanup);
    // --from never runs anything, so --dry-run=client is redundant but allowed.
    if (flags.from !== undefined && flags['dry-run'] === 'server') {
      throw new WinError('--dry-run=server requires the node and cannot be combined with --from.', {
        next: ['Use --dry-run=client.'],
      });
    }
    const [{cleanup, existingMode, pluginNamed}, {cleanupExitCode}, {cleanupPorts}, {cleanupView}] = await Promise.all([
      import('../services/cleanup/cleanup.js'),
      import('../services/cleanup/cleanup-result.js'),
      import('../cli/cleanup-ports.js'),
      import('../view/text/cleanup.js'),
    ]);
    const options = {
      ...inspectionOf(argv, flags),
      level: flags.level,
      dryRun: flags['dry-run'],
      planFile: flags.plan,
      from: flags.from,
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
