import {setTimeout as delay} from 'node:timers/promises';
import type {JournalEntry, Plan} from '../../model/plan.js';
import type {PlanStep} from '../../model/step.js';
import type {PlanFolder} from './folder.js';
import {entryOf, type PlanDisk} from './journal.js';
import {networkState, restoreNode} from './saved-network.js';
import {type Host, StepError} from './step.js';
import {applyStep, hasUndo, inspectStep, undoStep} from './steps/kinds.js';

export interface Pace {
  /** How long a step takes. */
  stepMs: number;
  /** What the time limits of plans are multiplied with: a test cannot wait for five minutes. */
  timeScale: number;
}

/** The node that a plan works on. */
export interface Ground {
  look(folder: PlanFolder): Host;
  /** Changes the node at once, with all that follows from it. */
  change(folder: PlanFolder, change: (host: Host) => void): void;
  /** A step that is to fail, whatever it finds. */
  failingStep(): string | undefined;
}

type Mode = 'run' | 'resume' | 'rollback';
type End = Pick<Extract<JournalEntry, {event: 'plan.end'}>, 'outcome' | 'message'>;
interface Failure {
  kind: string;
  message: string;
}

/** Carries out a plan as the node's scheduled task does: step by step, journaled, with nobody connected. */
export class PlanRun {
  readonly #ground: Ground;
  readonly #disk: PlanDisk;
  readonly #folder: PlanFolder;
  readonly #plan: Plan;
  readonly #pace: Pace;
  readonly #power: AbortSignal;

  constructor(ground: Ground, disk: PlanDisk, folder: PlanFolder, pace: Pace, power: AbortSignal) {
    this.#ground = ground;
    this.#disk = disk;
    this.#folder = folder;
    this.#plan = JSON.parse(folder.text) as Plan;
    this.#pace = pace;
    this.#power = power;
  }

  /** Rejects only when the power goes. */
  async carryOut(mode: Mode): Promise<void> {
    this.#write({event: 'plan.begin', mode, hash: this.#folder.hash});
    const end = mode === 'rollback' ? await this.#undoAll('A rollback was asked for.') : await this.#allSteps();
    this.#write({event: 'plan.end', ...end});
  }

  async #allSteps(): Promise<End> {
    const {steps} = this.#plan;
    // Once, before the first step: a resumed plan must not take the state in the middle for the start.
    this.#folder.network ??= networkState(this.#ground.look(this.#folder).state);
    const lastCut = steps.findLastIndex(({cuts}) => cuts);
    for (const [index, step] of steps.entries()) {
      const failure = entryOf(this.#folder, 'step.end', index) ? undefined : await this.#oneStep(step, index);
      if (failure) return this.#fail(`Step ${index} (${step.do}) failed: ${failure.message}`);
      if (index === lastCut && !this.#deadManPassed() && !(await this.#deadMan()))
        return this.#undoAll('The dead-man check failed.');
    }
    return {outcome: 'succeeded'};
  }

  /** A node that can still be reached is left for a person to decide; one that was cut off gets its network back. */
  async #fail(message: string): Promise<End> {
    const cut = this.#plan.steps.some(({cuts}, index) => cuts && entryOf(this.#folder, 'step.begin', index));
    if (cut && !(await this.#deadMan())) return this.#undoAll(message);
    return {outcome: 'failed', message};
  }

  async #oneStep(step: PlanStep, index: number): Promise<Failure | undefined> {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    const about = {step: index, do: step.do};
    try {
      const outcome = await this.#carryOutStep(step, index, elapsed);
      this.#write({event: 'step.end', ...about, outcome, ms: elapsed()});
      return undefined;
    } catch (error) {
      const failure = this.#failureOf(error);
      this.#write({event: 'step.failed', ...about, error: failure, ms: elapsed()});
      return failure;
    }
  }

  async #carryOutStep(step: PlanStep, index: number, elapsed: () => number): Promise<'done' | 'already'> {
    const seconds = step.timeoutSeconds ?? 120;
    const limit = seconds * 1000 * this.#pace.timeScale;
    const begun = entryOf(this.#folder, 'step.begin', index);
    const look = (saved: unknown) => inspectStep(this.#ground.look(this.#folder), step, saved);
    let seen = look(begun?.saved);
    const demandUnblocked = () => {
      if (!seen.done && seen.blocked !== undefined) throw new StepError('Blocked', seen.blocked);
    };
    demandUnblocked();
    const saved = begun ? begun.saved : structuredClone(seen.saved);
    if (!begun) this.#write({event: 'step.begin', step: index, do: step.do, saved: saved ?? null});
    if (seen.done) return begun ? 'done' : 'already';
    await this.#pause(this.#pace.stepMs);
    if (this.#ground.failingStep() === step.do) throw new StepError('Failed', 'The node was told to let this fail.');
    this.#ground.change(this.#folder, host => applyStep(host, step, saved));
    for (seen = look(saved); !seen.done; seen = look(saved)) {
      if (elapsed() >= limit) throw new StepError('Timeout', `Not done after ${seconds} s. ${seen.about}`);
      await this.#pause(Math.min(50, this.#pace.stepMs));
    }
    return 'done';
  }

  #deadManPassed(): boolean {
    return this.#folder.journal.some(entry => entry.event === 'deadMan.end' && entry.outcome === 'ok');
  }

  async #deadMan(): Promise<boolean> {
    const {deadMan} = this.#plan;
    if (!deadMan) return true;
    const {withinSeconds} = deadMan;
    this.#write({event: 'deadMan.begin', withinSeconds});
    const until = performance.now() + withinSeconds * 1000 * this.#pace.timeScale;
    let failure = this.#missing(deadMan);
    while (failure !== undefined && performance.now() < until) {
      await this.#pause(Math.min(50, this.#pace.stepMs));
      failure = this.#missing(deadMan);
    }
    const message = failure ?? 'The node has its address and reaches the API server.';
    this.#write({event: 'deadMan.end', outcome: failure === undefined ? 'ok' : 'failed', message});
    return failure === undefined;
  }

  #missing({address, apiServer}: NonNullable<Plan['deadMan']>): string | undefined {
    const host = this.#ground.look(this.#folder);
    const addresses = host.state.sections.netIPAddresses as {IPAddress?: unknown; AddressState?: unknown}[];
    if (!addresses.some(row => row.IPAddress === address && row.AddressState === 'Preferred'))
      return `No adapter has address ${address}.`;
    const failure = host.unreachable();
    return failure === undefined ? undefined : `API server ${apiServer}: ${failure}`;
  }

