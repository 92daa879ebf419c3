import {execFileSync} from 'node:child_process';
import {createHash, randomUUID} from 'node:crypto';
import {chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {type JournalEntry, journalEntry, type Plan, plan} from '../../src/model/plan.js';
import type {PlanStep} from '../../src/model/step.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {eventually} from '../eventually.js';
import {type Row, rows} from './state.js';

type Mode = 'Run' | 'Resume' | 'Rollback';

export interface PlanText {
  id: string;
  text: string;
  hash: string;
}

export function planOf(steps: readonly PlanStep[], more: Partial<Plan> = {}): PlanText {
  const id = randomUUID();
  const value = plan.parse({
    apiVersion: 'kubectl-win/v1',
    kind: 'Plan',
    id,
    node: 'win-1',
    title: 'Clean up after a reboot',
    createdAt: '2026-03-03T10:41:07Z',
    steps,
    ...more,
  });
  const text = JSON.stringify(value);
  return {id, text, hash: createHash('sha256').update(text).digest('hex')};
}

export const planFolder = (machine: WindowsMachine, id: string): string =>
  join(machine.drive, 'ProgramData', 'kubectl-win', 'plans', id);

/** Stores a plan on the node like `plan.start`. */
export function store(machine: WindowsMachine, {id, text}: PlanText): void {
  const folder = planFolder(machine, id);
  mkdirSync(folder, {recursive: true});
  for (const each of [dirname(dirname(folder)), dirname(folder), folder]) close(each);
  writeFileSync(join(folder, 'plan.json'), text);
  writeFileSync(join(folder, 'helper.ps1'), readFileSync(machine.helper));
}

/** For SYSTEM and administrators only. */
export function close(folder: string): void {
  if (process.platform !== 'win32') {
    chmodSync(folder, 0o700);
    return;
  }
  const grants = ['*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F'];
  execFileSync('icacls.exe', [folder, '/setowner', '*S-1-5-32-544', '/q']);
  execFileSync('icacls.exe', [folder, '/inheritance:r', '/grant:r', ...grants, '/q']);
}

export function journalOf(machine: WindowsMachine, id: string): JournalEntry[] {
  const path = join(planFolder(machine, id), 'journal.ndjson');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map(line => journalEntry.parse(JSON.parse(line)));
}

/** What the scheduled task runs. Resolves when the process has exited. */
export function runPlan(machine: WindowsMachine, {id, hash}: PlanText, mode: Mode, environment = {}) {
  const child = machine.start(['-RunPlan', id, '-PlanHash', hash, '-Mode', mode], environment);
  let said = '';
  child.stdout?.on('data', chunk => {
    said += String(chunk);
  });
  child.stderr?.on('data', chunk => {
    said += String(chunk);
  });
  const ended = new Promise<string>(resolve => child.on('close', () => resolve(said)));
  return {ended, kill: () => child.kill('SIGKILL')};
}

/** Runs a plan until its journal has an entry, then kills the process: a power loss. */
export async function cutAt(
  machine: WindowsMachine,
  planText: PlanText,
  mode: Mode,
  until: (entry: JournalEntry) => boolean,
): Promise<void> {
  const {ended, kill} = runPlan(machine, planText, mode);
  const over = ended.then(said => {
    throw new Error(`the plan ended before it could be cut: ${said}${JSON.stringify(journalOf(machine, planText.id))}`);
  });
  const seen = eventually('the entry to cut at', () => journalOf(machine, planText.id).some(until));
  await Promise.race([seen, over]);
  over.catch(() => undefined);
  kill();
  await ended;
}

/** A wait that lasts until the gate is opened: the point where a plan is interrupted. */
export const gate = (name: string): PlanStep => ({
  do: 'wait.until',
  with: {until: 'service', name, state: 'Running'},
  timeoutSeconds: 300,
});

export function addGates(state: NodeDump, names: readonly string[]): void {
  const gates = names.map(Name => ({
    Name,
    State: 'Stopped',
    StartMode: 'Manual',
    ProcessId: 0,
    PathName: 'C:\\k\\gate.exe',
  }));
  state.sections.services = [...rows(state, 'services'), ...gates];
}

export function openGate(machine: WindowsMachine, name: string): void {
  const state = JSON.parse(readFileSync(machine.stateFile, 'utf8'));
  for (const row of state.sections.services as Row[]) if (row.Name === name) row.State = 'Running';
  // Atomically: a plan may be reading it.
  writeFileSync(`${machine.stateFile}.opened`, JSON.stringify(state));
  renameSync(`${machine.stateFile}.opened`, machine.stateFile);
}
