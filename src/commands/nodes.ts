import * as Args from '@oclif/core/args';
import {connectionOf, selectionOf, WinCommand} from '../cli/command.js';
import {clusterExitCodes, lookRoles} from '../cli/exit-codes-and-roles.js';
import {clusterFlags, generalFlags, nodeFlags, outputFlag} from '../cli/flags.js';

export default class Nodes extends WinCommand {
  static override summary = 'List Windows nodes with version, runtime, network plugin, address, boot time and helper';
  static override description =
    `Reads only the Kubernetes API; nothing runs on the nodes. Boot times come from the kubelets and require get on
nodes/proxy, which administrators have and the roles of kubectl win do not include. Without it they are unknown.`;
  static override exitCodes = {
    ...clusterExitCodes,
    4: 'a list that identifies the network plugin, or the API server, could not be read',
  };
  static override roles = lookRoles;
  static override examples = [
    {description: 'All Windows nodes', command: 'kubectl win nodes'},
    {description: 'Select nodes by label, with more columns', command: 'kubectl win nodes -l pool=windows -o wide'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Windows nodes (default: all)'})};
  static override flags = {
    output: outputFlag(['wide', 'json', 'yaml', 'name'], 'Output format'),
    ...nodeFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Nodes);
    const [{listNodes, nodesExitCode}, {nodesView}] = await Promise.all([
      import('../services/nodes.js'),
      import('../view/text/nodes.js'),
    ]);
    const result = await this.interruptible(signal =>
      listNodes({connection: connectionOf(flags), ...selectionOf(argv, flags)}, signal),
    );
    return {result, view: nodesView, exitCode: nodesExitCode(result)};
  }
}
