import type {PlanStep} from '../../model/step.js';
import type {JsonObject} from '../json.js';
import {BootTask} from './boot-task.js';
import type {PlanFolder} from './folder.js';
import {PlanDisk} from './journal.js';
import {type Ground, type Pace, PlanRun} from './runner.js';
import {type Host, type Inspection, StepError} from './step.js';
import {inspectStep} from './steps/kinds.js';

export interface NodePlansOptions extends Pace {
  node: string;
  ground: Ground;
  /** The node as a step finds it that is only looked at. */
  look(): Host;
  /** Told when the task for boots is registered, and when it is gone. */
  onBootTask(there: boolean): void;
}

/** The plans of one node: those on its disk, and the one that runs, whether or not anybody follows it. */
export class NodePlans {
  readonly disk = new PlanDisk();
  readonly boot = new BootTask(this, there => this.#options.onBootTask(there));
  readonly #options: NodePlansOptions;
  #power = new AbortController();

  constructor(options: NodePlansOptions) {
    this.#options = options;
  }

  get node(): string {
    return this.#options.node;
  }

  demandIdle(): void {
    const {running} = this.disk;
    if (running !== undefined) throw new StepError('Busy', `Plan ${running} is being carried out on this node.`);
  }

  /** What a step would find now. */
  inspect(step: PlanStep): Inspection {
    return inspectStep(this.#options.look(), step, undefined);
  }

  start(folder: PlanFolder, mode: 'run' | 'resume' | 'rollback'): void {
    const {ground, stepMs, timeScale} = this.#options;
    const {signal} = this.#power;
    this.disk.running = folder.id;
    const run = new PlanRun(ground, this.disk, folder, {stepMs, timeScale}, signal);
    const over = () => {
      if (!signal.aborted) this.disk.release();
    };
    // It rejects only when the power went, and then nobody is there to hear it.
    run.carryOut(mode).then(over, () => {});
  }

  /** The power goes: what runs stops in the middle, and what is on the disk stays. */
  powerOff(): void {
    this.#power.abort(new Error('the power went'));
    this.#power = new AbortController();
    this.disk.release();
  }

  /** The node has booted: what is to be done at every boot is done, with nobody connected. */
  powerOn(): void {
    this.boot.run(this.#options.timeScale, this.#power.signal).catch(() => {});
  }

  /** The section `plans` of a collection. */
  section(): JsonObject[] {
    return this.disk.folders.map(folder => ({...this.disk.status(folder), journal: folder.journal}));
  }
}
