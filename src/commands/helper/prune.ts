import * as Flags from '@oclif/core/flags';
import {connectionOf, WinCommand} from '../../cli/command.js';
import {clusterExitCodes, helperRoles} from '../../cli/exit-codes-and-roles.js';
import {clusterFlags, generalFlags, helperFlags} from '../../cli/flags.js';

export default class HelperPrune extends WinCommand {
  static override summary = 'Remove helper pods and ConfigMaps left behind by killed runs';
  static override exitCodes = clusterExitCodes;
  static override roles = helperRoles;
  static override examples = [
    {description: 'Remove leftovers of killed runs', command: 'kubectl win helper prune'},
    {description: 'Also remove pods of runs that may still be active', command: 'kubectl win helper prune --all'},
  ];
  static override flags = {
    all: Flags.boolean({summary: 'Also remove pods that another run may still use'}),
    'helper-namespace': helperFlags['helper-namespace'],
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {flags} = await this.parse(HelperPrune);
    const [{pruneFleet}, {prunedView}] = await Promise.all([
      import('../../services/helper-fleet.js'),
      import('../../view/text/helper-fleet.js'),
    ]);
    const result = await this.interruptible(signal =>
      pruneFleet(connectionOf(flags), {namespace: flags['helper-namespace'], all: flags.all, signal}),
    );
    return {result, view: prunedView};
  }
}
