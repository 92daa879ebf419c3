import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import helperScript from 'virtual:helper.ps1';
import stub from 'virtual:windows-stub';
import * as z from 'zod/mini';
import type {NodeDump} from '../../snapshot/document.js';
import {readFiles, writeFiles, writePrograms, writeWindows} from './disk.js';
import {isAlive, withLock} from './lock.mjs';

const stored = z.object({
  sections: z.record(z.string(), z.unknown()),
  errors: z.record(z.string(), z.object({kind: z.string(), message: z.string()})),
  /** What the DHCP server around the node remembers. */
  leases: z.nullish(z.array(z.unknown())),
});
const tasks = z.catch(z.array(z.object({TaskName: z.string()})), []);

/**
 * A folder that stands for a Windows node: its drive, its state, the helper's real scripts, and the stand-ins for the
 * cmdlets and programs of Windows. The helper runs in it under a real PowerShell.
 */
export class WindowsMachine {
  readonly folder: string;
  readonly drive: string;
  readonly helper: string;
  readonly #pwsh: string;

  private constructor(folder: string, pwsh: string) {
    this.folder = folder;
    this.drive = join(folder, 'C');
    this.helper = join(folder, 'helper.ps1');
    this.#pwsh = pwsh;
  }

  static create(pwsh: string, state: NodeDump): WindowsMachine {
    const machine = new WindowsMachine(mkdtempSync(join(tmpdir(), 'kubectl-win-node-')), pwsh);
    mkdirSync(machine.#stub);
    for (const [name, text] of Object.entries(stub)) writeFileSync(join(machine.#stub, name), text);
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
    return {errors, sections: {...sections, ...(files !== undefined && {files})}};
  }

  #stored() {
    if (!existsSync(this.stateFile)) return {sections: {}, errors: {}, leases: []};
    return stored.parse(JSON.parse(readFileSync(this.stateFile, 'utf8')));
  }

  /** Whether a plan is being carried out in the background. */
  isBusy(): boolean {
    const {sections} = this.#stored();
    if (!tasks.parse(sections.scheduledTasks).some(({TaskName}) => TaskName.startsWith('kubectl-win-'))) return false;
    const note = `${this.stateFile}.task.log.pid`;
    return existsSync(note) && isAlive(Number(readFileSync(note, 'utf8')));
  }

  /** Starts the helper, as exec would. Its request comes on standard input, its answer on standard output. */
  start(parameters: readonly string[] = [], environment: Record<string, string> = {}): ChildProcess {
    const bootstrap = join(this.#stub, 'bootstrap.ps1');
    return spawn(
      this.#pwsh,
      ['-NoLogo', '-NoProfile', '-NonInteractive', '-File', bootstrap, this.helper, ...parameters],
      {env: {...process.env, ...this.environment, ...environment}, stdio: 'pipe'},
    );
  }

  async dispose(): Promise<void> {
    await rm(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}
