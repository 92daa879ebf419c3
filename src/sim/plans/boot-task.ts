import {createHash, randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {z} from 'zod';
import {type BootPlan, type BootStatus, bootPlan} from '../../repair/boot-plan.js';
import type {Plan} from '../../repair/plan.js';
import {nodeTime} from '../time.js';
import type {NodePlans} from './node-plans.js';
import {StepError} from './step.js';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** The task that a node runs at every boot, C:\ProgramData\kubectl-win\boot: it outlives boots as plans do. */
export class BootTask {
  readonly #plans: NodePlans;
  readonly #onChange: (there: boolean) => void;
  #stored: {text: string; plan: BootPlan} | undefined;
  #last: BootStatus['last'];

  constructor(plans: NodePlans, onChange: (there: boolean) => void) {
    this.#plans = plans;
    this.#onChange = onChange;
  }

  set(text: string, hash: string): void {
    if (sha256(text) !== hash) throw badRequest('The plan does not have the hash that came with it.');
    const parsed = bootPlan.safeParse(parse(text));
    if (!parsed.success) throw badRequest(`The plan is not valid: ${z.prettifyError(parsed.error)}`);
    if (parsed.data.node !== this.#plans.node)
      throw badRequest(`The plan is for node ${parsed.data.node}, not for this one.`);
    this.#stored = {text, plan: parsed.data};
    this.#onChange(true);
  }

  remove(): void {
    this.#stored = undefined;
    this.#last = undefined;
    this.#onChange(false);
  }

  status(): BootStatus {
    if (!this.#stored) return {set: false};
    const {text, plan} = this.#stored;
    const {title, createdAt, steps} = plan;
    return {
      set: true,
      hash: sha256(text),
      title,
      createdAt,
      steps: steps.length,
      ...(this.#last && {last: this.#last}),
    };
  }

  /** What the task does at a boot. `timeScale` is what its patience is multiplied with. Rejects when the power goes. */
  async run(timeScale: number, signal: AbortSignal): Promise<void> {
    if (!this.#stored) return;
    const {plan} = this.#stored;
    if (await this.#comesBack(plan, timeScale, signal)) return this.#tell('notNeeded');
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
    const text = JSON.stringify(asPlan(plan, id));
    this.#tell('ran', {plan: id});
    this.#plans.start(this.#plans.disk.store(id, text, sha256(text)), 'run');
  }

  async #comesBack({unless, settleSeconds}: BootPlan, timeScale: number, signal: AbortSignal): Promise<boolean> {
    const until = Date.now() + settleSeconds * 1000 * timeScale;
    do {
      if (unless.every(condition => this.#plans.inspect({do: 'wait.until', with: condition}).done)) return true;
      await delay(50, undefined, {signal, ref: false});
    } while (Date.now() < until);
    return false;
  }

  #tell(outcome: 'notNeeded' | 'ran' | 'blocked', rest: {plan?: string; message?: string} = {}): void {
    this.#last = {at: nodeTime(new Date()), outcome, ...rest};
  }
}

function asPlan({node, title, steps, deadMan}: BootPlan, id: string): Plan {
  return {
    apiVersion: 'kubectl-win/v1',
    kind: 'Plan',
    id,
    node,
    title,
    createdAt: new Date().toISOString(),
    createdBy: 'kubectl-win at boot',
    steps,
    deadMan,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const badRequest = (message: string): StepError => new StepError('BadRequest', message);
