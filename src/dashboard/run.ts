import {setTimeout as sleep} from 'node:timers/promises';
import {allChecks, checkNode, subjectOf} from '../checks/engine.js';
import type {InspectOptions} from '../doctor/inspect.js';
import type {Progress} from '../doctor/progress.js';
import {WinError} from '../errors.js';
import {explain} from '../explain.js';
import {byRootCause} from '../report/roots.js';
import {readNode} from '../snapshot/node.js';
import {type Streams, wantsColour, wantsLiveDisplay} from '../streams.js';
import {plain} from '../untrusted.js';
import type {Command} from './keys.js';
import {evidenceText} from './lines.js';
import {type Action, entryAtHand} from './state.js';
import {Store} from './store.js';

export interface DashboardOptions extends InspectOptions {
  /** Between two refreshes, where they go on by themselves. */
  readonly interval: number;
  readonly auto: boolean;
  /** Reviews and carries out a repair of one node; what it says goes to the terminal. */
  readonly fix: (node: string, signal: AbortSignal) => Promise<string>;
}

/** `kubectl win dashboard`: everything that the dashboard does besides drawing. Ends when the person leaves. */
export async function runDashboard(options: DashboardOptions, streams: Streams, signal: AbortSignal): Promise<void> {
  const {out} = streams;
  if (!process.stdin.isTTY || (out as NodeJS.WriteStream).isTTY !== true || !wantsLiveDisplay(streams))
    throw new WinError('the dashboard needs a terminal.', {
      next: ['Without one: kubectl win doctor, and kubectl win inspect NODE'],
    });
  await new Keeper(options, streams, signal).run();
}

type Wish = Exclude<Command, Action>;

class Keeper {
  readonly #options: DashboardOptions;
  readonly #output: NodeJS.WriteStream;
  readonly #colour: boolean;
  readonly #store = new Store();
  readonly #left = new AbortController();
  readonly #signal: AbortSignal;
  #refresh: Promise<void> | undefined;
  #hasRead = false;
  #wish: (wish: 'quit' | 'fix') => void = () => {};

  constructor(options: DashboardOptions, {out, env}: Streams, signal: AbortSignal) {
    this.#options = options;
    this.#output = out as NodeJS.WriteStream;
    this.#colour = wantsColour(out, env);
    this.#signal = AbortSignal.any([signal, this.#left.signal]);
    if (options.auto) this.#store.dispatch({type: 'auto'});
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

  /** Shows the dashboard until the person leaves it, or wants a repair, which has the terminal for itself. */
  async #show(): Promise<'quit' | 'fix'> {
    const {promise, resolve, reject} = Promise.withResolvers<'quit' | 'fix'>();
    this.#wish = resolve;
    const {openDashboard} = await import('../tui/dashboard.js');
    const dashboard = openDashboard({
      store: this.#store,
      input: process.stdin,
      output: this.#output,
      colour: this.#colour,
      onCommand: wish => this.#perform(wish),
    });
    // The first frame does not wait for what reading takes to load.
    if (!this.#hasRead) this.#read([]);
    const stop = () => reject(this.#signal.reason);
    this.#signal.addEventListener('abort', stop);
    try {
      return await promise;
    } finally {
      this.#signal.removeEventListener('abort', stop);
      await dashboard.close();
    }
  }

  #perform(wish: Wish): void {
    const {at} = this.#store.get();
    switch (wish.type) {
      case 'quit':
        this.#wish('quit');
        return;
      case 'fix':
        if (entryAtHand(this.#store.get())?.node) this.#wish('fix');
        return;
      case 'refresh':
        if (this.#refresh) this.#notice('A refresh is under way.');
        else if (wish.all) this.#read([]);
        else if (at !== undefined) this.#read([at]);
        return;
      case 'explain':
        this.#explain();
        return;
      case 'copy':
        this.#copy();
        return;
    }
  }

  /** Reads nodes, all where none is named. Never throws: what goes wrong is told on the screen. */
  #read(names: readonly string[]): void {
    const refresh = async () => {
      const {inspect} = await import('../doctor/inspect.js');
      const chosen = names.length > 0 ? {names, selector: undefined} : {};
      const {context} = await inspect(
        {...this.#options, ...chosen, onRead: (...read) => this.#judge(...read)},
        this.#progress(names.length === 0),
        this.#signal,
      );
      this.#store.dispatch({type: 'context', context});
    };
    this.#hasRead = true;
    this.#notice('');
    this.#refresh = refresh()
      .catch(error =>
        this.#notice(error instanceof WinError ? [error.message, ...error.next].join(' ') : String(error)),
      )
      .finally(() => {
        this.#refresh = undefined;
        this.#store.dispatch({type: 'stage', text: undefined});
      });
  }

  #progress(all: boolean): Progress {
    const {stream} = this.#store;
    return {
      stage: text => stream({type: 'stage', text}),
      begin: names => {
        if (all) stream({type: 'nodes', names});
      },
      node: (name, phase, detail = '') => stream({type: 'phase', name, phase, detail}),
      found: () => {},
      warn: text => this.#notice(text),
      end: () => {},
    };
  }

  readonly #judge: NonNullable<InspectOptions['onRead']> = (name, dump, cluster) => {
    const node = readNode(name, dump);
    const seenAt = Date.now();
    const subject = subjectOf({cluster, nodes: new Map([[name, node]]), takenAt: seenAt}, name, seenAt);
    const {plugin} = subject;
    const results = checkNode(subject, allChecks);
    const words = [plugin.name, plugin.version, plugin.variant && `(${plugin.variant})`].filter(Boolean).join(' ');
    this.#store.stream({type: 'read', entry: {name, node, results, plugin: words, seenAt}, cluster});
  };

  /** Reads all nodes again by itself, as long as that is wanted. */
  async #readAgain(): Promise<void> {
    while (!this.#signal.aborted) {
      await sleep(this.#options.interval, undefined, {signal: this.#signal}).catch(() => {});
      if (this.#store.get().auto && !this.#refresh && !this.#signal.aborted) this.#read([]);
    }
  }

  /** A repair has the terminal for itself; afterwards the node is read again. */
  async #fix(): Promise<void> {
    const {at} = this.#store.get();
    if (at === undefined) return;
    await this.#refresh;
    const outcome = await this.#options.fix(at, this.#signal).catch(error => {
      this.#signal.throwIfAborted();
      return error instanceof WinError ? error.message : String(error);
    });
    this.#read([at]);
    this.#notice(outcome.trim().split('\n').at(-1) ?? '');
  }

  #explain(): void {
    const id = this.#findingAtHand()?.id;
    if (id === undefined) this.#notice('There is no finding to explain here.');
    else
      this.#store.dispatch({
        type: 'overlay',
        overlay: {title: 'Explained', text: explain(id, undefined, {colour: false})},
      });
  }

  /** OSC 52: the terminal puts it on the clipboard, also through ssh. */
  #copy(): void {
    const finding = this.#findingAtHand();
    if (!finding) {
      this.#notice('There is no finding to copy here.');
      return;
    }
    const {at} = this.#store.get();
    const text = [`${at}: ${finding.id}: ${plain(finding.message)}`, ...finding.evidence.map(evidenceText)].join('\n');
    this.#output.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
    this.#notice(`Copied the evidence of ${finding.id}.`);
  }

  #findingAtHand() {
    const state = this.#store.get();
    return byRootCause(entryAtHand(state)?.results ?? [])[state.finding]?.root;
  }

  #notice(text: string): void {
    this.#store.dispatch({type: 'notice', text});
  }
}
