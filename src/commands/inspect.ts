import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {connectionOf, inspectionOf, WinCommand} from '../cli/command.js';
import {inspectRoles} from '../cli/exit-codes-and-roles.js';
import {clusterFlags, duration, generalFlags, helperFlags, outputFlag} from '../cli/flags.js';
import {letUserPickNode} from '../cli/pick-node.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {WinError} from '../lib/errors.js';
import type {CheckedNode} from '../model/result.js';
import {interactiveTerminal} from '../view/interactive-terminal.js';

export default class Inspect extends WinCommand {
  static override summary = "Draw a node's network: adapters, switches, HNS networks, bridges, endpoints, pods";
  static override description =
    `Parts with problems are marked with the ids of their checks. Tables of adapters, load balancers and services follow.`;
  static override exitCodes = {
    0: 'success, even if the node has problems',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'the node could not be inspected, or not completely',
  };
  static override roles = inspectRoles;
  static override examples = [
    {description: 'Draw the network of a node', command: 'kubectl win inspect win-1'},
    {description: 'Create an SVG picture', command: 'kubectl win inspect win-1 -o dot | dot -Tsvg > win-1.svg'},
    {description: 'Use a snapshot file', command: 'kubectl win inspect win-1 --from snapshot.json'},
  ];
  static override args = {node: Args.string({description: 'Windows node (default: choose interactively)'})};
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml', 'mermaid', 'dot'], 'Output format'),
    from: Flags.string({
      summary: 'Use a snapshot file instead of a live cluster; - reads stdin',
      helpValue: '<file>',
    }),
    timeout: duration({summary: 'Timeout for the whole command', default: 15 * 60_000, defaultHelp: async () => '15m'}),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {args, flags} = await this.parse(Inspect);
    const [{inspectExitCode, inspectNode, inspectNodeOf}, {topologyView}] = await Promise.all([
      import('../services/inspect/inspect.js'),
      import('../view/text/topology/render.js'),
    ]);
    const {from, output} = flags;
    const answer = (result: CheckedNode) => ({result, view: topologyView, exitCode: inspectExitCode(result)});
    if (from !== undefined) return answer(await inspectNodeOf(from, args.node));
    const quiet = output !== undefined && output !== 'text';
    const result = await this.interruptible(async signal => {
      const name = args.node ?? (await this.#pick(connectionOf(flags), signal));
      return inspectNode(name, inspectionOf([], flags), () => this.openProgress({quiet}), signal);
    });
    return answer(result);
  }

  /** Lets the user select a node if there is a terminal. */
  #pick(connection: ConnectionFlags, signal: AbortSignal): Promise<string> {
    const person = interactiveTerminal(this.streams);
    if (person) return letUserPickNode(connection, person, signal);
    throw new WinError('inspect requires the name of a Windows node.', {next: ['List them with: kubectl win nodes']});
  }
}
