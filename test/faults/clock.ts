import {AsyncLocalStorage} from 'node:async_hooks';

interface Clock {
  readonly aheadMs: number;
}

const clocks = new AsyncLocalStorage<Clock>();
const RightDate = Date;

/** The clock of the computer that a command runs on. Several commands run in this process, each with its own. */
class DateOfClient extends RightDate {
  constructor(...parts: ConstructorParameters<DateConstructor> | []) {
    if (parts.length === 0) super(DateOfClient.now());
    else super(...(parts as [number]));
  }

  static override now(): number {
    return RightDate.now() + (clocks.getStore()?.aheadMs ?? 0);
  }
}

export function withClock<Result>(clock: Clock, act: () => Promise<Result>): Promise<Result> {
  globalThis.Date = DateOfClient as DateConstructor;
  return clocks.run(clock, act);
}
