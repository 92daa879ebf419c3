import {randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {sealed} from '../../helper/sealed-plan.js';
import type {BootPlan, BootStatus} from '../../model/boot-plan.js';
import {nodePlan} from '../../model/repair-plan.js';
import {nodeTime} from '../time.js';
import type {NodePlans} from './node-plans.js';

/** The task that runs at every boot (C:\ProgramData\kubectl-win\boot). Like plans, it persists across reboots. */
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

  /** Runs the boot task. `timeScale` multiplies its time limits. Rejects on power loss. */
  async run(timeScale: number, signal: AbortSignal): Promise<void> {
    if (!this.#stored) return;
    const {plan} = this.#stored;
    const waited = await this.#comesBack(plan, timeScale, signal);
    if (waited.held) return this.#tell('notNeeded');
    // A missing answer does not mean that the network is missing, so nothing is removed.
    if (waited.failure !== undefined) {
      const message = `It could not be determined whether the node needs anything: ${waited.failure}`;
      return this.#tell('blocked', {message});
    }
    const begun = this.#last?.plan;
    for (const folder of this.#plans.disk.folders) {
      const {id, state} = this.#plans.disk.status(folder);
      // Power may have been lost during a plan that the previous boot started.
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

  /** Whether all conditions held at the same time, and which one could not be evaluated at the end. */
  async #comesBack({unless, settleSeconds}: BootPlan, timeScale: number, signal: AbortSignal) {
    const until = Date.now() + settleSeconds * 1000 * timeScale;
    let failure: string | undefined;
    do {
      try {
        failure = undefined;
        if (unless.every(condition => this.#plans.evaluateCondition(condition).done)) return {held: true};
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
