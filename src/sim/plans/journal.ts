import {EventEmitter, once} from 'node:events';
import type {JournalEntry, PlanOnNode} from '../../model/plan.js';
import {type JsonObject, textAt} from '../json.js';
import {nodeTime} from '../time.js';
import type {PlanFolder} from './folder.js';
import {outcomeOf} from './run-journal.js';
import {StepError} from './step.js';

export type JournalFields<Entry = JournalEntry> = Entry extends JournalEntry
  ? Omit<Entry, 'type' | 'plan' | 'seq' | 'at'>
  : never;

/** All plans on the disk of a node. */
export class PlanDisk {
  readonly #folders = new Map<string, PlanFolder>();
  readonly #written = new EventEmitter().setMaxListeners(0);
  /** The plan whose process holds the lock. */
  running: string | undefined;
  /** C:\\ProgramData\\kubectl-win\\audit.log, which outlives the plans. */
  readonly audit: JsonObject[] = [];
  /** Whether the disk is full. */
  full = false;
  /** Clock offset of the node in milliseconds. */
  clockAheadMs = 0;

  now(): string {
    return nodeTime(new Date(Date.now() + this.clockAheadMs));
  }

  /** A failed write does not stop the plan. */
  log(line: JsonObject): void {
    if (!this.full) this.audit.push({at: this.now(), ...line});
  }

  get folders(): PlanFolder[] {
    return [...this.#folders.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  find(id: string): PlanFolder | undefined {
    return this.#folders.get(id.toLowerCase());
  }

  store(id: string, text: string, hash: string): PlanFolder {
    const folder: PlanFolder = {id: id.toLowerCase(), text, hash, journal: [], removed: new Map()};
    this.#folders.set(folder.id, folder);
    return folder;
  }

  remove({id}: PlanFolder): void {
    this.#folders.delete(id);
  }

  /** Throws on a full disk. */
  write(folder: PlanFolder, fields: JournalFields): JournalEntry {
    if (this.full) throw new StepError('Failed', 'There is not enough space on the disk.');
    const entry = this.entry(folder, fields);
    folder.journal.push(entry);
    this.#written.emit('entry');
    return entry;
  }

  entry({id, journal}: PlanFolder, fields: JournalFields): JournalEntry {
    const seq = (journal.at(-1)?.seq ?? 0) + 1;
    const entry = {type: 'journal', plan: id, seq, at: this.now(), ...fields};
    // The disk contains text: later changes of the node's state must not affect it.
    return JSON.parse(JSON.stringify(entry)) as JournalEntry;
  }

  /** Resolves after a write or the end of a plan; rejects when the signal is aborted. */
  async changed(signal: AbortSignal): Promise<void> {
    await once(this.#written, 'entry', {signal});
  }

  /** Notifies waiting callers that no plan is running. */
  release(): void {
    this.running = undefined;
    this.#written.emit('entry');
  }

  status(folder: PlanFolder): PlanOnNode {
    const {id, text, journal} = folder;
    const plan: unknown = JSON.parse(text);
    return {
      id,
      state: this.#state(folder),
      title: textAt(plan, 'title'),
      createdAt: textAt(plan, 'createdAt'),
      steps: (plan as {steps: unknown[]}).steps.length,
      done: new Set(journal.flatMap(entry => (entry.event === 'step.end' ? [entry.step] : []))).size,
      planned: (plan as {steps: unknown[]}).steps,
      lastSeq: journal.at(-1)?.seq ?? 0,
    };
  }

  #state({id, journal}: PlanFolder): PlanOnNode['state'] {
    if (this.running === id) return 'running';
    return journal.length === 0 ? 'stored' : (outcomeOf(journal) ?? 'interrupted');
  }
}
