import * as Flags from '@oclif/core/flags';
import {WinCommand} from '../cli/command.js';
import {generalFlags} from '../cli/flags.js';
import {WinError} from '../lib/errors.js';

export default class Demo extends WinCommand {
  static override summary = 'Try it on a simulated Windows cluster, with nothing but this program';
  static override description =
    `Starts a simulated cluster on this machine, runs a command in it, stops it, and ends with the command's exit code.
Without a command it runs "doctor".

In a cluster that is kept, "kubectl annotate node NODE demo.kubectl-win/happen=reboot" reboots a Windows node.`;
  static override usage = 'demo [--scenario <name>] [--keep] [-- COMMAND…]';
  static override examples = [
    {description: 'See a rebooted Antrea node diagnosed', command: 'kubectl win demo'},
    {
      description: 'Run any command in a simulated cluster',
      command: 'kubectl win demo --scenario fleet -- kubectl get nodes -o wide',
    },
    {description: 'Keep the cluster for another terminal', command: 'kubectl win demo --keep'},
    {description: 'See what there is', command: 'kubectl win demo --list'},
  ];
  static override strict = false;
  static override flags = {
    scenario: Flags.string({summary: 'What the cluster is like', default: 'antrea-reboot', helpValue: '<name>'}),
    keep: Flags.boolean({summary: 'Keep the cluster until Ctrl-C, and print how to reach it'}),
    helper: Flags.option({options: ['simulated', 'powershell'] as const, default: 'simulated' as const})({
      summary: "What answers on the nodes: the simulation, or the helper's real scripts under a PowerShell",
    }),
    list: Flags.boolean({summary: 'List the scenarios and end'}),
    ...generalFlags,
  };

  async run(): Promise<void> {
    const [own, command] = splitCommand(this.argv);
    const {flags, argv} = await this.parse(Demo, own);
    if (argv.length > 0) {
      throw new WinError(`demo takes a command after "--", not "${String(argv[0])}".`, {
        next: [`Write: kubectl win demo -- ${argv.join(' ')}`],
      });
    }
    const {scenarioTable, runDemo} = await import('../services/demo.js');
    if (flags.list) {
      this.print(scenarioTable());
      return;
    }
    process.exitCode = await runDemo(
      {scenario: flags.scenario, keep: flags.keep, helper: flags.helper, command},
      this.streams,
    );
  }
}

function splitCommand(argv: readonly string[]): [string[], string[]] {
  const at = argv.indexOf('--');
  return at < 0 ? [[...argv], []] : [argv.slice(0, at), argv.slice(at + 1)];
}
