import type {Plan} from '../../model/plan.js';
import type {PlanStep, With} from '../../model/step.js';
import type {JsonObject} from '../json.js';
import {BootTask} from './boot-task.js';
import type {PlanFolder} from './folder.js';
import {guardNode} from './guard.js';
import {PlanDisk} from './journal.js';
import {RunJournal} from './run-journal.js';
import {type Mode, PlanRun} from './runner.js';
import type {Ground, Running, StepPace} from './running.js';
import {type Host, StepError, type StepInspection} from './step.js';
import {inspectStep} from './steps/kinds.js';
import {lookAt} from './steps/wait.js';

export interface NodePlansOptions extends StepPace {
  node: string;
  ground: Ground;
  /** The node as a step finds it that is only inspected. */
  look(): Host;
  /** Told when the task for boots is registered, and when it is gone. */
  onBootTask(there: boolean): void;
  /** Told when the guard of a plan is registered, and when it is gone. */
  onGuardTask(plan: string, there: boolean): void;
}

/** How often the guard of a plan is started. */
const guardEveryMs = 120_000;

/** The plans of one node: those on its disk, and the one that runs, whether or not anyone follows it. */
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

  /** Whether a condition holds now; throws where nothing answers. */
  lookAt(condition: With<'wait.until'>): StepInspection {
    return lookAt(this.#options.look(), condition);
  }

  start(folder: PlanFolder, mode: Mode): void {
    const guard = {register: () => this.#setGuard(folder, true), unregister: () => this.#setGuard(folder, false)};
    this.#hold(folder, false, run => new PlanRun(run, guard).carryOut(mode));
  }

  /** A process that holds the plan's lock until it ends, or is killed. */
  #hold(folder: PlanFolder, mayFail: boolean, act: (run: Running) => Promise<void>): void {
    const {ground, stepMs, timeScale} = this.#options;
    const process = new AbortController();
    this.#process = process;
    this.disk.running = folder.id;
    const run: Running = {
      ground,
      folder,
      plan: JSON.parse(folder.text) as Plan,
      journal: new RunJournal(this.disk, folder, mayFail),
      pace: {stepMs, timeScale},
      power: process.signal,
    };
    const over = () => {
      if (!process.signal.aborted) this.disk.release();
    };
    // It rejects when it was killed, and when the disk was full before the first cut; nobody is there to hear it.
    act(run).then(over, over);
  }

  /** A guard outlives the process that has registered it, and boots. */
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

  /** While a plan runs there is nothing to do for it. */
  #startGuard(folder: PlanFolder): void {
    if (this.disk.running !== undefined) return;
    this.#hold(folder, true, async run => {
      await guardNode(run);
      this.#setGuard(folder, false);
    });
  }

  /** Kills the process that runs a plan, in the middle of it. The task of its guard stays. */
  kill(): void {
    this.#process.abort(new Error('the process was killed'));
    this.disk.release();
  }

  /** The power goes: what runs stops in the middle, and what is on the disk stays. */
  powerOff(): void {
    this.#power.abort(new Error('the power went'));
    this.#power = new AbortController();
    for (const timer of this.#guards.values()) clearInterval(timer);
    this.kill();
  }

  /** The node has booted: what is to be done at every boot is done, with nobody connected. */
  powerOn(): void {
    this.boot.run(this.#options.timeScale, this.#power.signal).catch(() => {});
    for (const id of [...this.#guards.keys()]) {
      const folder = this.disk.find(id);
      if (!folder) continue;
      this.#guards.set(id, this.#every(folder));
      this.#startGuard(folder);
    }
  }

  /** The section `plans` of a collection. */
  section(): JsonObject[] {
    return this.disk.folders.map(folder => ({...this.disk.status(folder), journal: folder.journal}));
  }
}
