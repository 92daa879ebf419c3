import * as z from 'zod/mini';
import {ExitCode, WinError} from '../lib/errors.js';
import type {Reply} from './answer-reader.js';
import {protocol} from './protocol.js';
import {ask, type HelperChannel} from './request.js';

const text = z.optional(z.string());

/** A line of C:\\ProgramData\\kubectl-win\\audit.log on a node. */
export const auditEntry = z.looseObject({
  at: z.string(),
  /**
   * `plan.run`, `plan.resume`, `plan.rollback`, `step`, `step.failed`, `undo`, `undo.failed`, `network.restored`, `guard`,
   * `plan.end`, `plan.prune`, `boot.set`, `boot.remove`.
   */
  what: z.string(),
  user: text,
  context: text,
  plan: text,
  hash: text,
  do: text,
  outcome: text,
  message: text,
});

export type AuditEntry = z.infer<typeof auditEntry>;

/** The newest lines of a node's audit log, oldest first. */
export async function auditLogOf(channel: HelperChannel, signal: AbortSignal): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  const onReply = (reply: Reply) => {
    const entry = reply.type === 'audit' ? auditEntry.safeParse(reply).data : undefined;
    if (entry) entries.push(entry);
  };
  const {fault} = await ask(channel, {protocol, request: 'audit.read', deadlineMs: 60_000}, {onReply, signal});
  if (fault === undefined) return entries;
  throw new WinError(`The answer of ${channel.node} was interrupted: ${fault}.`, {exit: ExitCode.uninspected});
}
