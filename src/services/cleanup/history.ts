import {type AuditEntry, auditLogOf} from '../../helper/audit-log.js';
import {nameOfNode, selectNodes} from '../../kube/select-nodes.js';
import {WinError} from '../../lib/errors.js';
import {inParallel} from '../../lib/in-parallel.js';
import type {Inspection, InspectOptions} from '../../session/inspection.js';
import {phaseLimits} from '../../session/phases.js';
import {eventsOf} from './audit.js';
import {withHelperOn} from './node-connection.js';

/** A change to a node, by a plan or by the client. */
export interface HistoryEntry {
  readonly at: string;
  /** Where it is recorded: in the node's audit log, or in an Event on the Node. */
  readonly from: 'audit.log' | 'Event';
  readonly what: string;
  readonly user?: string;
  readonly context?: string;
  readonly plan?: string;
  readonly hash?: string;
}

export interface HistoryOfNode {
  readonly node: string;
  readonly entries: readonly HistoryEntry[];
  /** What could not be read. The entries are incomplete then. */
  readonly error?: string;
}

/** `--history`: all changes recorded on the nodes and in the API server, oldest first. */
export async function historyOf(inspection: Inspection, options: InspectOptions): Promise<HistoryOfNode[]> {
  const nodes = await selectNodes(inspection.client, options, {signal: inspection.signal});
  const {reading} = phaseLimits(nodes.length, options.concurrency);
  return inParallel(nodes, reading, node => historyOn(inspection, nameOfNode(node)));
}

async function historyOn(inspection: Inspection, node: string): Promise<HistoryOfNode> {
  const {client, signal} = inspection;
  const failures: string[] = [];
  const attempt = async (read: () => Promise<HistoryEntry[]>): Promise<HistoryEntry[]> => {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof WinError)) throw error;
      failures.push([error.message, ...error.next].join(' '));
      return [];
    }
  };
  const logged = await attempt(() =>
    withHelperOn(inspection, node, async session => (await auditLogOf(session, signal)).map(ofLog)),
  );
  const noted = await attempt(async () =>
    (await eventsOf(client, node, {signal})).map(({lastTimestamp, metadata, message = '', reason = ''}) => ({
      at: new Date(lastTimestamp ?? metadata.creationTimestamp ?? 0).toISOString(),
      from: 'Event',
      what: `${reason}: ${message}`,
    })),
  );
  const entries = [...logged, ...noted].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return {node, entries, ...(failures.length > 0 && {error: failures.join(' ')})};
}

function ofLog({
  at,
  what,
  do: step,
  outcome,
  message,
  user,
  context,
  plan,
  hash,
  with: parameters,
}: AuditEntry): HistoryEntry {
  const details = [step, parameters === undefined ? undefined : JSON.stringify(parameters), outcome, message];
  return {
    at,
    from: 'audit.log',
    what: [what, ...details].filter(Boolean).join(' '),
    ...(user && {user}),
    ...(context && {context}),
    ...(plan && {plan}),
    ...(hash && {hash}),
  };
}
