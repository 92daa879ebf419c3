import {type ChildProcess, spawn} from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import helperScript from 'virtual:helper.ps1';
import stub from 'virtual:windows-stub';
import * as z from 'zod/mini';
import type {NodeDump} from '../../snapshot/document.js';
import {readFiles, writeFiles, writePrograms, writeWindows} from './disk.js';
import {isAlive, withLock} from './lock.mjs';
import {OvsDatabase, runsOvsInPod} from './ovs-database.js';
import {commandOf, everyMs, ownTasks, type ScheduledTask} from './scheduled-tasks.js';

const stored = z.object({
  sections: z.record(z.string(), z.unknown()),
  errors: z.record(z.string(), z.object({kind: z.string(), message: z.string()})),
  /** What the DHCP server around the node remembers. */
  leases: z.nullish(z.array(z.unknown())),
});

/**
 * A folder that stands for a Windows node: its drive, its state, the helper's real scripts, and the stand-ins for the
 * cmdlets and programs of Windows. The helper runs in it under a real PowerShell.
 */
export class WindowsMachine {
  readonly folder: string;
  readonly drive: string;
  readonly helper: string;
  readonly #pwsh: string;
  readonly #execs = new Set<ChildProcess>();
  #ovs: OvsDatabase | undefined;

  private constructor(folder: string, pwsh: string) {
    this.folder = folder;
    this.drive = join(folder, 'C');
    // In its own folder, as in a pod.
    this.helper = join(folder, 'kubectl-win', 'helper.ps1');
    this.#pwsh = pwsh;
  }

