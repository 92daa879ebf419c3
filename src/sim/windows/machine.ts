import {type ChildProcess, spawn} from 'node:child_process';
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import helperScript from 'virtual:helper.ps1';
import stub from 'virtual:windows-stub';
import {z} from 'zod';
import type {NodeDump} from '../../snapshot/document.js';
import {readFiles, writeDrive, writePrograms} from './disk.js';

const stored = z.object({
  sections: z.record(z.string(), z.unknown()),
  errors: z.record(z.string(), z.object({kind: z.string(), message: z.string()})),
  /** What the DHCP server around the node remembers. */
  leases: z.array(z.unknown()).nullish(),
});
const tasks = z.array(z.object({TaskName: z.string()})).catch([]);

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

  static async create(pwsh: string, state: NodeDump): Promise<WindowsMachine> {
    const machine = new WindowsMachine(await mkdtemp(join(tmpdir(), 'kubectl-win-node-')), pwsh);
    await mkdir(machine.#stub);
    for (const [name, text] of Object.entries(stub)) await writeFile(join(machine.#stub, name), text);
    await writeFile(machine.helper, helperScript);
    await machine.write(state);
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

  async write(state: NodeDump): Promise<void> {
    await writeDrive(this.drive, state);
    if (process.platform !== 'win32') await writePrograms(this.drive, this.#stub, state);
    const {leases} = await this.#stored().catch(() => ({leases: []}));
    await writeFile(this.stateFile, JSON.stringify({...state, leases}));
  }

  async #stored() {
    return stored.parse(JSON.parse(await readFile(this.stateFile, 'utf8')));
  }

  /** Whether a plan is being carried out in the background. */
  async isBusy(): Promise<boolean> {
    const {sections} = await this.#stored();
    if (!tasks.parse(sections.scheduledTasks).some(({TaskName}) => TaskName.startsWith('kubectl-win-'))) return false;
    const pid = Number(await readFile(`${this.stateFile}.task.log.pid`, 'utf8').catch(() => '0'));
    return pid > 0 && isAlive(pid);
  }

  /** The state as the helper's steps have left it. */
  async read(): Promise<NodeDump> {
    const {sections, errors} = await this.#stored();
    const files = await readFiles(this.drive, {sections, errors});
    return {errors, sections: {...sections, ...(files !== undefined && {files})}};
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
