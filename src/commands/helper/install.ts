import * as Flags from '@oclif/core/flags';
import {connectionOf, inspectionOf, WinCommand} from '../../cli/command.js';
import {clusterFlags, generalFlags, helperFlags, outputFlag, timeoutFlag} from '../../cli/flags.js';
import {WinError} from '../../lib/errors.js';

export default class HelperInstall extends WinCommand {
  static override summary = 'Keep the helper on all Windows nodes as a DaemonSet, for fleets that are looked at often';
  static override description =
    `With --cleanup-on-boot each node also gets a scheduled task that mends its network after every boot without a person:
it waits for the network to come back by itself and, where it does not, carries out steps of levels soft and medium that
you have seen here. Nodes where no task could help are named, with the reason. Run it again for nodes that came later.

EXIT CODES
  0  installed
  2  usage, or declined
  3  access denied
  4  a node could not be reached`;
  static override examples = [
    {description: 'Keep a helper on every Windows node', command: 'kubectl win helper install'},
    {description: 'In a namespace of your own', command: 'kubectl win helper install --helper-namespace ops'},
    {description: 'See the manifests', command: 'kubectl win helper install --dry-run=client'},
    {
      description: 'See what nodes would do at a boot, then let them',
      command:
        'kubectl win helper install --cleanup-on-boot --dry-run=client\nkubectl win helper install --cleanup-on-boot',
    },
  ];
  static override flags = {
    'cleanup-on-boot': Flags.boolean({summary: 'Also let nodes mend their network at every boot by themselves'}),
    'dry-run': Flags.option({options: ['client'] as const})({
      summary: 'Only show what would be made; with --cleanup-on-boot, what nodes would do at a boot',
    }),
    output: outputFlag(['text', 'json', 'yaml'], 'Format of what --dry-run shows'),
    yes: Flags.boolean({char: 'y', summary: 'Do not ask'}),
    timeout: timeoutFlag(10),
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run(): Promise<void> {
    const {flags} = await this.parse(HelperInstall);
    const dryRun = flags['dry-run'] !== undefined;
    if (flags.output !== undefined && !dryRun)
      throw new WinError('--output is the format of what --dry-run shows.', {next: ['Give --dry-run=client with it.']});
    if (flags['cleanup-on-boot']) {
      const {setOnBoot} = await import('../../services/boot/run.js');
      const {yes, output: format} = flags;
      const options = {...inspectionOf([], flags), dryRun, yes, format, text: this.textOptions};
      const {output, exitCode} = await this.interruptible(signal => setOnBoot(options, this.streams, signal));
      this.print(output);
      process.exitCode = exitCode;
      return;
    }
    const {fleetManifests, installFleet} = await import('../../services/helper.js');
    const place = {namespace: flags['helper-namespace'], image: flags['helper-image']};
    if (dryRun) {
      this.print(fleetManifests(place, flags.output));
      return;
    }
    this.print(await this.interruptible(signal => installFleet(connectionOf(flags), {...place, signal})));
  }
}
