import {rmSync, unwatchFile, watchFile} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import type {HelperProgram, HelperRun} from '../helper/program.js';
import {WindowsMachine} from './machine.js';

/** Plans are on the disk of the machine itself. */
type Run = Omit<HelperRun, 'plans'>;

/**
 * Answers helper requests with the helper's real scripts under a real PowerShell. Each node has a folder of its own for as
 * long as the program lives, so that plans stay on its disk, and a plan goes on when the exec that started it has ended.
 */
export class PowerShellProgram implements HelperProgram, AsyncDisposable {
  readonly #pwsh: string;
  readonly #machines = new Map<string, WindowsMachine>();
  /** How many execs are on each node that something besides the simulation may change. */
  readonly #lent = new Map<WindowsMachine, number>();
  readonly #removeAll = () => {
    for (const {folder} of this.#machines.values()) rmSync(folder, {recursive: true, force: true});
  };

  constructor(pwsh: string) {
    this.#pwsh = pwsh;
    process.once('exit', this.#removeAll);
  }

  async run(run: Run): Promise<number> {
    const machine = this.#machineOf(run);
    this.#lend(machine, run);
    try {
      await writeFile(machine.helper, run.script);
      return await exec(machine, run);
    } finally {
      this.#leave(machine, run);
    }
  }

  /**
   * The state goes to the machine, for as long as an exec or a plan in the background may change it. What the simulation
   * changes meanwhile, as an agent does that a plan has started, it changes there.
   */
  #lend(machine: WindowsMachine, run: Run): void {
    const execs = this.#lent.get(machine);
    this.#lent.set(machine, (execs ?? 0) + 1);
    if (execs !== undefined) return;
    machine.change(() => run.state);
    run.keepStateIn(change => machine.change(change));
    watchFile(machine.stateFile, {interval: 100, persistent: false}, () => this.#look(machine, run));
  }

  #leave(machine: WindowsMachine, run: Run): void {
    const execs = this.#lent.get(machine);
    if (execs === undefined) return;
    this.#lent.set(machine, execs - 1);
    this.#look(machine, run);
  }

  /** Tells the simulation what has changed, and takes the state back when nobody else can change it any more. */
  #look(machine: WindowsMachine, run: Run): void {
    run.save(machine.read());
    if (this.#lent.get(machine) !== 0 || machine.isBusy()) return;
    this.#lent.delete(machine);
    unwatchFile(machine.stateFile);
    run.keepStateIn(undefined);
  }

  #machineOf({host, state}: Run): WindowsMachine {
    const known = this.#machines.get(host);
    if (known) return known;
    const machine = WindowsMachine.create(this.#pwsh, state);
    this.#machines.set(host, machine);
    return machine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#removeAll);
    this.#lent.clear();
    for (const machine of this.#machines.values()) {
      unwatchFile(machine.stateFile);
      await machine.dispose();
    }
    this.#machines.clear();
  }
}

async function exec(machine: WindowsMachine, run: Run): Promise<number> {
  const child = machine.start();
  const {stdin, stdout, stderr} = child;
  if (!stdin || !stdout || !stderr) throw new Error('the helper has no standard streams');
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => resolve(code ?? 1));
  });
  const stop = () => child.kill();
  run.signal.addEventListener('abort', stop, {once: true});
  // What a client sends may end, or never end; a helper that has its line needs no more of it.
  stdin.on('error', () => undefined);
  void pump(run.stdin, bytes => stdin.write(bytes));
  const output = Promise.all([pump(stdout, run.stdout), pump(stderr, run.stderr)]);
  const exitCode = await ended;
  await output;
  run.signal.removeEventListener('abort', stop);
  return exitCode;
}

async function pump(from: AsyncIterable<Uint8Array>, to: (bytes: Uint8Array) => unknown): Promise<void> {
  try {
    for await (const bytes of from) await to(bytes);
  } catch {
    // The other end is gone: whoever reads the answer sees that it is not whole.
  }
}
