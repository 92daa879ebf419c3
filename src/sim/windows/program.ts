import {rmSync, unwatchFile, watchFile} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {isDeepStrictEqual} from 'node:util';
import type {NodeDump} from '../../snapshot/document.js';
import type {ExecSession} from '../api/exec.js';
import {firstLine} from '../helper/lines.js';
import type {HelperNode, HelperProgram, ProgramRun} from '../helper/program.js';
import {WindowsMachine} from './machine.js';
import {runShell} from './run-shell.js';
import {everyMs, isForStartup, ownTasks} from './scheduled-tasks.js';
import {untilEnd} from './until-end.js';

/** The clock interval of Task Scheduler. */
const tickMs = 250;

/** Plans are on the disk of the machine. */
type Run = Omit<ProgramRun, 'plans'>;

/**
 * Answers helper requests with the real helper scripts under a real PowerShell. Each node has its own folder as long as
 * the program exists, so plans stay on its disk, and a plan continues after the exec that started it has ended.
 */
export class PowerShellProgram implements HelperProgram, AsyncDisposable {
  readonly #pwsh: string;
  readonly #machines = new Map<string, WindowsMachine>();
  /** Machines that currently own the state of their node. */
  readonly #lent = new Map<WindowsMachine, Loan>();
  readonly #timeScale: number;
  readonly #removeAll = () => {
    for (const machine of this.#machines.values()) {
      machine.shutDown();
      rmSync(machine.folder, {recursive: true, force: true});
    }
  };

  /** `timeScale` multiplies the intervals of Task Scheduler. */
  constructor(pwsh: string, {timeScale = 1}: {timeScale?: number} = {}) {
    this.#pwsh = pwsh;
    this.#timeScale = timeScale;
    process.once('exit', this.#removeAll);
  }

  async run(run: Run): Promise<number> {
    const machine = this.#makeMachine(run);
    const loan = this.#lend(machine, run);
    loan.execs += 1;
    try {
      await writeFile(machine.helper, run.script);
      return await exec(machine, run);
    } finally {
      loan.execs -= 1;
      this.#look(machine, loan);
    }
  }

  /** A user's PowerShell on a node. It can change the state of the node like a step. */
  async shell(node: HelperNode, command: readonly string[], session: ExecSession): Promise<number> {
    const machine = this.#makeMachine(node);
    const loan = this.#lend(machine, node);
    loan.execs += 1;
    try {
      return await runShell(machine, command, session);
    } finally {
      loan.execs -= 1;
      this.#look(machine, loan);
    }
  }

  /** Runs the helper script as a user does on the node, with typed input. */
  async manually(node: HelperNode, parameters: readonly string[], typed: string) {
    const machine = this.#makeMachine(node);
    const loan = this.#lend(machine, node);
    loan.execs += 1;
    try {
      const child = machine.start(parameters);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', chunk => {
          output += String(chunk);
        });
      child.stdin?.end(typed);
      const exitCode = await new Promise<number | null>(resolve => child.on('close', resolve));
      return {exitCode, output};
    } finally {
      loan.execs -= 1;
      this.#look(machine, loan);
    }
  }

  /** The machine of a node; undefined before its first request. */
  machineOf(host: string): WindowsMachine | undefined {
    return this.#machines.get(host);
  }

  powerOff(host: string): void {
    const machine = this.#machines.get(host);
    if (!machine) return;
    machine.powerOff();
    const loan = this.#lent.get(machine);
    if (loan) this.#takeBack(machine, loan);
  }

  /** Starts the startup tasks, like Task Scheduler. */
  powerOn(node: HelperNode): void {
    const machine = this.#machines.get(node.host);
    if (!machine || !ownTasks(node.state).some(isForStartup)) return;
    const loan = this.#lend(machine, node);
    for (const task of machine.tasks().filter(isForStartup)) machine.startTask(task);
    this.#look(machine, loan);
  }

  /**
   * Moves the state to the machine as long as an exec or a background task may change it. Meanwhile the simulation makes
   * its own changes there too, for example those of an agent that a plan started.
   */
  #lend(machine: WindowsMachine, node: HelperNode): Loan {
    const known = this.#lent.get(machine);
    if (known) return known;
    machine.change(() => node.state);
    node.keepStateIn(change => machine.change(change));
    const clock = setInterval(() => this.#tick(machine, loan), tickMs).unref();
    const loan: Loan = {node, execs: 0, due: new Map(), clock};
    this.#lent.set(machine, loan);
    watchFile(machine.stateFile, {interval: 100, persistent: false}, () => this.#look(machine, loan));
    return loan;
  }

  /** Starts due tasks. The first start is one interval after registration. */
  #tick(machine: WindowsMachine, loan: Loan): void {
    const tasks = machine.tasks();
    for (const task of tasks) {
      const interval = everyMs(task);
      if (interval === undefined) continue;
      const due = loan.due.get(task.TaskName) ?? Date.now() + interval * this.#timeScale;
      const isDue = due <= Date.now();
      loan.due.set(task.TaskName, isDue ? Date.now() + interval * this.#timeScale : due);
      if (isDue) machine.startTask(task);
    }
    // A killed process does not change the state file on exit.
    if (loan.execs === 0 && !machine.isBusy()) this.#look(machine, loan);
  }

  /** Reports changes to the simulation, and takes the state back once nothing else can change it. */
  #look(machine: WindowsMachine, loan: Loan): void {
    if (this.#lent.get(machine) !== loan) return;
    const state = machine.read();
    if (!isDeepStrictEqual(state, loan.seen)) {
      loan.seen = state;
      loan.node.save(state);
    }
    if (loan.execs === 0 && !machine.isBusy()) this.#takeBack(machine, loan);
  }

  #takeBack(machine: WindowsMachine, loan: Loan): void {
    clearInterval(loan.clock);
    unwatchFile(machine.stateFile);
    this.#lent.delete(machine);
    loan.node.save(machine.read());
    loan.node.keepStateIn(undefined);
  }

  #makeMachine({host, name, state}: HelperNode): WindowsMachine {
    const known = this.#machines.get(host);
    if (known) return known;
    const machine = WindowsMachine.create(this.#pwsh, state, name);
    this.#machines.set(host, machine);
    return machine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#removeAll);
    for (const [machine, {clock}] of this.#lent) {
      clearInterval(clock);
      unwatchFile(machine.stateFile);
    }
    this.#lent.clear();
    for (const machine of this.#machines.values()) await machine.dispose();
    this.#machines.clear();
  }
}

/** A node whose state is owned by its machine. */
interface Loan {
  readonly node: HelperNode;
  readonly clock: NodeJS.Timeout;
  /** When Task Scheduler starts each task next. */
  readonly due: Map<string, number>;
  execs: number;
  /** The last state reported to the simulation. */
  seen?: NodeDump;
}

async function exec(machine: WindowsMachine, run: Run): Promise<number> {
  const {stdout, stderr, signal} = run;
  const streams = {stdin: patientRequest(run.stdin), stdout, stderr, signal};
  return untilEnd(machine.start(), streams, child => child.kill());
}

/**
 * The request with longer section time limits: PowerShell is slow on a busy machine, which is not a fault of the node.
 * What hangs still hangs.
 */
async function* patientRequest(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const line = await firstLine(stdin);
  yield Buffer.from(`${patient(line)}\n`, 'latin1');
}

function patient(line: string): string {
  try {
    const request = JSON.parse(Buffer.from(line, 'base64').toString());
    if (typeof request.sectionTimeoutMs !== 'number') return line;
    return Buffer.from(JSON.stringify({...request, sectionTimeoutMs: 6 * request.sectionTimeoutMs})).toString('base64');
  } catch {
    // The helper rejects invalid requests.
    return line;
  }
}
