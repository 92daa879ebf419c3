import * as Args from '@oclif/core/args';
import {WinCommand} from '../cli/command.js';
import {asksNobody} from '../cli/endings.js';
import {generalFlags, outputFlag} from '../cli/flags.js';

export default class Explain extends WinCommand {
  static override summary = 'Say what a check means, why it fails, and how to see and fix it by hand';
  static override exitCodes = asksNobody;
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

  async run() {
    const {args} = await this.parse(Explain);
    const [{explain}, {explainView}] = await Promise.all([
      import('../services/explain.js'),
      import('../view/text/explain.js'),
    ]);
    return {result: explain(args.id), view: explainView};
  }
}
