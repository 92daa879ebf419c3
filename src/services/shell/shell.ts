import type {HelperSession} from '../../helper/helper-run.js';
import {commandShell, EndMark, interactiveShell, type ShellCommand} from '../../helper/shell-command.js';
import type {ExecOutcome, Keyboard} from '../../kube/exec-stream.js';
import {selectNodes} from '../../kube/select-nodes.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {type InspectOptions, withInspection} from '../../session/inspection.js';
import {type OpenProgress, withProgress} from '../../session/progress.js';

export interface ShellOptions extends InspectOptions {
  /** Runs this instead of an interactive shell. */
  readonly command: readonly string[];
}

/** What a shell needs of its terminal. */
export interface ShellPorts {
  readonly open: OpenProgress;
  /** The terminal; undefined if there is none. */
  readonly terminal: ShellTerminal | undefined;
  /** Output of a command. */
  stdout(bytes: Uint8Array): void | Promise<void>;
  stderr(bytes: Uint8Array): void | Promise<void>;
  /** Called when the shell is open, before any input. */
  entered(node: string): void;
}

export interface ShellTerminal {
  /** Sends input and every window size, starting with the current one, until the returned function is called. */
  attach(keyboard: Keyboard): () => void;
  write(bytes: Uint8Array): void | Promise<void>;
}

/**
 * Runs PowerShell as SYSTEM on a node, and returns its exit code. It always gets its own pod, even if a helper is
 * installed, so that every process it started ends with the pod.
 */
export async function shell(options: ShellOptions, ports: ShellPorts, signal: AbortSignal): Promise<number> {
  const [name, ...others] = options.names;
  if (name === undefined || others.length > 0) {
    throw new WinError('shell requires the name of one Windows node.', {next: ['List them with: kubectl win nodes']});
  }
  // Refuse what cannot run before anything is created.
  const run = runnerFor(name, options.command, ports);
  return withProgress(ports.open, progress =>
    withInspection(options, progress, signal, async inspection => {
      const [node] = await selectNodes(inspection.client, {names: [name]}, {signal: inspection.signal});
      if (!node) throw new WinError(`Node "${name}" not found.`);
      await inspection.requireHelpers();
      progress.stage(`Starting a shell on ${name}…`);
      const session = await inspection.run.open(node, {signal: inspection.signal, own: true});
      progress.end();
      return exitCodeOf(await run(session, inspection.signal), name);
    }),
  );
}

type Runner = (session: HelperSession, signal: AbortSignal) => Promise<ExecOutcome>;

function runnerFor(node: string, command: readonly string[], ports: ShellPorts): Runner {
  if (command.length > 0) {
    const given = commandShell(command);
    return (session, signal) => runCommand(session, given, ports, signal);
  }
  const {terminal} = ports;
  if (terminal) return (session, signal) => attachTerminal(session, terminal, () => ports.entered(node), signal);
  throw new WinError('shell requires a terminal, or a command after "--".', {
    next: [`Run one command: kubectl win shell ${node} -- hostname`],
  });
}

/** The command gets no stdin, so that a shell loop over nodes keeps its own. */
async function runCommand(
  session: HelperSession,
  {words, mark}: ShellCommand,
  {stdout, stderr}: ShellPorts,
  signal: AbortSignal,
): Promise<ExecOutcome> {
  const end = new EndMark(mark);
  const outcome = await session.execute(words, {
    onStdout: stdout,
    onStderr: bytes => stderr(end.take(bytes)),
    signal,
  });
  await stderr(end.rest());
  if (outcome.status === 'success' && !end.seen) return {status: 'lost', why: 'its output was cut short'};
  return outcome;
}

const attachTerminal = (
  session: HelperSession,
  terminal: ShellTerminal,
  entered: () => void,
  signal: AbortSignal,
): Promise<ExecOutcome> =>
  session.execute(interactiveShell(session.node), {
    tty: true,
    onStdout: bytes => terminal.write(bytes),
    attach: keyboard => {
      entered();
      return terminal.attach(keyboard);
    },
    signal,
  });

function exitCodeOf(outcome: ExecOutcome, node: string): number {
  if (outcome.status === 'success') return 0;
  if (outcome.status === 'exit') return outcome.code;
  throw new WinError(`the connection to ${node} was lost: ${outcome.why}.`, {
    exit: ExitCode.uninspected,
    next: ['The command ended with its pod, possibly before it was complete.'],
  });
}
