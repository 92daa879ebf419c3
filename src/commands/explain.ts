import * as Args from '@oclif/core/args';
import {WinCommand} from '../cli/command.js';
import {offlineExitCodes} from '../cli/exit-codes-and-roles.js';
import {generalFlags, outputFlag} from '../cli/flags.js';

export default class Explain extends WinCommand {
  static override summary = 'Explain a check: what it means, why it fails, how to inspect and repair it manually';
  static override exitCodes = offlineExitCodes;
  static override examples = [
    {
      description: 'Explain a finding',
      command: 'kubectl win explain ovs/stale-bridge',
    },
    {description: 'List all checks', command: 'kubectl win explain'},
  ];
  static override args = {
    id: Args.string({description: 'Check id, or an area such as ovs (default: list all checks)', name: 'check'}),
  };
  static override flags = {
    output: outputFlag(['text', 'json', 'yaml', 'name', 'markdown'], 'Output format'),
    ...generalFlags,
  };

  async run() {
    const {args} = await this.parse(Explain);
    const [{explain}, {explainView}] = await Promise.all([
      import('../services/explain.js'),
      import('../view/text/explain.js'),
    ]);
    return {result: await explain(args.id), view: explainView};
  }
}
