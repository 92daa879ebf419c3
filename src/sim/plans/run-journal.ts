import type {JournalEntry} from '../../model/plan.js';
import type {JsonObject} from '../json.js';
import type {PlanFolder} from './folder.js';
import type {JournalFields, PlanDisk} from './journal.js';

/** The journal of a running plan: entries on disk, and those that could not be written. */
export class RunJournal {
  readonly entries: JournalEntry[];
  /** From the first interruption on, a failed journal write does not stop the plan. */
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

  audit(line: JsonObject): void {
    this.#disk.log(line);
  }

  /** The first entry of a kind for a step. The first `step.begin` saved the state before the step acted. */
  find<Event extends JournalEntry['event']>(event: Event, step: number) {
    return this.entries.find(
      (entry): entry is Extract<JournalEntry, {event: Event}> =>
        entry.event === event && 'step' in entry && entry.step === step,
    );
  }

  /** The outcome of the plan. Undefined: it was interrupted since it last started. */
  get outcome() {
    return outcomeOf(this.entries);
  }
}

export function outcomeOf(entries: readonly JournalEntry[]) {
  const begun = entries.findLastIndex(({event}) => event === 'plan.begin');
  const end = entries.slice(begun + 1).findLast(entry => entry.event === 'plan.end');
  return end?.outcome;
}
