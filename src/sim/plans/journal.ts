import {EventEmitter, once} from 'node:events';
import type {JournalEntry, PlanOnNode} from '../../model/plan.js';
import {textAt} from '../json.js';
import {nodeTime} from '../time.js';
import type {PlanFolder} from './folder.js';

type Fields<Entry = JournalEntry> = Entry extends JournalEntry ? Omit<Entry, 'type' | 'plan' | 'seq' | 'at'> : never;

/** All plans of a node, as they lie on its disk. */
export class PlanDisk {
  readonly #folders = new Map<string, PlanFolder>();
  readonly #written = new EventEmitter().setMaxListeners(0);
  /** The plan that is being carried out: its process holds the lock. */
  running: string | undefined;

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

  write({id, journal}: PlanFolder, fields: Fields): void {
    const seq = (journal.at(-1)?.seq ?? 0) + 1;
    const entry = {type: 'journal', plan: id, seq, at: nodeTime(new Date()), ...fields};
    // What is on the disk is text: later changes of the node's state must not reach it.
    journal.push(JSON.parse(JSON.stringify(entry)) as JournalEntry);
    this.#written.emit('entry');
  }

  /** Resolves when something was written, or a plan has ended; rejects when the signal is given. */
  async changed(signal: AbortSignal): Promise<void> {
    await once(this.#written, 'entry', {signal});
  }

  /** Tells those who wait that a plan runs no longer. */
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
      done: journal.filter(({event}) => event === 'step.end').length,
      lastSeq: journal.at(-1)?.seq ?? 0,
    };
  }

  #state({id, journal}: PlanFolder): PlanOnNode['state'] {
    if (this.running === id) return 'running';
    const last = journal.at(-1);
    if (!last) return 'stored';
    return last.event === 'plan.end' ? last.outcome : 'interrupted';
  }
}

/** The first entry of a kind about a step: what its begin saved is how things were before it first acted. */
export function entryOf<Event extends JournalEntry['event']>({journal}: PlanFolder, event: Event, step: number) {
  return journal.find(
    (entry): entry is Extract<JournalEntry, {event: Event}> =>
      entry.event === event && 'step' in entry && entry.step === step,
  );
}
