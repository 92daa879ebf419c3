import {parseWholeNumbers} from '../lib/whole-numbers.js';
import {anything, list, shaped} from './values.js';

/** A plan of this tool that was found on the node. */
export interface StoredPlan {
  id: string | undefined;
  title: string | undefined;
  /** As the node reports it, otherwise derived from its journal: interrupted if that has no end. */
  state: string | undefined;
  steps: number | undefined;
  done: number | undefined;
  journal: readonly StoredEntry[];
}

/** A line of a plan's journal. */
export interface StoredEntry {
  at: string | undefined;
  event: string;
  /** The step it refers to. */
  does: string | undefined;
  outcome: string | undefined;
  message: string | undefined;
}

type Fields = Record<string, unknown>;

/**
 * Plans with their journals, or only journals: lists of entries, consecutive entries, or text with one entry per line.
 */
export const plans = shaped(list(anything), (items): StoredPlan[] => {
  const journals = Map.groupBy(items.filter(isEntry).flatMap(entriesOf), entry => textOf(entry.plan));
  return [...items.filter(item => !isEntry(item)), ...journals.values()].map(readPlan);
});

function readPlan(value: unknown): StoredPlan {
  const own: Fields = isObject(value) ? lowerCased(value) : {};
  const journal = entriesOf(isObject(value) ? own.journal : value);
  return {
    id: textOf(own.id) ?? journal.map(({plan}) => textOf(plan)).find(id => id !== undefined),
    title: textOf(own.title),
    state: textOf(own.state) ?? stateBy(journal),
    steps: Array.isArray(own.steps) ? own.steps.length : numberOf(own.steps),
    done: numberOf(own.done),
    journal: journal.map(readEntry),
  };
}

function readEntry({at, event, type, do: does, outcome, message, error}: Fields): StoredEntry {
  return {
    at: textOf(at),
    event: textOf(event) ?? textOf(type) ?? '',
    does: textOf(does),
    outcome: textOf(outcome),
    message: textOf(message) ?? (isObject(error) ? textOf(lowerCased(error).message) : textOf(error)),
  };
}

function stateBy(journal: readonly Fields[]): string | undefined {
  const end = journal.findLast(({event, type}) => isEnd(event) || isEnd(type));
  if (end) return textOf(end.outcome) ?? 'succeeded';
  return journal.length > 0 ? 'interrupted' : undefined;
}

function isEnd(event: unknown): boolean {
  return event === 'plan.end' || event === 'end';
}

/** A journal line outside a plan. */
function isEntry(value: unknown): boolean {
  return isObject(value) && textOf(lowerCased(value).event) !== undefined;
}

function entriesOf(value: unknown): Fields[] {
  if (typeof value === 'string') return value.split('\n').flatMap(line => entriesOf(parsed(line)));
  if (Array.isArray(value)) return value.flatMap(entriesOf);
  return isObject(value) ? [lowerCased(value)] : [];
}

function parsed(line: string): unknown {
  try {
    return parseWholeNumbers(line);
  } catch {
    // A power loss may truncate the last line of a journal.
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lowerCased(value: object): Fields {
  return Object.fromEntries(Object.entries(value).map(([key, its]) => [key.toLowerCase(), its]));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