  static create(pwsh: string, state: NodeDump): WindowsMachine {
    const machine = new WindowsMachine(mkdtempSync(join(tmpdir(), 'kubectl-win-node-')), pwsh);
    mkdirSync(machine.#stub);
    for (const [name, text] of Object.entries(stub)) writeFileSync(join(machine.#stub, name), text);
    mkdirSync(dirname(machine.helper));
    writeFileSync(machine.helper, helperScript);
    machine.change(() => state);
    return machine;
  }

  get #stub(): string {
    return join(this.folder, 'stub');
  }

  get stateFile(): string {
    return join(this.folder, 'state.json');
  }

  /** What the helper's process sees of the node besides its files. */
  get environment(): Record<string, string> {
    return {
      SystemDrive: this.drive,
      ProgramData: join(this.drive, 'ProgramData'),
      KUBECTL_WIN_STATE: this.stateFile,
      TZ: 'UTC',
      // A real Windows needs its own SystemRoot, and has the programs in it.
      ...(process.platform !== 'win32' && {SystemRoot: join(this.drive, 'Windows')}),
    };
  }

  /** The state as the helper's steps have left it. */
  read(): NodeDump {
    return withLock(this.stateFile, () => this.#look());
  }

  /** Changes the state between two steps of the helper, and gives it as it is then. */
  change(change: (state: NodeDump) => NodeDump): NodeDump {
    return withLock(this.stateFile, () => {
      const before = this.#look();
      const after = change(before);
      writeWindows(this.drive, after);
      if (runsOvsInPod(after)) {
        this.#ovs ??= OvsDatabase.start(this.folder);
        this.#ovs.write(after);
      }
      writeFiles(this.drive, before, after);
      if (process.platform !== 'win32') writePrograms(this.drive, this.#stub, after);
      const {leases} = this.#stored();
      writeFileSync(`${this.stateFile}.changed`, JSON.stringify({...after, leases}));
      renameSync(`${this.stateFile}.changed`, this.stateFile);
      return after;
    });
  }

  #look(): NodeDump {
    const {sections, errors} = this.#stored();
    const files = readFiles(this.drive, {sections, errors});
    const state = {errors, sections: {...sections, ...(files !== undefined && {files})}};
    return this.#ovs ? this.#ovs.read(state) : state;
  }

  #stored() {
    if (!existsSync(this.stateFile)) return {sections: {}, errors: {}, leases: []};
    return stored.parse(JSON.parse(readFileSync(this.stateFile, 'utf8')));
  }

  /** Whether a task of ours may change the node: one that runs, or one that Task Scheduler will start by itself. */
  isBusy(): boolean {
    return this.tasks().some(task => everyMs(task) !== undefined) || this.#processes().length > 0;
  }

  /** The processes of tasks that run. One may have unregistered its task, and not have ended yet. */
  #processes(): number[] {
    return readdirSync(this.folder)
      .filter(file => /\.kubectl-win-.*\.log\.pid$/.test(file))
      .map(file => Number(readFileSync(join(this.folder, file), 'utf8')))
      .filter(pid => pid > 0 && isAlive(pid));
  }

  tasks(): ScheduledTask[] {
    return ownTasks(this.#stored());
  }

  /** The process that runs a task. */
  processOf({TaskName}: ScheduledTask): number | undefined {
    const note = `${this.#logOf(TaskName)}.pid`;
    const pid = existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0;
    return pid > 0 && isAlive(pid) ? pid : undefined;
  }

  #logOf(task: string): string {
    return `${this.stateFile}.${task}.log`;
  }

  /** Starts a task as Task Scheduler does: in a process that outlives whatever started it. One instance at a time. */
  startTask(task: ScheduledTask): void {
    if (this.processOf(task) !== undefined) return;
    const module = join(this.#stub, 'Windows.psm1').replaceAll("'", "''");
    const log = openSync(this.#logOf(task.TaskName), 'w');
    const child = spawn(
      this.#pwsh,
      ['-NoProfile', '-NonInteractive', '-Command', `Import-Module -Name '${module}' -Global; ${commandOf(task)}`],
      {env: {...process.env, ...this.environment}, stdio: ['ignore', log, log], detached: true},
    );
    closeSync(log);
    child.on('error', () => undefined);
    child.unref();
    writeFileSync(`${this.#logOf(task.TaskName)}.pid`, String(child.pid));
  }

  /** The power goes: nothing runs any more. */
  powerOff(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGKILL');
    for (const child of this.#execs) child.kill('SIGKILL');
  }

  /** Starts the helper, as exec would. Its request comes on standard input, its answer on standard output. */
  start(parameters: readonly string[] = [], environment: Record<string, string> = {}): ChildProcess {
    const bootstrap = join(this.#stub, 'bootstrap.ps1');
    const child = spawn(
      this.#pwsh,
      ['-NoLogo', '-NoProfile', '-NonInteractive', '-File', bootstrap, this.helper, ...parameters],
      {env: {...process.env, ...this.environment, ...environment}, stdio: 'pipe'},
    );
    this.#execs.add(child);
    child.on('close', () => this.#execs.delete(child));
    return child;
  }

  /** Starts PowerShell for a person: with the commands of Windows, and in a terminal where `terminal` names a file for its name. */
  startShell(
    script: string,
    {interactive, terminal}: {interactive: boolean; terminal?: string | undefined},
  ): ChildProcess {
    const module = join(this.#stub, 'Windows.psm1').replaceAll("'", "''");
    const whole = `Import-Module -Name '${module}' -Global\n${script}`;
    const flags = [
      '-NoLogo',
      '-NoProfile',
      ...(interactive ? ['-NoExit'] : ['-NonInteractive', '-OutputFormat', 'Text']),
    ];
    const words = [this.#pwsh, ...flags, '-EncodedCommand', Buffer.from(whole, 'utf16le').toString('base64')];
    const [program = '', ...args] = terminal === undefined ? words : inTerminal(words, terminal);
    const env = {...process.env, ...this.environment, ...(terminal !== undefined && {TERM: 'xterm'})};
    // In a process group of its own: a terminal has several processes.
    const child = spawn(program, args, {env, stdio: 'pipe', detached: true});
    this.#execs.add(child);
    child.on('close', () => this.#execs.delete(child));
    return child;
  }

  /** All that runs in it ends. */
  shutDown(): void {
    this.powerOff();
    this.#ovs?.stop();
    this.#ovs = undefined;
  }

  async dispose(): Promise<void> {
    this.shutDown();
    await rm(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}

/** `script` of util-linux makes a terminal. The name of that goes into a file, so that its size can be set. */
function inTerminal(words: readonly string[], nameFile: string): string[] {
  const quoted = words.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return ['script', '-qefc', `tty > '${nameFile}'; exec ${quoted}`, '/dev/null'];
}
