import {setTimeout as sleep} from 'node:timers/promises';
import {WinError} from '../../lib/errors.js';
import {redirectMessages, type Streams, wantsColour, wantsLiveDisplay} from '../../lib/streams.js';
import type {FleetOptions} from '../../services/dashboard/read-fleet.js';
import type {DashboardHandle} from '../../view/ink/dashboard/dashboard.js';
import {type Action, selectedEntry, shownFindings} from '../../view/ink/dashboard/dashboard-state.js';
import {findingText} from '../../view/ink/dashboard/evidence.js';
import {type Command, hints} from '../../view/ink/dashboard/keys.js';
import {DashboardStore} from '../../view/ink/dashboard/store.js';
import {firstScreen} from '../../view/ink/first-frame.js';

export interface DashboardOptions extends FleetOptions {
  /** Time between two automatic refreshes. */
  readonly interval: number;
  readonly auto: boolean;
  /** Reviews and runs a repair of one node on the terminal. Returns the outcome as text. */
  readonly fix: (node: string, signal: AbortSignal) => Promise<string>;
}

/** Runs the dashboard: connects the screen with reading and repairing nodes. */
export async function runDashboard(options: DashboardOptions, streams: Streams, signal: AbortSignal): Promise<void> {
  const {out} = streams;
  if (!process.stdin.isTTY || (out as NodeJS.WriteStream).isTTY !== true || !wantsLiveDisplay(streams))
    throw new WinError('dashboard requires a terminal.', {
      next: ['Without one, use: kubectl win doctor, or kubectl win inspect NODE'],
    });
  await new Controller(options, streams, signal).run();
}

type Wish = Exclude<Command, Action | {type: 'typed'}>;

/** Modules that read, diagnose and explain are imported where they are used, so that the first frame does not wait for them. */
class Controller {
  readonly #options: DashboardOptions;
  readonly #output: NodeJS.WriteStream;
  readonly #colour: boolean;
  readonly #store = new DashboardStore();
  readonly #left = new AbortController();
  readonly #signal: AbortSignal;
  #refresh: Promise<void> | undefined;
  #reading = new AbortController();
  #readsAll = false;
  #hasRead = false;
  #wish: (wish: 'quit' | 'fix') => void = () => {};

  constructor(options: DashboardOptions, {out, env}: Streams, signal: AbortSignal) {
    this.#options = options;
    this.#output = out as NodeJS.WriteStream;
    this.#colour = wantsColour(out, env);
    this.#signal = AbortSignal.any([signal, this.#left.signal]);
    if (options.auto) this.#store.dispatch({type: 'auto'});
    this.#store.dispatch({type: 'stage', text: 'Starting…'});
  }

