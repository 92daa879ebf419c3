import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {constants, tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {isSea} from 'node:sea';
import {ExitCode, WinError} from '../../lib/errors.js';
import type {Streams} from '../../lib/streams.js';
import {loadScenario} from '../../sim/scenarios.js';
import {startSimulation} from '../../sim/simulation.js';

export interface DemoOptions {
  readonly scenario: string;
  readonly keep: boolean;
  /** What answers requests on the simulated nodes: the simulation, or the real helper scripts in PowerShell. */
  readonly helper: 'simulated' | 'powershell';
  /** The command and its arguments; none: `doctor`. */
  readonly command: readonly string[];
}

/** Runs a command in a simulated cluster and returns its exit code. Removes everything afterwards. */
export async function runInSimulation(
  {scenario, keep, helper, command}: DemoOptions,
  {out, err}: Streams,
): Promise<number> {
  const program = helper === 'powershell' ? await powerShell() : undefined;
  const simulation = await startSimulation({
    scenario: loadScenario(scenario),
    controllers: true,
    ...(program && {helper: program}),
  });
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-demo-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, simulation.kubeconfig, {mode: 0o600});
    await writePluginShim(folder);
    const environment = {
      ...process.env,
      KUBECONFIG: kubeconfig,
      PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`,
    };
    if (keep) out.write(`export KUBECONFIG=${kubeconfig}\n`);
    if (!keep) return await runCommand(command.length > 0 ? command : [...ourselves(), 'doctor'], environment);
    const code = command.length > 0 ? await runCommand(command, environment) : ExitCode.ok;
    err.write(`The simulated cluster "${scenario}" is running at ${simulation.url}. Press Ctrl-C to stop it.\n`);
    await interrupted();
    return code;
  } finally {
    await simulation.close();
    await program?.[Symbol.asyncDispose]();
    await rm(folder, {recursive: true, force: true});
  }
}

async function powerShell() {
  const {findPowerShell} = await import('../../sim/windows/powershell.js');
  const {PowerShellProgram} = await import('../../sim/windows/program.js');
  const pwsh = findPowerShell();
  if (pwsh) return new PowerShellProgram(pwsh);
  throw new WinError('--helper=powershell requires PowerShell, which was not found.', {
    next: ['Put pwsh on the PATH, or set the environment variable PWSH to its path.'],
  });
}

/** The command line of this program: Node and the bundle, or the single executable. */
function ourselves(): string[] {
  const script = process.argv[1];
  return script === undefined || isSea() ? [process.execPath] : [process.execPath, script];
}

/** Puts `kubectl-win` on the PATH, so that `kubectl win` in the demo runs this program. */
async function writePluginShim(folder: string): Promise<void> {
  const words = ourselves();
  if (process.platform === 'win32') {
    await writeFile(join(folder, 'kubectl-win.cmd'), `@${words.map(word => `"${word}"`).join(' ')} %*\r\n`);
    return;
  }
  const quoted = words.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const shim = join(folder, 'kubectl-win');
  await writeFile(shim, `#!/bin/sh\nexec ${quoted} "$@"\n`);
  await chmod(shim, 0o755);
}

async function runCommand(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {stdio: 'inherit', env});
  // Ctrl-C reaches the command through the terminal; other signals must be forwarded.
  const ignore = () => {};
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', ignore).on('SIGTERM', pass).on('SIGHUP', pass);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal ? constants.signals[signal] : 0);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'program not found' : String(error);
    throw new WinError(`cannot run "${program}": ${reason}.`, {cause: error});
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', pass).off('SIGHUP', pass);
  }
}

async function interrupted(): Promise<void> {
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  await new Promise<void>(resolve => {
    for (const signal of signals) process.once(signal, () => resolve());
  });
}
