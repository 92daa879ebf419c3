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
  /** The leases that the DHCP server remembers. */
  leases: z.nullish(z.array(z.unknown())),
});

/**
 * A folder that represents a Windows node: its drive, its state, the real helper scripts, and stand-ins for Windows
 * cmdlets and programs. The helper runs in it under a real PowerShell.
 */
export class WindowsMachine {
  readonly folder: string;
  readonly drive: string;
  readonly helper: string;
  readonly #pwsh: string;
  /** Its name in the cluster. */
  readonly #node: string;
  readonly #execs = new Set<ChildProcess>();
  #ovs: OvsDatabase | undefined;

  private constructor(folder: string, pwsh: string, node: string) {
    this.folder = folder;
    this.drive = join(folder, 'C');
    // In its own folder, as in a pod.
    this.helper = join(folder, 'kubectl-win', 'helper.ps1');
    this.#pwsh = pwsh;
    this.#node = node;
  }

  static create(pwsh: string, state: NodeDump, node: string): WindowsMachine {
    const machine = new WindowsMachine(mkdtempSync(join(tmpdir(), 'kubectl-win-node-')), pwsh, node);
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

  /** The environment of the helper process. */
  get environment(): Record<string, string> {
    return {
      SystemDrive: this.drive,
      ProgramData: join(this.drive, 'ProgramData'),
      KUBECTL_WIN_STATE: this.stateFile,
      TZ: 'UTC',
      // A real Windows needs its own SystemRoot, which contains the programs.
      ...(process.platform !== 'win32' && {SystemRoot: join(this.drive, 'Windows')}),
    };
  }

  /** The state after the helper's steps. */
  read(): NodeDump {
    return withLock(this.stateFile, () => this.#look());
  }

  /** Changes the state between two steps of the helper, and returns it. */
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

  /** Whether one of our tasks may change the node: a running one, or one that Task Scheduler will start. */
  isBusy(): boolean {
    return this.tasks().some(task => everyMs(task) !== undefined) || this.#processes().length > 0;
  }

  /** The processes of running tasks. A task may already be unregistered while its process still runs. */
  #processes(): number[] {
    return readdirSync(this.folder)
      .filter(file => /\.kubectl-win-.*\.log\.pid$/.test(file))
      .map(file => Number(readFileSync(join(this.folder, file), 'utf8')))
      .filter(pid => pid > 0 && isAlive(pid));
  }

  tasks(): ScheduledTask[] {
    return ownTasks(this.#stored());
  }

  processOf({TaskName}: ScheduledTask): number | undefined {
    const note = `${this.#logOf(TaskName)}.pid`;
    const pid = existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0;
    return pid > 0 && isAlive(pid) ? pid : undefined;
  }

  #logOf(task: string): string {
    return `${this.stateFile}.${task}.log`;
  }

  /** Starts a task like Task Scheduler: in a process that outlives its starter. One instance at a time. */
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

  /** Power loss: every process is killed. */
  powerOff(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGKILL');
    for (const child of this.#execs) child.kill('SIGKILL');
  }

  /** Starts the helper like exec: request on stdin, answer on stdout. */
  start(parameters: readonly string[] = [], environment: Record<string, string> = {}): ChildProcess {
    const bootstrap = join(this.#stub, 'bootstrap.ps1');
    const child = spawn(
      this.#pwsh,
      ['-NoLogo', '-NoProfile', '-NonInteractive', '-File', bootstrap, this.helper, ...parameters],
      {env: {...process.env, ...this.environment, KUBECTL_WIN_NODE: this.#node, ...environment}, stdio: 'pipe'},
    );
    this.#execs.add(child);
    child.on('close', () => this.#execs.delete(child));
    return child;
  }

  /** Starts a user's PowerShell with the stand-ins. With `terminal`, runs it in a terminal and writes its name there. */
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
    // In its own process group, because a terminal has several processes.
    const child = spawn(program, args, {env, stdio: 'pipe', detached: true});
    this.#execs.add(child);
    child.on('close', () => this.#execs.delete(child));
    return child;
  }

  /** Stops everything that runs in it. */
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

/** `script` of util-linux creates a terminal. Its name goes to a file so that its size can be set. */
function inTerminal(words: readonly string[], nameFile: string): string[] {
  const quoted = words.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return ['script', '-qefc', `tty > '${nameFile}'; exec ${quoted}`, '/dev/null'];
}
