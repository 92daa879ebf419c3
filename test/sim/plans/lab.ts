import type {JournalEntry, Plan} from '../../../src/model/plan.js';
import type {PlanStep} from '../../../src/model/step.js';
import {rows} from '../../../src/sim/node/state.js';
import type {SimulationOptions} from '../../../src/sim/simulation.js';
import {type PlanText, planOf} from '../../helper/plans.js';
import {type Cluster, cluster, type Reply} from '../support.js';

export interface Line extends Record<string, unknown> {
  type: string;
}

/** A simulated node with a helper pod that accepts plan requests. */
export class Lab implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly node: string;
  readonly #pod: string;

  private constructor(live: Cluster, node: string, pod: string) {
    this.cluster = live;
    this.node = node;
    this.#pod = pod;
  }

  static async start(scenario: string, options: Partial<SimulationOptions> = {}, node = 'win-1'): Promise<Lab> {
    const pace = {stepMs: 5, timeScale: 0.005, cutMs: 40, retryMs: 40};
    const live = await cluster(scenario, {pace, ...options});
    return new Lab(live, node, await live.helperPod(node));
  }

  /** The same node with a new helper pod, because the old one did not survive. */
  static async onto({cluster: live, node}: Lab): Promise<Lab> {
    return new Lab(live, node, await live.helperPod(node));
  }

  get sim() {
    const found = this.cluster.simulation.nodes.get(this.node);
    if (!found) throw new Error(`there is no node ${this.node}`);
    return found;
  }

  /** The lines of an answer between the greeting and the end. */
  async ask(request: object): Promise<Line[]> {
    const {stdout} = await this.cluster.helper(this.#pod, {protocol: 1, deadlineMs: 20_000, ...request});
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Line);
    return lines.filter(({type}) => type !== 'hello' && type !== 'end');
  }

  plan(steps: readonly PlanStep[], more: Partial<Plan> = {}): PlanText {
    return planOf(steps, {node: this.node, ...more});
  }

  async start({text: plan, hash}: PlanText): Promise<Line | undefined> {
    const [line] = await this.ask({request: 'plan.start', plan, hash});
    return line;
  }

  /** Follows a plan to its end over any number of connections. */
  async followed({id}: PlanText): Promise<JournalEntry[]> {
    const seen: JournalEntry[] = [];
    for (;;) {
      const from = (seen.at(-1)?.seq ?? 0) + 1;
      const lines = await this.ask({request: 'plan.follow', id, from}).catch(() => []);
      seen.push(...(lines.filter(({type}) => type === 'journal') as unknown as JournalEntry[]));
      if (seen.at(-1)?.event === 'plan.end' || lines.some(({type}) => type === 'plan' || type === 'error')) return seen;
    }
  }

  /** Starts a plan and follows it to its end. */
  async runPlan(plan: PlanText): Promise<JournalEntry[]> {
    await this.start(plan);
    return this.followed(plan);
  }

  rows(section: string): Record<string, unknown>[] {
    return rows(this.sim.state, section);
  }

  get(path: string): Promise<Reply> {
    return this.cluster.get(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }
}

export const eventsOf = (journal: readonly JournalEntry[]): string[] => journal.map(({event}) => event);
