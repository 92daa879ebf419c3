import * as Flags from '@oclif/core/flags';
import packageJson from '../../package.json' with {type: 'json'};
import {connectionOf, WinCommand} from '../cli/command.js';
import {asksCluster} from '../cli/endings.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag} from '../cli/flags.js';
import {isForPeople} from '../view/view.js';

export default class Version extends WinCommand {
  static override summary = 'Print the version of this plugin, and of the cluster it talks to';
  static override description =
    'Also tells whether the helper that "helper install" put on the nodes is the one that this plugin carries.';
  static override exitCodes = asksCluster;
  static override rolesNote = 'to see the installed helper: list daemonsets in its namespace';
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

  async run() {
    const {flags} = await this.parse(Version);
    const [{clientVersion}, {versionView}] = await Promise.all([
      import('../services/version.js'),
      import('../view/text/version.js'),
    ]);
    const client = clientVersion(packageJson.version);
    if (flags.client) return {result: {client}, view: versionView};
    const {serverVersion} = await import('../services/server-version.js');
    try {
      const server = await this.interruptible(signal =>
        serverVersion(connectionOf(flags), flags['helper-namespace'], signal),
      );
      return {result: {client, server}, view: versionView};
    } catch (error) {
      // Whatever the cluster says, the plugin has a version. A document would not be whole.
      if (isForPeople(flags.output)) await this.show({result: {client}, view: versionView});
      throw error;
    }
  }
}
