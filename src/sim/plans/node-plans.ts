import type {Plan, Requester} from '../../model/plan.js';
import type {PlanStep, With} from '../../model/step.js';
import type {JsonObject} from '../json.js';
import {BootTask} from './boot-task.js';
import type {PlanFolder} from './folder.js';
import {guardNode} from './guard.js';
import {PlanDisk} from './journal.js';
import {RunJournal} from './run-journal.js';
import {type Mode, PlanRun} from './runner.js';
import type {PlanTarget, Running, StepPace} from './running.js';
import {type Host, StepError, type StepInspection} from './step.js';
import {inspectStep} from './steps/kinds.js';
import {evaluateCondition} from './steps/wait.js';

export interface NodePlansOptions extends StepPace {
  node: string;
  target: PlanTarget;
  /** The node as seen by a step that is only inspected. */
  look(): Host;
  /** Called when the boot task is registered and when it is removed. */
  onBootTask(there: boolean): void;
  /** Called when the guard task of a plan is registered and when it is removed. */
  onGuardTask(plan: string, there: boolean): void;
}

/** The interval of the guard task. */
const guardEveryMs = 120_000;

/** The plans of one node: those on its disk, and the running one, whether or not a client follows it. */
export class NodePlans {
  readonly disk = new PlanDisk();
  readonly boot = new BootTask(this, there => this.#options.onBootTask(there));
  readonly #options: NodePlansOptions;
  readonly #guards = new Map<string, NodeJS.Timeout>();
  #power = new AbortController();
  #process = new AbortController();

  constructor(options: NodePlansOptions) {
    this.#options = options;
  }

  get node(): string {
    return this.#options.node;
  }

  demandIdle(): void {
    const {running} = this.disk;
    if (running !== undefined) throw new StepError('Busy', `Plan ${running} is running on this node.`);
  }

  /** What a step would find now. */
  inspect(step: PlanStep): StepInspection {
    return inspectStep(this.#options.look(), step, undefined);
  }

  /** Whether a condition holds now. Throws if it cannot be determined. */
  evaluateCondition(condition: With<'wait.until'>): StepInspection {
    return evaluateCondition(this.#options.look(), condition);
  }

  start(folder: PlanFolder, mode: Mode): void {
    const guard = {register: () => this.#setGuard(folder, true), unregister: () => this.#setGuard(folder, false)};
    const requester = mode === 'run' ? undefined : folder.requester;
    this.#hold(folder, {mayFail: false, requester}, run => new PlanRun(run, guard).run(mode));
  }

  /** Runs a process that holds the plan's lock until it exits or is killed. */
  #hold(
    folder: PlanFolder,
    {mayFail, requester}: {mayFail: boolean; requester?: Requester | undefined},
    act: (run: Running) => Promise<void>,
  ): void {
    const {target, stepMs, timeScale} = this.#options;
    const process = new AbortController();
    this.#process = process;
    this.disk.running = folder.id;
    const plan = JSON.parse(folder.text) as Plan;
    const {createdBy: user = '', context = ''} = plan;
    const run: Running = {
      target,
      folder,
      plan,
      requester: requester ?? {user, context},
      journal: new RunJournal(this.disk, folder, mayFail),
      pace: {stepMs, timeScale},
      power: process.signal,
    };
    const over = () => {
      if (!process.signal.aborted) this.disk.release();
    };
    // Rejects if it is killed, or if the disk is full before the first interruption. No caller waits for it.
    act(run).then(over, over);
  }

  /** A guard task outlives the process that registered it, and reboots. */
  #setGuard(folder: PlanFolder, there: boolean): void {
    if (this.#guards.has(folder.id) === there) return;
    if (there) this.#guards.set(folder.id, this.#every(folder));
    else {
      clearInterval(this.#guards.get(folder.id));
      this.#guards.delete(folder.id);
    }
    this.#options.onGuardTask(folder.id, there);
  }

  #every(folder: PlanFolder): NodeJS.Timeout {
    return setInterval(() => this.#startGuard(folder), guardEveryMs * this.#options.timeScale).unref();
  }

  /** A running plan does not need its guard. */
  #startGuard(folder: PlanFolder): void {
    if (this.disk.running !== undefined) return;
    this.#hold(folder, {mayFail: true}, async run => {
      await guardNode(run);
      this.#setGuard(folder, false);
    });
  }

  /** Kills the process that runs a plan. Its guard task stays. */
  kill(): void {
    this.#process.abort(new Error('the process was killed'));
    this.disk.release();
  }

  /** Power loss: processes stop immediately, the disk stays. */
  powerOff(): void {
    this.#power.abort(new Error('the power went'));
    this.#power = new AbortController();
    for (const timer of this.#guards.values()) clearInterval(timer);
    this.kill();
  }

  /** The node has booted: runs the boot task and the guards, without a client. */
  powerOn(): void {
    this.boot.run(this.#options.timeScale, this.#power.signal).catch(() => {});
    for (const id of [...this.#guards.keys()]) {
      const folder = this.disk.find(id);
      if (!folder) continue;
      this.#guards.set(id, this.#every(folder));
      this.#startGuard(folder);
    }
  }

  section(): JsonObject[] {
    return this.disk.folders.map(folder => ({...this.disk.status(folder), journal: folder.journal}));
  }
}