  /** Backwards through every step that acted, or may have. One that cannot be undone does not keep the others from it. */
  async #undoAll(reason: string): Promise<End> {
    let failed = 0;
    for (const [index, step] of [...this.#plan.steps.entries()].reverse()) {
      const begun = entryOf(this.#folder, 'step.begin', index);
      if (!begun || entryOf(this.#folder, 'step.end', index)?.outcome === 'already') continue;
      if (entryOf(this.#folder, 'undo.end', index)) continue;
      if (!(await this.#undoOne(step, index, begun.saved))) failed += 1;
    }
    if (!this.#restoreNetwork()) failed += 1;
    if (failed > 0) return {outcome: 'rollbackFailed', message: `${reason} ${failed} undo steps failed.`};
    return {outcome: 'rolledBack', message: reason};
  }

  async #undoOne(step: PlanStep, index: number, saved: unknown): Promise<boolean> {
    const about = {step: index, do: step.do};
    this.#write({event: 'undo.begin', ...about});
    if (!hasUndo(step)) {
      this.#write({event: 'undo.end', ...about, outcome: 'none'});
      return true;
    }
    try {
      await this.#pause(this.#pace.stepMs / 2);
      this.#ground.change(this.#folder, host => undoStep(host, step, saved));
      this.#write({event: 'undo.end', ...about, outcome: 'done'});
      return true;
    } catch (error) {
      this.#write({event: 'undo.failed', ...about, error: this.#failureOf(error)});
      return false;
    }
  }

  #restoreNetwork(): boolean {
    const {deadMan} = this.#plan;
    const {network} = this.#folder;
    if (!deadMan || !network) return true;
    let message = '';
    let ok = true;
    try {
      this.#ground.change(this.#folder, host => {
        message = restoreNode(host, network, deadMan.address);
      });
    } catch (error) {
      message = this.#failureOf(error).message;
      ok = false;
    }
    this.#write({event: 'network.restored', message});
    return ok;
  }

  #write(fields: Parameters<PlanDisk['write']>[1]): void {
    this.#power.throwIfAborted();
    this.#disk.write(this.#folder, fields);
  }

  async #pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, {ref: false, signal: this.#power});
  }

  #failureOf(error: unknown): Failure {
    this.#power.throwIfAborted();
    return error instanceof StepError
      ? {kind: error.kind, message: error.message}
      : {kind: 'Failed', message: error instanceof Error ? error.message : String(error)};
  }
}
