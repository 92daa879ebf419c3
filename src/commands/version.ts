import {Flags} from '@oclif/core';
import {connectionOf, WinCommand} from '../command.js';
import {clusterFlags, generalFlags, outputFlag} from '../flags.js';

export default class Version extends WinCommand {
  static override summary = 'Print the version of this plugin, and of the cluster it talks to';
  static override examples = ['<%= config.bin %> version', '<%= config.bin %> version --client -o json'];
  static override flags = {
    ...clusterFlags,
    ...generalFlags,
    client: Flags.boolean({summary: 'Only the plugin: ask no cluster'}),
    output: outputFlag(['text', 'json', 'yaml'], 'Format of the answer'),
  };

  async run(): Promise<void> {
    const {flags} = await this.parse(Version);
    const {clientVersion, serverVersion} = await import('../version.js');
    const client = clientVersion(this.config.version);
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
