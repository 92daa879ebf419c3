import * as Args from '@oclif/core/args';
import {connectionOf, selectionOf, WinCommand} from '../cli/command.js';
import {asksCluster, lookRoles} from '../cli/endings.js';
import {clusterFlags, generalFlags, nodeFlags, outputFlag} from '../cli/flags.js';

export default class Nodes extends WinCommand {
  static override summary = 'List Windows nodes at a glance: version, runtime, plugin, address, boot time, helper';
  static override description =
    `Reads the API alone: nothing is put on a node. Boot times come from kubelets through the API server. That takes get on
nodes/proxy, which administrators have and no role of kubectl win: without it they are unknown, and no kubelet is asked.`;
  static override exitCodes = asksCluster;
  static override roles = lookRoles;
  static override examples = [
    {description: 'All Windows nodes', command: 'kubectl win nodes'},
    {description: 'Some of them, with more columns', command: 'kubectl win nodes -l pool=windows -o wide'},
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Names of Windows nodes; none: all of them'})};
  static override flags = {
    output: outputFlag(['wide', 'json', 'yaml', 'name'], 'Format of the list'),
    ...nodeFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Nodes);
    const [{listNodes}, {nodesView}] = await Promise.all([
      import('../services/nodes.js'),
      import('../view/text/nodes.js'),
    ]);
    const result = await this.interruptible(signal =>
      listNodes({connection: connectionOf(flags), ...selectionOf(argv, flags)}, signal),
    );
    return {result, view: nodesView};
  }
}
