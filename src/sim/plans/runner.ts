import type {PlanStep} from '../../model/step.js';
import {reachNow, waitForReach} from './reach.js';
import {audit, cutBegun, type Failure, failureOf, pause, type Running, write} from './running.js';
import {networkState} from './saved-network.js';
import {StepError} from './step.js';
import {applyStep, inspectStep} from './steps/kinds.js';
import {type End, undoPlan} from './undo.js';

export type Mode = 'run' | 'resume' | 'rollback';

/** The guard of a plan is a separate task. */
export interface GuardTask {
  register(): void;
  unregister(): void;
}

/** Runs a plan like the scheduled task on a node: step by step, journaled, without a client. */
export class PlanRun {
  readonly #run: Running;
  readonly #guard: GuardTask;

  constructor(run: Running, guard: GuardTask) {
    this.#run = run;
    this.#guard = guard;
  }

  /** Rejects only if it is killed, power is lost, or the journal cannot be written before the first interruption. */
  async run(mode: Mode): Promise<void> {
    const run = this.#run;
    // A full disk must not keep a node that was cut off from being restored.
    run.journal.mayFail = cutBegun(run);
    write(run, {event: 'plan.begin', mode, hash: run.folder.hash});
    // An undo can interrupt the network as the step did.
    if (cutBegun(run)) this.#protect();
    const end = mode === 'rollback' ? await undoPlan(run, 'A rollback was requested.') : await this.#allSteps();
    run.journal.mayFail = true;
    write(run, {event: 'plan.end', ...end});
    // With any other outcome the node is reachable, or its network was never interrupted.
    if (end.outcome !== 'rollbackFailed') this.#guard.unregister();
  }

  #protect(): void {
    this.#guard.register();
    this.#run.journal.mayFail ||= cutBegun(this.#run);
  }

  async #allSteps(): Promise<End> {
    const run = this.#run;
    const {steps} = run.plan;
    this.#saveNetwork();
    const lastCut = steps.findLastIndex(({cuts}) => cuts);
    for (const [index, step] of steps.entries()) {
      const isDone = run.journal.find('step.end', index) !== undefined;
      if (step.cuts && !isDone) this.#protect();
      const failure = isDone ? undefined : await this.#oneStep(step, index);
      if (failure) return this.#fail(`Step ${index} (${step.do}) failed: ${failure.message}`);
      if (index === lastCut && !this.#deadManPassed() && !(await this.#deadMan()))
        return undoPlan(run, 'The reachability check failed.');
    }
    return {outcome: 'succeeded'};
  }

  /** Saved once, before the first step: a resumed plan must not save a half-changed network. */
  #saveNetwork(): void {
    const {folder, target, plan} = this.#run;
    if (folder.network) return;
    const host = target.look(folder);
    folder.network = {...networkState(host.state), ...(plan.deadMan && {reach: reachNow(host, plan.deadMan)})};
  }

  /** A reachable node is left for the user to decide; an unreachable one is rolled back. */
  async #fail(message: string): Promise<End> {
    if (cutBegun(this.#run) && !(await this.#deadMan())) return undoPlan(this.#run, message);
    return {outcome: 'failed', message};
  }

  async #oneStep(step: PlanStep, index: number): Promise<Failure | undefined> {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    const about = {step: index, do: step.do};
    try {
      const outcome = await this.#runStep(step, index, elapsed);
      write(this.#run, {event: 'step.end', ...about, outcome, ms: elapsed()});
      return undefined;
    } catch (error) {
      const failure = failureOf(this.#run, error);
      write(this.#run, {event: 'step.failed', ...about, error: failure, ms: elapsed()});
      return failure;
    }
  }

  async #runStep(step: PlanStep, index: number, elapsed: () => number): Promise<'done' | 'already'> {
    const run = this.#run;
    const {target, folder, journal, pace} = run;
    const seconds = step.timeoutSeconds ?? 120;
    const limit = seconds * 1000 * pace.timeScale;
    const begun = journal.find('step.begin', index);
    const look = (saved: unknown) => inspectStep(target.look(folder), step, saved);
    let seen = look(begun?.saved);
    const demandUnblocked = () => {
      if (!seen.done && seen.blocked !== undefined) throw new StepError('Blocked', seen.blocked);
    };
    demandUnblocked();
    const saved = begun ? begun.saved : structuredClone(seen.saved);
    if (!begun) {
      write(run, {event: 'step.begin', step: index, do: step.do, saved: saved ?? null});
      if (step.cuts) journal.mayFail = true;
    }
    if (seen.done) return begun ? 'done' : 'already';
    await pause(run, pace.stepMs);
    const about = {step: index, do: step.do};
    audit(run, {what: 'step', ...about, with: {...step.with}});
    try {
      if (target.failingStep() === step.do) throw new StepError('Failed', 'This step is set to fail.');
      target.change(folder, host => applyStep(host, step, saved));
      for (seen = look(saved); !seen.done; seen = look(saved)) {
        if (elapsed() >= limit) throw new StepError('Timeout', `Not done after ${seconds} s. ${seen.about}`);
        await pause(run, Math.min(50, pace.stepMs));
      }
    } catch (error) {
      audit(run, {what: 'step.failed', ...about, message: failureOf(run, error).message});
      throw error;
    }
    return 'done';
  }

  #deadManPassed(): boolean {
    return this.#run.journal.entries.some(entry => entry.event === 'deadMan.end' && entry.outcome === 'ok');
  }

  async #deadMan(): Promise<boolean> {
    const run = this.#run;
    const {deadMan} = run.plan;
    if (!deadMan) return true;
    const {withinSeconds} = deadMan;
    write(run, {event: 'deadMan.begin', withinSeconds});
    const gap = await waitForReach(run, deadMan, {seconds: withinSeconds, apiSeconds: 3 * withinSeconds});
    const message = gap?.message ?? 'The node has its address and reaches the API server.';
    write(run, {event: 'deadMan.end', outcome: gap ? 'failed' : 'ok', message});
    return gap === undefined;
  }
}
