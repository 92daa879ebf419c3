import * as Args from '@oclif/core/args';
import {WinCommand} from '../cli/command.js';
import {generalFlags, outputFlag} from '../cli/flags.js';

export default class Explain extends WinCommand {
  static override summary = 'Say what a check means, why it fails, and how to see and fix it by hand';
  static override examples = [
    {
      description: 'What a finding means, why it happens, how to see and fix it',
      command: 'kubectl win explain ovs/stale-bridge',
    },
    {description: 'List every check', command: 'kubectl win explain'},
  ];
  static override args = {
    id: Args.string({description: 'Id of a check, or an area such as ovs; none: all of them', name: 'check'}),
  };
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml', 'name', 'markdown'], 'Format of the answer'),
    ...generalFlags,
  };

  async run(): Promise<void> {
    const {args, flags} = await this.parse(Explain);
    const {explain} = await import('../services/explain.js');
    this.print(explain(args.id, flags.output, this.textOptions));
  }
}
