import * as Flags from '@oclif/core/flags';
import {WinCommand} from '../../cli/command.js';
import {generalFlags} from '../../cli/flags.js';

export default class CompletionUninstall extends WinCommand {
  static override summary = 'Take completion away again, with what it remembers';
  static override description = `Removes kubectl_complete-win and the names of nodes that were kept.`;
  static override exitCodes = {0: 'removed, or nothing was there', 2: 'usage'};
  static override examples = [{description: 'Take it away again', command: 'kubectl win completion uninstall'}];
  static override flags = {
    dir: Flags.string({summary: 'Folder where it is, instead of that of the plugin', helpValue: '<folder>'}),
    ...generalFlags,
  };

  async run() {
    const {flags} = await this.parse(CompletionUninstall);
    const {removeShim} = await import('../../cli/completion/shim.js');
    const {removeCache} = await import('../../cli/completion/cache-folder.js');
    await removeCache();
    const path = removeShim(flags.dir, this.streams.env);
    return path === undefined ? undefined : {result: path, view: {text: (removed: string) => `${removed}\n`}};
  }
}
