import * as Args from '@oclif/core/args';
import {WinCommand} from '../../cli/command.js';
import {offlineExitCodes} from '../../cli/exit-codes-and-roles.js';
import {generalFlags} from '../../cli/flags.js';

export default class CompletionScript extends WinCommand {
  static override summary = 'Print a shell completion script for the command kubectl-win';
  static override description = `For "kubectl win", use "completion install" with kubectl's own completion.`;
  static override exitCodes = offlineExitCodes;
  static override examples = [
    {description: 'In bash, for this session', command: 'source <(kubectl-win completion script bash)'},
    {
      description: 'In fish, for all sessions',
      command: 'kubectl-win completion script fish > ~/.config/fish/completions/kubectl-win.fish',
    },
  ];
  static override args = {
    shell: Args.string({description: 'bash, zsh or fish', options: ['bash', 'zsh', 'fish'], required: true}),
  };
  static override flags = {...generalFlags};

  async run() {
    const {args} = await this.parse(CompletionScript);
    const {scripts} = await import('../../cli/completion/scripts.js');
    const result = scripts[args.shell as keyof typeof scripts];
    return {result, view: {text: (script: string) => script}};
  }
}
