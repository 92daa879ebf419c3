import type {V1Node} from '@kubernetes/client-node';
import {apiPath} from '../cluster/api-path.js';
import type {HelperSession} from '../cluster/helper-run.js';
import type {Inspection} from '../doctor/inspect.js';
import {ExitCode, WinError} from '../errors.js';
import {followPlan, startPlan} from '../helper/plans.js';
import {describe} from '../repair/describe.js';
import type {JournalEntry} from '../repair/plan.js';
import {type ClientStep, nodePlan, type RepairPlan} from '../repair/repair-plan.js';
import {runClientStep} from './client-steps.js';

/** What a node's repair says while it goes on. */
export interface Teller {
  client(step: ClientStep, phase: 'begin' | 'end'): void;
  journal(entry: JournalEntry): void;
  /** The way to the node is gone for now; `expected` while its network is worked on. */
  lost(seconds: number): void;
  found(): void;
  /** The plan has run, and the node is looked at again. */
  looking(): void;
  end(): void;
}

/** Carries a plan out: the client's steps before, the node's own, the client's after. Throws where it does not succeed. */
export async function applyPlan(inspection: Inspection, plan: RepairPlan, teller: Teller): Promise<void> {
  const {signal} = inspection;
  for (const step of plan.before) await clientStep(inspection, plan.node, step, teller);
  const onNode = nodePlan(plan);
  if (onNode) {
    const way = new WayToNode(inspection, plan.node, teller);
    const session = await way.open();
    await startPlan(session, onNode, signal);
    await follow(inspection, way, plan.id, 0, teller);
  }
  for (const step of plan.after) await clientStep(inspection, plan.node, step, teller);
}

/** Follows a plan that runs on a node to its end; throws where that is not success. */
export async function follow(
  inspection: Inspection,
  way: WayToNode,
  id: string,
  from: number,
  teller: Teller,
): Promise<void> {
  const end = await followPlan({
    id,
    from,
    connect: lost => way.open(lost),
    onEntry: entry => {
      way.found();
      teller.journal(entry);
    },
    onLost: () => way.lost(),
    signal: inspection.signal,
  });
  if (end.outcome === 'succeeded') return;
  const became = {
    failed: 'The plan failed on the node',
    rolledBack: 'The plan failed on the node, which put everything back by itself',
    rollbackFailed: 'The plan failed on the node, and it could not put everything back',
  }[end.outcome];
  throw new WinError(`${became}${end.message === undefined ? '' : `: ${end.message}`}.`, {
    exit: ExitCode.problems,
    next: [`See it with: kubectl win cleanup ${way.node} --status`],
  });
}

async function clientStep({client, signal}: Inspection, node: string, step: ClientStep, teller: Teller): Promise<void> {
  teller.client(step, 'begin');
  try {
    await runClientStep(client, node, step, signal);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new WinError(`This step of the client failed: ${describe(step).changes} ${reason}`, {
      exit: ExitCode.problems,
      cause: error,
    });
  }
  teller.client(step, 'end');
}

/** The helper on a node that may go away: opened again, in a new pod where the old one did not survive. */
export class WayToNode {
  readonly node: string;
  readonly #inspection: Inspection;
  readonly #teller: Pick<Teller, 'lost' | 'found'>;
  #session: HelperSession | undefined;
  #lostSince: number | undefined;
  #tries = 0;

  constructor(inspection: Inspection, node: string, teller: Pick<Teller, 'lost' | 'found'>) {
    this.#inspection = inspection;
    this.node = node;
    this.#teller = teller;
  }

  lost(): void {
    this.#lostSince ??= Date.now();
    this.#tries += 1;
    this.#teller.lost(Math.round((Date.now() - this.#lostSince) / 1000));
  }

  async open(lost = false): Promise<HelperSession> {
    // The pod mostly outlives a short cut; after a few tries it is taken for dead.
    if (this.#session && (!lost || this.#tries < 3)) return this.#session;
    const {client, run, signal} = this.#inspection;
    await this.#session?.close().catch(() => {});
    const object = await client.get<V1Node>(apiPath`/api/v1/nodes/${this.node}`, {signal});
    this.#session = await run.open(object, {signal});
    this.#tries = 0;
    return this.#session;
  }

  /** Told by the first line that comes through again. */
  found(): void {
    if (this.#lostSince === undefined) return;
    this.#lostSince = undefined;
    this.#tries = 0;
    this.#teller.found();
  }
}
