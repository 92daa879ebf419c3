import {WinCommand} from '../../cli/command.js';
import {offlineExitCodes} from '../../cli/exit-codes-and-roles.js';
import {generalFlags} from '../../cli/flags.js';

export default class HelperScript extends WinCommand {
  static override summary = 'Print the helper as one script, to run it manually on a node';
  static override description = `For nodes that cannot run HostProcess pods. Run it on the node as an administrator:

  powershell -NoProfile -ExecutionPolicy Bypass -File kubectl-win-helper.ps1 -Snapshot -OutFile node.json

then diagnose its output with "kubectl win doctor --from node.json".`;
  static override exitCodes = offlineExitCodes;
  static override examples = [
    {
      description: 'Save the script, to review it or run it manually on a node',
      command: 'kubectl win helper script > kubectl-win-helper.ps1',
    },
  ];
  static override flags = {...generalFlags};

  async run() {
    await this.parse(HelperScript);
    const {helperScript} = await import('../../helper/script.js');
    return {result: helperScript, view: {text: (script: string) => script}};
  }
}
