import {randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {sealed} from '../../helper/sealed-plan.js';
import type {BootPlan, BootStatus} from '../../model/boot-plan.js';
import {nodePlan} from '../../model/repair-plan.js';
import {nodeTime} from '../time.js';
import type {NodePlans} from './node-plans.js';

/** The task that a node runs at every boot, C:\ProgramData\kubectl-win\boot: it outlives boots as plans do. */
export class BootTask {
  readonly #plans: NodePlans;
  readonly #onChange: (there: boolean) => void;
  #stored: {plan: BootPlan; hash: string} | undefined;
  #last: BootStatus['last'];

  constructor(plans: NodePlans, onChange: (there: boolean) => void) {
    this.#plans = plans;
    this.#onChange = onChange;
  }

  set(plan: BootPlan, hash: string): void {
    this.#stored = {plan, hash};
    this.#onChange(true);
  }

  remove(): void {
    this.#stored = undefined;
    this.#last = undefined;
    this.#onChange(false);
  }

  status(): BootStatus {
    if (!this.#stored) return {set: false};
    const {hash, plan} = this.#stored;
    const {title, createdAt, steps} = plan;
    return {set: true, hash, title, createdAt, steps: steps.length, ...(this.#last && {last: this.#last})};
  }

  /** What the task does at a boot. `timeScale` is what its patience is multiplied with. Rejects when the power goes. */
  async run(timeScale: number, signal: AbortSignal): Promise<void> {
    if (!this.#stored) return;
    const {plan} = this.#stored;
    const waited = await this.#comesBack(plan, timeScale, signal);
    if (waited.held) return this.#tell('notNeeded');
    // What did not answer may be there: nothing is removed because of a silence.
    if (waited.failure !== undefined) {
      const message = `It could not be determined whether the node needs anything: ${waited.failure}`;
      return this.#tell('blocked', {message});
    }
    const begun = this.#last?.plan;
    for (const folder of this.#plans.disk.folders) {
      const {id, state} = this.#plans.disk.status(folder);
      // The power may have gone in the middle of what the boot before this one had begun.
      if (state === 'interrupted' && id === begun) {
        this.#plans.start(folder, 'resume');
        return this.#tell('ran', {plan: id});
      }
      if (state === 'running' || state === 'interrupted')
        return this.#tell('blocked', {message: `Plan ${id} is ${state} on this node.`});
    }
    const id = randomUUID();
    const made = {id, createdAt: new Date().toISOString(), createdBy: 'kubectl-win at boot'};
    const {plan: text, hash} = sealed({...nodePlan({...plan, ...made})});
    this.#tell('ran', {plan: id});
    this.#plans.start(this.#plans.disk.store(id, text, hash), 'run');
  }

  /** Whether all of it held at one moment, and what gave no answer to the end. */
  async #comesBack({unless, settleSeconds}: BootPlan, timeScale: number, signal: AbortSignal) {
    const until = Date.now() + settleSeconds * 1000 * timeScale;
    let failure: string | undefined;
    do {
      try {
        failure = undefined;
        if (unless.every(condition => this.#plans.lookAt(condition).done)) return {held: true};
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
      }
      await delay(50, undefined, {signal, ref: false});
    } while (Date.now() < until);
    return {held: false, ...(failure !== undefined && {failure})};
  }

  #tell(outcome: 'notNeeded' | 'ran' | 'blocked', rest: {plan?: string; message?: string} = {}): void {
    this.#last = {at: nodeTime(new Date()), outcome, ...rest};
  }
}
