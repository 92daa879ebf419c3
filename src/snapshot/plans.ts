import {z} from 'zod';
import {list, number, optional, text} from './values.js';

/** A plan of this tool that was found on the node. */
export interface StoredPlan {
  id: string | undefined;
  title: string | undefined;
  /** As the node tells it, else by its journal: interrupted where that has no end. */
  state: string | undefined;
  steps: number | undefined;
  done: number | undefined;
}

const entry = z.looseObject({event: optional(text), outcome: optional(text), plan: optional(text)});

/** The plan with its journal, or the bare journal. */
export const plan = z
  .union([
    z.array(entry).transform(journal => ({
      journal,
      id: undefined,
      title: undefined,
      state: undefined,
      steps: undefined,
      done: undefined,
    })),
    z
      .looseObject({
        id: optional(text),
        Id: optional(text),
        title: optional(text),
        state: optional(text),
        steps: optional(number),
        done: optional(number),
        journal: list(entry),
        Journal: list(entry),
      })
      .transform(value => ({...value, id: value.id ?? value.Id, journal: [...value.journal, ...value.Journal]})),
  ])
  .transform(({journal, id, title, state, steps, done}): StoredPlan => {
    const end = journal.findLast(({event}) => event === 'plan.end');
    const byJournal = end ? (end.outcome ?? 'succeeded') : journal.length > 0 ? 'interrupted' : undefined;
    return {
      id: id ?? journal.find(({plan: its}) => its !== undefined)?.plan,
      title,
      state: state ?? byJournal,
      steps,
      done,
    };
  });
