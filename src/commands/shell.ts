import * as Args from '@oclif/core/args';
import {alreadyPrinted} from '../cli/answer.js';
import {inspectionOf, WinCommand} from '../cli/command.js';
import {inspectRoles} from '../cli/exit-codes-and-roles.js';
import {clusterFlags, duration, generalFlags, helperFlags} from '../cli/flags.js';
import type {ExitCode} from '../lib/errors.js';

const {concurrency: _, ...podFlags} = helperFlags;

export default class Shell extends WinCommand {
  static override summary = 'Open PowerShell as SYSTEM on a Windows node, or run one command there';
  static override description =
    `Starts a separate HostProcess pod on the node and runs Windows PowerShell in it as NT AUTHORITY\\SYSTEM. The pod is removed at the end, with every process started in it.
Nothing is reviewed or undone: commands change the node immediately. To repair a network, prefer "cleanup", which shows a plan and can roll it back.

One word after "--" is a PowerShell script. Several words are a command and its arguments. The command does not read stdin.`;
  static override usage = ['shell NODE [options]', 'shell NODE [options] -- COMMAND...'];
  static override exitCodes = {
    others: 'the exit code of the shell or command (255 if it is larger)',
    2: 'invalid usage or input',
    3: 'access denied',
    4: 'the shell could not be started, or the connection was lost',
  };
  static override roles = inspectRoles;
  static override examples = [
    {description: 'An interactive shell', command: 'kubectl win shell win-1'},
    {description: 'One command', command: 'kubectl win shell win-1 -- Get-NetAdapter'},
    {
      description: 'A PowerShell script',
      command: "kubectl win shell win-1 -- 'Get-HnsNetwork | Select-Object Name, Type'",
    },
  ];
  static override strict = false;
  static override args = {node: Args.string({description: 'Name of a Windows node', required: true})};
  static override flags = {
    timeout: duration({
      summary: 'How long the shell may stay open',
      default: 8 * 60 * 60_000,
      defaultHelp: async () => '8h',
    }),
    ...podFlags,
    ...clusterFlags,
    ...generalFlags,
  };

  async run() {
    const at = this.argv.indexOf('--');
    const command = at < 0 ? [] : this.argv.slice(at + 1);
    const {flags, argv} = await this.parse(Shell, at < 0 ? this.argv : this.argv.slice(0, at));
    const [{shell}, {openTerminal}] = await Promise.all([
      import('../services/shell/shell.js'),
      import('../cli/terminal.js'),
    ]);
    const terminal = command.length > 0 ? undefined : openTerminal();
    const ports = {
      open: () => this.openProgress({quiet: command.length > 0 && this.streams.err.isTTY !== true}),
      terminal,
      stdout: (bytes: Uint8Array) => written(process.stdout, bytes),
      stderr: (bytes: Uint8Array) => written(process.stderr, bytes),
      entered: (node: string) =>
        this.say(
          `PowerShell on ${node} as NT AUTHORITY\\SYSTEM. Changes take effect immediately. Type "exit" to leave.`,
        ),
    };
    try {
      const options = {...inspectionOf(argv, {...flags, concurrency: undefined}), command};
      const code = await this.interruptible(signal => shell(options, ports, signal));
      return alreadyPrinted(Math.min(code < 0 ? 255 : code, 255) as ExitCode);
    } finally {
      terminal?.restore();
    }
  }
}

/** Waits for a slow reader. */
const written = (stream: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> =>
  new Promise(resolve => stream.write(bytes, () => resolve()));
