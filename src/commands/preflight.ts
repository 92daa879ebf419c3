import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectRoles} from '../cli/exit-codes-and-roles.js';
import {clusterFlags, duration, generalFlags, helperFlags, nodeFlags, outputFlag} from '../cli/flags.js';
import {isForPeople} from '../view/view.js';

export default class Preflight extends WinCommand {
  static override summary = 'Check whether Windows nodes and the cluster are ready for a network plugin';
  static override description =
    `For a plugin that is not installed yet: lists the documented requirements, which are met, and how to meet the others.
Nothing is changed. Plugins: antrea, kube-ovn, flannel, calico, azure, ovn-kubernetes, win-bridge, win-overlay, wincni.`;
  static override exitCodes = {
    0: 'all nodes are ready',
    1: 'a node or the cluster is not ready',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'a node could not be inspected, or its readiness could not be determined',
  };
  static override roles = inspectRoles;
  static override examples = [
    {description: 'Inspect all Windows nodes', command: 'kubectl win preflight kube-ovn'},
    {description: 'Inspect one node', command: 'kubectl win preflight antrea win-1'},
    {description: 'Check for Flannel in host-gw mode', command: 'kubectl win preflight flannel --mode host-gw'},
    {
      description: 'Diagnose a snapshot taken earlier',
      command: 'kubectl win preflight calico --from snapshot.json',
    },
  ];
  static override strict = false;
  static override args = {
    plugin: Args.string({description: 'Network plugin'}),
    node: Args.string({description: 'Windows nodes (default: all)'}),
  };
  static override flags = {
    output: outputFlag(['text', 'short', 'json', 'yaml'], 'Output format'),
    mode: Flags.string({
      summary:
        'Mode of the plugin: overlay or host-gw (flannel), vxlan or bgp (calico), container or service for OVS (antrea)',
      helpValue: '<mode>',
    }),
    from: Flags.string({
      summary: 'Diagnose a snapshot file instead of a live cluster; - reads stdin',
      helpValue: '<file>',
    }),
    timeout: duration({summary: 'Timeout for the whole command', default: 15 * 60_000, defaultHelp: async () => '15m'}),
    ...nodeFlags,
    ...helperFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const {flags, argv} = await this.parse(Preflight);
    const [{preflight}, {preflightExitCode}, {preflightView}] = await Promise.all([
      import('../services/preflight/preflight.js'),
      import('../services/preflight/preflight-report.js'),
      import('../view/text/preflight.js'),
    ]);
    const [plugin, ...nodes] = argv.map(String);
    const {mode, from, verbose} = flags;
    const options = {...inspectionOf(nodes, flags), plugin, mode, from, verbose};
    const quiet = !isForPeople(flags.output);
    const result = await this.interruptible(signal => preflight(options, () => this.openProgress({quiet}), signal));
    return {result, view: preflightView, exitCode: preflightExitCode(result)};
  }
}
