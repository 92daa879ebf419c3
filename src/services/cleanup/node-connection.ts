import type {V1Node} from '@kubernetes/client-node';
import type {HelperSession} from '../../helper/helper-run.js';
import {apiPath} from '../../lib/api-path.js';
import type {Inspection} from '../../session/inspection.js';
import type {StepReporter} from './cleanup-ports.js';

/** A connection to a node's helper that survives network outages: it is reopened, if necessary with a new pod. */
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
    // The pod usually survives a short outage; after a few attempts it is replaced.
    if (this.#session && (!lost || this.#tries < 3)) return this.#session;
    const {client, run, signal} = this.#inspection;
    await this.close();
    const object = await client.get<V1Node>(apiPath`/api/v1/nodes/${this.node}`, {signal});
    this.#session = await run.open(object, {signal});
    this.#tries = 0;
    return this.#session;
  }

  /** Removes the helper pod. If that fails, the run removes it at its end. */
  async close(): Promise<void> {
    await this.#session?.close().catch(() => {});
    this.#session = undefined;
  }

  /** Called on the first output after an outage. */
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
