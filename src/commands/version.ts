import * as Flags from '@oclif/core/flags';
import packageJson from '../../package.json' with {type: 'json'};
import {connectionOf, WinCommand} from '../cli/command.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag} from '../cli/flags.js';

export default class Version extends WinCommand {
  static override summary = 'Print the version of this plugin, and of the cluster it talks to';
  static override description =
    'Also tells whether the helper that "helper install" put on the nodes is the one that this plugin carries.';
  static override examples = [
    {description: 'The plugin and the cluster', command: 'kubectl win version'},
    {description: 'The plugin alone, for a program', command: 'kubectl win version --client -o json'},
  ];
  static override flags = {
    client: Flags.boolean({summary: 'Only the plugin: ask no cluster'}),
    output: outputFlag(['text', 'json', 'yaml'], 'Format of the answer'),
    'helper-namespace': helperFlags['helper-namespace'],
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<void> {
    const {flags} = await this.parse(Version);
    const {clientVersion} = await import('../services/version.js');
    const client = clientVersion(packageJson.version);
    const machine = flags.output === 'json' || flags.output === 'yaml' ? flags.output : undefined;
    if (!machine) {
      const {version, protocol, helper, node} = client;
      this.print(`kubectl win ${version} (protocol ${protocol}, helper ${helper.slice(0, 12)}, Node ${node})\n`);
    }
    const server = flags.client ? undefined : await this.#server(flags);
    if (machine) {
      const {printDocument} = await import('../view/text/print.js');
      this.print(printDocument({client, ...(server && {server: server.found})}, machine));
    } else if (server) this.print(server.text);
  }

  async #server(flags: ServerFlags) {
    const {serverText, serverVersion} = await import('../services/server-version.js');
    const found = await this.interruptible(signal =>
      serverVersion(connectionOf(flags), flags['helper-namespace'], signal),
    );
    return {found, text: serverText(found)};
  }
}

type ServerFlags = Parameters<typeof connectionOf>[0] & {'helper-namespace': string | undefined};
