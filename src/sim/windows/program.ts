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
  readonly #followed = new Set<WindowsMachine>();
  readonly #removeAll = () => {
    for (const {folder} of this.#machines.values()) rmSync(folder, {recursive: true, force: true});
  };

  constructor(pwsh: string) {
    this.#pwsh = pwsh;
    process.once('exit', this.#removeAll);
  }

  async run(run: Run): Promise<number> {
    const machine = await this.#machineOf(run);
    await writeFile(machine.helper, run.script);
    // A plan that goes on in the background owns the state; nothing else on the node changes meanwhile.
    if (!this.#followed.has(machine)) await machine.write(run.state);
    const exitCode = await exec(machine, run);
    run.save(await machine.read());
    if (await machine.isBusy()) this.#follow(machine, run);
    else this.#unfollow(machine);
    return exitCode;
  }

  /** Tells the simulation of every change that a plan in the background makes, until the plan has ended. */
  #follow(machine: WindowsMachine, run: Run): void {
    if (this.#followed.has(machine)) return;
    this.#followed.add(machine);
    const look = async () => {
      const busy = await machine.isBusy();
      run.save(await machine.read());
      if (!busy) this.#unfollow(machine);
    };
    watchFile(machine.stateFile, {interval: 100, persistent: false}, () => void look());
  }

  #unfollow(machine: WindowsMachine): void {
    this.#followed.delete(machine);
    unwatchFile(machine.stateFile);
  }

  async #machineOf({host, state}: Run): Promise<WindowsMachine> {
    const known = this.#machines.get(host);
    if (known) return known;
    const machine = await WindowsMachine.create(this.#pwsh, state);
    this.#machines.set(host, machine);
    return machine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#removeAll);
    for (const machine of this.#machines.values()) {
      this.#unfollow(machine);
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
