import * as Args from '@oclif/core/args';
import {connectionOf, selectionOf, WinCommand} from '../cli/command.js';
import {clusterFlags, generalFlags, nodeFlags, outputFlag} from '../cli/flags.js';

export default class Nodes extends WinCommand {
  static override summary = 'List Windows nodes at a glance: version, runtime, plugin, address, boot time, helper';
  static override description = `Reads the API alone: nothing is put on a node.

EXIT CODES
  0  done
  2  usage, or bad input
  3  access denied
  4  the API server could not be asked`;
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

  async run(): Promise<void> {
    const {flags, argv} = await this.parse(Nodes);
    const {listNodes, renderNodes} = await import('../services/nodes.js');
    const rows = await this.interruptible(signal =>
      listNodes({connection: connectionOf(flags), ...selectionOf(argv, flags)}, signal),
    );
    this.print(renderNodes(rows, flags.output, Date.now()));
  }
}
