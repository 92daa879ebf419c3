import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {connectionOf, WinCommand} from '../cli/command.js';
import {clusterFlags, duration, generalFlags, helperFlags, outputFlag} from '../cli/flags.js';

export default class Inspect extends WinCommand {
  static override summary = "Draw a node's network: adapters, switches, HNS networks, bridges, endpoints, pods";
  static override description =
    `Broken parts are marked with the checks that name them. Tables of adapters, load balancers and services follow.

EXIT CODES
  0  drawn, whatever is wrong with it
  2  usage, or bad input
  3  access denied
  4  the node could not be inspected`;
  static override examples = [
    {description: 'Draw the network of a node', command: 'kubectl win inspect win-1'},
    {description: 'The same as a picture', command: 'kubectl win inspect win-1 -o dot | dot -Tsvg > win-1.svg'},
    {description: 'From a snapshot', command: 'kubectl win inspect win-1 --from snapshot.json'},
  ];
  static override args = {node: Args.string({description: 'Name of a Windows node; none: pick one in the terminal'})};
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml', 'mermaid', 'dot'], 'Format of the drawing'),
    from: Flags.string({
      summary: 'Draw from a snapshot file instead of a cluster; - is standard input',
      helpValue: '<file>',
    }),
    timeout: duration({summary: 'Limit for the whole run', default: 15 * 60_000, defaultHelp: async () => '15m'}),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<void> {
    const {args, flags} = await this.parse(Inspect);
    const {showNode} = await import('../services/inspect/run.js');
    const text = await this.interruptible(signal =>
      showNode(
        {
          connection: connectionOf(flags),
          name: args.node,
          from: flags.from,
          format: flags.output,
          text: this.textOptions,
          concurrency: flags.concurrency,
          helperNamespace: flags['helper-namespace'],
          helperImage: flags['helper-image'],
          helperTimeout: flags['helper-timeout'],
          timeout: flags.timeout,
        },
        this.streams,
        signal,
      ),
    );
    this.print(text);
  }
}
