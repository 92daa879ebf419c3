import {Script} from 'node:vm';

/** Whatever a node sends, all of its data is checked in milliseconds. What takes this long would never end. */
const togetherMs = 5000;
const aloneMs = 2000;

/**
 * Applies pure work to each item within a time limit: usually to all of them at once, and only if that takes too long to each
 * one alone. An item whose work does not end gets what `late` returns, and costs the others nothing but the time.
 */
export function eachInTime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
  late: (item: Item, seconds: number) => Result,
): Result[] {
  if (isLimited) return items.map(work);
  try {
    return inTime(togetherMs, () => items.map(work));
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return items.map(item => alone(item, work, late));
  }
}

/**
 * Applies one time limit to pure work that calls `eachInTime` several times: each limit starts a thread, which takes longer
 * than many checks. If the work does not end, it is repeated, and each `eachInTime` applies its own limits.
 */
export function inOneLimit<Result>(work: () => Result): Result {
  if (isLimited) return work();
  try {
    return inTime(togetherMs, work);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return work();
  }
}

function alone<Item, Result>(
  item: Item,
  work: (item: Item) => Result,
  late: (item: Item, seconds: number) => Result,
): Result {
  try {
    return inTime(aloneMs, () => work(item));
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return late(item, aloneMs / 1000);
  }
}

/** Several items take little more time than a limit itself. */
const sharing = 32;

/** Applies pure work to each item. Several items share a time limit; if they do not end, each gets one of its own. */
export function* inSharedLimits<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Generator<Result, void> {
  for (let start = 0; start < items.length; start += sharing) {
    const some = items.slice(start, start + sharing);
    yield* inOneLimit(() => some.map(item => inOneLimit(() => work(item))));
  }
}

/** Whether the code that runs now has a time limit. */
let isLimited = false;

const slot: {work?: () => void} = {};
const name = 'kubectl-win.work';
const script = new Script(`globalThis[Symbol.for(${JSON.stringify(name)})].work()`);

/** Only a script can be stopped while it runs, so the work is called by one. A stopped script runs no catch and no finally. */
function inTime<Result>(ms: number, work: () => Result): Result {
  let result: {value: Result} | undefined;
  slot.work = () => {
    result = {value: work()};
  };
  Object.assign(globalThis, {[Symbol.for(name)]: slot});
  isLimited = true;
  try {
    script.runInThisContext({timeout: ms, displayErrors: false});
  } finally {
    isLimited = false;
  }
  return (result as unknown as {value: Result}).value;
}

const isTimeout = (error: unknown) => (error as {code?: unknown} | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
