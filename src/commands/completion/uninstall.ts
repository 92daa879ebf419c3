import * as Flags from '@oclif/core/flags';
import {WinCommand} from '../../cli/command.js';
import {generalFlags} from '../../cli/flags.js';

export default class CompletionUninstall extends WinCommand {
  static override summary = 'Remove shell completion and its cache';
  static override description = `Removes kubectl_complete-win and the cached node names.`;
  static override exitCodes = {0: 'removed, or not installed', 2: 'invalid usage'};
  static override examples = [{description: 'Remove shell completion', command: 'kubectl win completion uninstall'}];
  static override flags = {
    dir: Flags.string({
      summary: 'Directory to remove it from (default: the directory of the plugin)',
      helpValue: '<directory>',
    }),
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
