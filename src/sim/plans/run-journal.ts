import type {JournalEntry} from '../../model/plan.js';
import type {JsonObject} from '../json.js';
import type {PlanFolder} from './folder.js';
import type {JournalFields, PlanDisk} from './journal.js';

/** The journal as the process that runs a plan knows it: what is on the disk, and what could not be written there. */
export class RunJournal {
  readonly entries: JournalEntry[];
  /** From the first cut on a journal that cannot be written stops nothing. */
  mayFail: boolean;
  readonly #disk: PlanDisk;
  readonly #folder: PlanFolder;

  constructor(disk: PlanDisk, folder: PlanFolder, mayFail: boolean) {
    this.#disk = disk;
    this.#folder = folder;
    this.entries = [...folder.journal];
    this.mayFail = mayFail;
  }

  write(fields: JournalFields): void {
    try {
      this.entries.push(this.#disk.write(this.#folder, fields));
    } catch (error) {
      if (!this.mayFail) throw error;
      this.entries.push(this.#disk.entry(this.#folder, fields));
    }
  }

  /** A log that cannot be written stops nothing. */
  audit(line: JsonObject): void {
    if (!this.#disk.full) this.#disk.audit.push({at: this.#disk.now(), ...line});
  }

  /** The first entry of a kind about a step: what its begin saved is how things were before it first acted. */
  find<Event extends JournalEntry['event']>(event: Event, step: number) {
    return this.entries.find(
      (entry): entry is Extract<JournalEntry, {event: Event}> =>
        entry.event === event && 'step' in entry && entry.step === step,
    );
  }

  /** What the plan has come to; undefined where it was cut short since it last began. */
  get outcome() {
    return outcomeOf(this.entries);
  }
}

export function outcomeOf(entries: readonly JournalEntry[]) {
  const begun = entries.findLastIndex(({event}) => event === 'plan.begin');
  const end = entries.slice(begun + 1).findLast(entry => entry.event === 'plan.end');
  return end?.outcome;
}
