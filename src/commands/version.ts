import {Flags} from '@oclif/core';
import packageJson from '../../package.json' with {type: 'json'};
import {connectionOf, WinCommand} from '../command.js';
import {clusterFlags, generalFlags, outputFlag} from '../flags.js';

export default class Version extends WinCommand {
  static override summary = 'Print the version of this plugin, and of the cluster it talks to';
  static override examples = [
    {description: 'The plugin and the cluster', command: 'kubectl win version'},
    {description: 'The plugin alone, for a program', command: 'kubectl win version --client -o json'},
  ];
  static override flags = {
    client: Flags.boolean({summary: 'Only the plugin: ask no cluster'}),
    output: outputFlag(['text', 'json', 'yaml'], 'Format of the answer'),
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<void> {
    const {flags} = await this.parse(Version);
    const {clientVersion, serverVersion} = await import('../version.js');
    const client = clientVersion(packageJson.version);
    const server = flags.client
      ? undefined
      : await this.interruptible(signal => serverVersion(connectionOf(flags), signal));
    if (flags.output === 'json' || flags.output === 'yaml') {
      const {printDocument} = await import('../report/print.js');
      this.print(printDocument({client, ...(server && {server})}, flags.output));
      return;
    }
    this.print(
      `kubectl win ${client.version} (protocol ${client.protocol}, helper ${client.helper.slice(0, 12)}, Node ${client.node})\n`,
    );
    if (server) this.print(`server ${server.version}\n`);
  }
}
