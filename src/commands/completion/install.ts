import * as Flags from '@oclif/core/flags';
import {WinCommand} from '../../cli/command.js';
import {generalFlags} from '../../cli/flags.js';

export default class CompletionInstall extends WinCommand {
  static override summary = 'Enable shell completion for kubectl win';
  static override description =
    `Writes a small program, kubectl_complete-win, next to the plugin, which kubectl calls for completions.
It completes commands, flags, formats, Windows nodes, checks, plugins, scenarios and tunnel interfaces.
Node names are read at most once a minute.`;
  static override exitCodes = {0: 'done', 2: 'invalid usage, or the directory is not writable'};
  static override rolesNote = 'to complete node names: list nodes';
  static override examples = [
    {description: 'Install next to the plugin', command: 'kubectl win completion install'},
    {description: 'Install into another directory on the PATH', command: 'kubectl win completion install --dir ~/bin'},
  ];
  static override flags = {
    dir: Flags.string({
      summary: 'Directory on the PATH to install into (default: the directory of the plugin)',
      helpValue: '<directory>',
    }),
    ...generalFlags,
  };

  async run() {
    const {flags} = await this.parse(CompletionInstall);
    const {installShim} = await import('../../cli/completion/shim.js');
    return {result: installShim(flags.dir, this.streams.env), view: {text: (path: string) => `${path}\n`}};
  }
}