  async run(): Promise<void> {
    const again = this.#readAgain();
    try {
      while ((await this.#show()) === 'fix') await this.#fix();
    } finally {
      this.#left.abort(new WinError('left.'));
      await Promise.allSettled([this.#refresh, again]);
    }
  }

  /** Shows the dashboard until the user quits or starts a repair, which uses the terminal alone. */
  async #show(): Promise<'quit' | 'fix'> {
    const {promise, resolve, reject} = Promise.withResolvers<'quit' | 'fix'>();
    this.#wish = resolve;
    const dashboard = await this.#open();
    const release = redirectMessages(text => this.#notice(text));
    const stop = () => reject(this.#signal.reason);
    this.#signal.addEventListener('abort', stop);
    try {
      this.#signal.throwIfAborted();
      await dashboard.drawn;
      if (!this.#hasRead) this.#read([]);
      return await promise;
    } finally {
      this.#signal.removeEventListener('abort', stop);
      release();
      await dashboard.close();
    }
  }

  async #open(): Promise<DashboardHandle> {
    const output = this.#output;
    // Keys pressed meanwhile are buffered and not echoed.
    process.stdin.setRawMode(true);
    const takeBack = this.#hasRead
      ? () => {}
      : firstScreen(output, 'kubectl win  Starting…', hints({}, output.columns));
    try {
      const {openDashboard} = await import('../../view/ink/dashboard/dashboard.js');
      takeBack();
      return openDashboard({
        store: this.#store,
        input: process.stdin,
        output,
        colour: this.#colour,
        onCommand: wish => this.#perform(wish),
      });
    } finally {
      takeBack();
    }
  }

  #perform(wish: Wish): void {
    const state = this.#store.get();
    switch (wish.type) {
      case 'quit':
        this.#wish('quit');
        return;
      case 'fix':
        if (this.#options.from !== undefined)
          this.#notice('A snapshot cannot be repaired: run the dashboard on the cluster.');
        else if (selectedEntry(state)?.tell) this.#wish('fix');
        else this.#notice('The node has not been read yet.');
        return;
      case 'refresh':
        if (this.#refresh) this.#notice('A refresh is already running.');
        else this.#read(wish.all || state.at === undefined ? [] : [state.at]);
        return;
      case 'explain':
        void this.#explain();
        return;
      case 'copy':
        this.#copy();
        return;
    }
  }

  /** Reads the named nodes, or all. Never throws: errors are shown on the screen. */
  #read(names: readonly string[]): void {
    this.#reading = new AbortController();
    const signal = AbortSignal.any([this.#signal, this.#reading.signal]);
    const refresh = async () => {
      const [{readFleet}, {fleetScreen}] = await Promise.all([
        import('../../services/dashboard/read-fleet.js'),
        import('../../view/ink/dashboard/fleet-screen.js'),
      ]);
      await readFleet(this.#options, names, fleetScreen(this.#store), signal);
    };
    this.#hasRead = true;
    this.#readsAll = names.length === 0;
    this.#notice('');
    this.#store.dispatch({type: 'failure', text: undefined});
    this.#refresh = refresh()
      .catch(error => {
        if (!signal.aborted) this.#store.dispatch({type: 'failure', text: sentence(error)});
      })
      .finally(() => {
        this.#refresh = undefined;
        this.#store.dispatch({type: 'stage', text: undefined});
      });
  }

  /** Refreshes all nodes periodically while automatic refresh is on. */
  async #readAgain(): Promise<void> {
    while (!this.#signal.aborted) {
      await sleep(this.#options.interval, undefined, {signal: this.#signal}).catch(() => {});
      if (this.#store.get().auto && !this.#refresh && !this.#signal.aborted) this.#read([]);
    }
  }

  /** A repair uses the terminal alone and stops a refresh in progress. Afterwards the node, or all nodes, are read again. */
  async #fix(): Promise<void> {
    const {at} = this.#store.get();
    if (at === undefined) return;
    const brokenOff = this.#refresh !== undefined && this.#readsAll;
    this.#reading.abort(new WinError('the refresh was stopped for a repair.'));
    await this.#refresh;
    const outcome = await this.#options.fix(at, this.#signal).catch(error => {
      this.#signal.throwIfAborted();
      return error instanceof WinError ? error.message : String(error);
    });
    this.#read(brokenOff ? [] : [at]);
    this.#notice(outcome.trim().split('\n').at(-1) ?? '');
  }

  async #explain(): Promise<void> {
    const id = this.#findingAtHand()?.id;
    if (id === undefined) {
      this.#notice('No finding selected.');
      return;
    }
    const [{explain}, {explainView}] = await Promise.all([
      import('../../services/explain.js'),
      import('../../view/text/explain.js'),
    ]);
    const overlay = {title: 'Explanation', text: explainView.text(await explain(id), {colour: false})};
    this.#store.dispatch({type: 'overlay', overlay});
  }

  /** Copies to the clipboard with OSC 52, which also works over SSH. */
  #copy(): void {
    const finding = this.#findingAtHand();
    const {at} = this.#store.get();
    if (!finding || at === undefined) {
      this.#notice('No finding selected.');
      return;
    }
    const text = Buffer.from(findingText(at, finding)).toString('base64');
    this.#output.write(`\u001b]52;c;${text}\u0007`);
    this.#notice(`Copied the evidence of ${finding.id}.`);
  }

  #findingAtHand() {
    const state = this.#store.get();
    return shownFindings(selectedEntry(state))[state.finding]?.root;
  }

  #notice(text: string): void {
    this.#store.dispatch({type: 'notice', text});
  }
}

function sentence(error: unknown): string {
  const texts = error instanceof WinError ? [error.message, ...error.next] : [String(error)];
  return texts.map(text => (/[.!?:]$/.test(text) ? text : `${text}.`)).join(' ');
}
