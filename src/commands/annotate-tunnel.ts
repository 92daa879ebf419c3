import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {type Answer, alreadyPrinted} from '../cli/answer.js';
import {connectionOf, inspectionOf, WinCommand} from '../cli/command.js';
import {repairRoles} from '../cli/exit-codes-and-roles.js';
import {inspectFlags, outputFlag, timeoutFlag} from '../cli/flags.js';
import {letUserPickNode} from '../cli/pick-node.js';
import {ExitCode} from '../lib/errors.js';
import type {AnnotationResult} from '../services/tunnel/annotation-result.js';
import type {FollowOptions} from '../services/tunnel/follow-annotation.js';
import {interactiveTerminal} from '../view/interactive-terminal.js';
import {isForPeople} from '../view/view.js';

const rules = ['cidr', 'match', 'mac-prefix', 'from-file', 'remove', 'show'];
const exclusive = (own: string) => rules.filter(name => name !== own);

export default class AnnotateTunnel extends WinCommand {
  static override summary = 'Set the tunnel interface of Kube-OVN Windows nodes';
  static override description =
    `Writes the node annotation ovn.kubernetes.io/tunnel_interface after validating it on the node: the adapter must exist
under exactly that name, be up, have a usable address and reach the other nodes. Kube-OVN reads it when it starts.`;
  static override exitCodes = {
    0: 'done',
    1: '--show found a node where annotation, adapter and tunnel address do not match',
    2: 'invalid usage, or a node was refused and not changed',
    3: 'access denied',
    4: 'a node could not be inspected; the report is incomplete',
  };
  static override roles = repairRoles;
  static override rolesNote = 'with --show only kubectl-win-look, kubectl-win-inspect';
  static override examples = [
    {description: 'Set an adapter by name', command: 'kubectl win annotate-tunnel win-1 "Ethernet 2"'},
    {description: 'Choose an adapter interactively', command: 'kubectl win annotate-tunnel win-1'},
    {
      description: 'Select the adapter by address on every node',
      command: 'kubectl win annotate-tunnel --all --cidr 10.20.0.0/16',
    },
    {
      description: 'Check whether annotation, adapter and tunnel address match',
      command: 'kubectl win annotate-tunnel --show',
    },
  ];
  static override usage = [
    'annotate-tunnel NODE [ADAPTER]',
    'annotate-tunnel (NODE... | -l <selector> | --all) (--cidr <cidr> | --match <regex> | --mac-prefix <mac>)',
    'annotate-tunnel --from-file <file>',
    'annotate-tunnel (NODE... | -l <selector> | --all) --remove',
    'annotate-tunnel [NODE... | -l <selector>] --show',
  ];
  static override strict = false;
  static override args = {
    node: Args.string({
      description:
        'Windows node; several with --cidr, --match, --mac-prefix, --remove or --show (default: choose interactively)',
    }),
    adapter: Args.string({description: 'Adapter name (default: choose interactively)'}),
  };
  static override flags = {
    cidr: Flags.string({
      summary: 'Select the adapter that has an address in this CIDR',
      helpValue: '<cidr>',
      exclusive: exclusive('cidr'),
    }),
    match: Flags.string({
      summary: 'Select the adapter whose name matches this regular expression (not anchored)',
      helpValue: '<regex>',
      exclusive: exclusive('match'),
    }),
    'mac-prefix': Flags.string({
      summary: 'Select the adapter whose MAC address has this prefix',
      helpValue: '<mac>',
      exclusive: exclusive('mac-prefix'),
    }),
    'from-file': Flags.string({
      summary: 'Read nodes and adapters from a file, one node per line; - reads stdin',
      helpValue: '<file>',
      exclusive: exclusive('from-file'),
    }),
    remove: Flags.boolean({summary: 'Remove the annotation', exclusive: exclusive('remove')}),
    show: Flags.boolean({
      summary: 'Show annotation, adapter and tunnel address, and whether they match',
      exclusive: exclusive('show'),
    }),
    overwrite: Flags.boolean({summary: 'Replace an existing annotation'}),
    'dry-run': Flags.option({options: ['none', 'client', 'server'] as const, default: 'none' as const})({
      summary: 'client: only show the change; server: also validate it on the server',
    }),
    apply: Flags.boolean({
      summary:
        'Also recreate an existing network on the new adapter, as cleanup does; with other plugins, change their setting if that is safe',
    }),
    yes: Flags.boolean({char: 'y', summary: 'Do not ask for confirmation'}),
    output: outputFlag(['json', 'yaml'], 'Output format'),
    snapshot: Flags.string({
      summary: 'Read the adapters from a snapshot file, for nodes that cannot run a helper; - reads stdin',
      helpValue: '<file>',
    }),
    timeout: timeoutFlag(60),
    ...inspectFlags,
    all: Flags.boolean({summary: 'All Windows nodes', helpGroup: 'Node'}),
  };

  async run() {
    const {flags, argv} = await this.parse(AnnotateTunnel);
    const [
      {annotateTunnel},
      {requestOf, namesNoNode},
      {tunnelExitCode},
      {terminalTunnelPorts: tunnelPorts},
      {tunnelView},
    ] = await Promise.all([
      import('../services/tunnel/annotate-tunnel.js'),
      import('../services/tunnel/annotation-request.js'),
      import('../services/tunnel/annotation-result.js'),
      import('../cli/annotation-ports.js'),
      import('../view/text/tunnel.js'),
    ]);
    const ports = tunnelPorts(this.streams, {quiet: !isForPeople(flags.output)});
    const person = interactiveTerminal(this.streams);
    const named = argv.map(String);
    return this.interruptible(async (signal): Promise<Answer | undefined> => {
      const words =
        person && namesNoNode(named, flags) ? [await letUserPickNode(connectionOf(flags), person, signal)] : named;
      const options = {
        ...inspectionOf([], {...flags, all: false, selector: undefined}),
        request: requestOf(words, flags),
        overwrite: flags.overwrite,
        dryRun: flags['dry-run'],
        apply: flags.apply,
        yes: flags.yes,
        snapshot: flags.snapshot,
      };
      const result = await annotateTunnel(options, ports, signal);
      const answer = {result, view: tunnelView, exitCode: tunnelExitCode(result)};
      if (!options.apply || options.dryRun !== 'none' || result.kind !== 'annotated') return answer;
      await this.show(answer);
      return alreadyPrinted((await this.#follow(result.results, options, signal)) || answer.exitCode);
    });
  }

  /** Moves the networks of the annotated nodes, and reports the outcome on stderr. */
  async #follow(results: readonly AnnotationResult[], options: FollowOptions, signal: AbortSignal) {
    const [{followAnnotation}, {cleanupExitCode}, {cleanupPorts}, {cleanupView}] = await Promise.all([
      import('../services/tunnel/follow-annotation.js'),
      import('../services/cleanup/cleanup-result.js'),
      import('../cli/cleanup-ports.js'),
      import('../view/text/cleanup.js'),
    ]);
    const ports = cleanupPorts(this.streams, this.textOptions);
    const followed = await followAnnotation(results, options, ports, signal);
    if (!followed) return ExitCode.ok;
    this.streams.err.write(cleanupView.text(followed, this.textOptions));
    return cleanupExitCode(followed);
  }
}
