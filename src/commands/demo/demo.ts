import * as Flags from '@oclif/core/flags';
import {type Answer, alreadyPrinted} from '../../cli/answer.js';
import {WinCommand} from '../../cli/command.js';
import {generalFlags} from '../../cli/flags.js';
import {type ExitCode, WinError} from '../../lib/errors.js';
import {listScenarios, type ScenarioSummary} from '../../sim/scenarios.js';
import {table} from '../../view/text/table.js';
import type {View} from '../../view/view.js';

const scenarios = listScenarios();

export default class Demo extends WinCommand {
  static override summary = 'Try kubectl win on a simulated Windows cluster';
  static override description =
    `Starts a simulated cluster on this machine, runs a command against it, stops it, and exits with the exit code of the
command.
Without a command it runs "doctor".

With --keep, "kubectl annotate node NODE demo.kubectl-win/happen=reboot" reboots a simulated Windows node.`;
  static override usage = 'demo [--scenario <name>] [--keep] [-- COMMAND…]';
  static override exitCodes = {others: 'the exit code of the command', 2: 'invalid usage or unknown scenario'};
  static override examples = [
    {description: 'Diagnose an Antrea node after a reboot', command: 'kubectl win demo'},
    {
      description: 'Run any command against a simulated cluster',
      command: 'kubectl win demo --scenario fleet -- kubectl get nodes -o wide',
    },
    {description: 'Keep the cluster running, to use it from another terminal', command: 'kubectl win demo --keep'},
    {description: 'List the scenarios', command: 'kubectl win demo --list'},
  ];
  static override strict = false;
  static override flags = {
    scenario: Flags.string({
      summary: 'Scenario to simulate',
      default: 'antrea-reboot',
      helpValue: '<name>',
      candidates: scenarios.map(({name, description}) => ({value: name, description})),
    }),
    keep: Flags.boolean({summary: 'Keep the cluster until Ctrl-C, and print how to connect to it'}),
    helper: Flags.option({options: ['simulated', 'powershell'] as const, default: 'simulated' as const})({
      summary: 'Helper on the nodes: simulated, or the real scripts run by PowerShell',
    }),
    list: Flags.boolean({summary: 'List the scenarios and exit'}),
    ...generalFlags,
  };

  async run(): Promise<Answer> {
    const [own, command] = splitCommand(this.argv);
    const {flags, argv} = await this.parse(Demo, own);
    if (argv.length > 0) {
      throw new WinError(`demo requires a command after "--", not "${String(argv[0])}".`, {
        next: [`Write: kubectl win demo -- ${argv.join(' ')}`],
      });
    }
    if (flags.list) return {result: scenarios, view: scenarioView};
    const {runInSimulation} = await import('./run-in-simulation.js');
    const {scenario, keep, helper} = flags;
    const exitCode = await runInSimulation({scenario, keep, helper, command}, this.streams);
    return alreadyPrinted(exitCode as ExitCode);
  }
}

const scenarioView: View<readonly ScenarioSummary[]> = {
  text: all =>
    table(
      ['NAME', 'DESCRIPTION'],
      all.map(({name, description}) => [name, description]),
    ),
};

function splitCommand(argv: readonly string[]): [string[], string[]] {
  const at = argv.indexOf('--');
  return at < 0 ? [[...argv], []] : [argv.slice(0, at), argv.slice(at + 1)];
}
