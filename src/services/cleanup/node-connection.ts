import type {V1Node} from '@kubernetes/client-node';
import type {HelperSession} from '../../helper/helper-run.js';
import {apiPath} from '../../lib/api-path.js';
import type {Inspection} from '../../session/inspection.js';
import type {StepReporter} from './cleanup-ports.js';

/** The helper on a node that may go away: opened again, in a new pod where the old one did not survive. */
export class NodeConnection {
  readonly node: string;
  readonly #inspection: Pick<Inspection, 'client' | 'run' | 'signal'>;
  readonly #reporter: Pick<StepReporter, 'lost' | 'found'>;
  #session: HelperSession | undefined;
  #lostSince: number | undefined;
  #tries = 0;

  constructor(
    inspection: Pick<Inspection, 'client' | 'run' | 'signal'>,
    node: string,
    reporter: Pick<StepReporter, 'lost' | 'found'>,
  ) {
    this.#inspection = inspection;
    this.node = node;
    this.#reporter = reporter;
  }

  lost(): void {
    this.#lostSince ??= performance.now();
    this.#tries += 1;
    this.#reporter.lost(Math.round((performance.now() - this.#lostSince) / 1000));
  }

  async open(lost = false): Promise<HelperSession> {
    // The pod mostly outlives a short cut; after a few tries it is taken for dead.
    if (this.#session && (!lost || this.#tries < 3)) return this.#session;
    const {client, run, signal} = this.#inspection;
    await this.close();
    const object = await client.get<V1Node>(apiPath`/api/v1/nodes/${this.node}`, {signal});
    this.#session = await run.open(object, {signal});
    this.#tries = 0;
    return this.#session;
  }

  /** Removes the helper, if it can be reached; else the run does it at its end. */
  async close(): Promise<void> {
    await this.#session?.close().catch(() => {});
    this.#session = undefined;
  }

  /** Told by the first line that comes through again. */
  found(): void {
    if (this.#lostSince === undefined) return;
    this.#lostSince = undefined;
    this.#tries = 0;
    this.#reporter.found();
  }
}

const quiet = {lost: () => {}, found: () => {}};

/** Uses the helper on a node once. */
export async function withHelperOn<Result>(
  inspection: Inspection,
  node: string,
  use: (session: HelperSession) => Promise<Result>,
): Promise<Result> {
  const connection = new NodeConnection(inspection, node, quiet);
  const session = await connection.open();
  try {
    return await use(session);
  } finally {
    await session.close().catch(() => {});
  }
}
