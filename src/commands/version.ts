import * as Flags from '@oclif/core/flags';
import packageJson from '../../package.json' with {type: 'json'};
import {connectionOf, WinCommand} from '../cli/command.js';
import {clusterExitCodes} from '../cli/exit-codes-and-roles.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag} from '../cli/flags.js';
import {isForPeople} from '../view/view.js';

export default class Version extends WinCommand {
  static override summary = 'Print the version of kubectl win and of the cluster';
  static override description = 'Also reports whether the helper installed with "helper install" matches this version.';
  static override exitCodes = clusterExitCodes;
  static override rolesNote = 'to see the installed helper: list daemonsets in its namespace';
  static override examples = [
    {description: 'Print both versions', command: 'kubectl win version'},
    {description: 'Print only the client version, as JSON', command: 'kubectl win version --client -o json'},
  ];
  static override flags = {
    client: Flags.boolean({summary: 'Client version only; do not contact the cluster'}),
    output: outputFlag(['text', 'json', 'yaml'], 'Output format'),
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
      // Print the client version even if the cluster fails, but no incomplete document.
      if (isForPeople(flags.output)) await this.show({result: {client}, view: versionView});
      throw error;
    }
  }
}
