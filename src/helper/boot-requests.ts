import {ExitCode, WinError} from '../lib/errors.js';
import {type BootPlan, type BootRequest, type BootStatus, bootStatus} from '../model/boot-plan.js';
import type {Requester} from '../model/plan.js';
import type {Reply} from './answer-reader.js';
import {protocol} from './protocol.js';
import {ask, type HelperChannel} from './request.js';
import {sealed} from './sealed-plan.js';

const deadlineMs = 60_000;

/** Stores the node's boot plan and replaces the previous one. */
export function setBootPlan(
  channel: HelperChannel,
  plan: BootPlan,
  requester: Requester,
  signal: AbortSignal,
): Promise<BootStatus> {
  return answer(channel, {protocol, request: 'boot.set', ...sealed(plan), ...requester, deadlineMs}, signal);
}

export function removeBootPlan(channel: HelperChannel, requester: Requester, signal: AbortSignal): Promise<BootStatus> {
  return answer(channel, {protocol, request: 'boot.remove', ...requester, deadlineMs}, signal);
}

export function bootStatusOf(channel: HelperChannel, signal: AbortSignal): Promise<BootStatus> {
  return answer(channel, {protocol, request: 'boot.status', deadlineMs}, signal);
}

async function answer(channel: HelperChannel, request: BootRequest, signal: AbortSignal): Promise<BootStatus> {
  let status: BootStatus | undefined;
  const onReply = (reply: Reply) => {
    if (reply.type === 'boot') status = bootStatus.safeParse(reply).data;
  };
  const {fault} = await ask(channel, request, {onReply, signal});
  if (status && fault === undefined) return status;
  throw new WinError(`${channel.node} did not return its boot plan${fault === undefined ? '' : `: ${fault}`}.`, {
    exit: ExitCode.uninspected,
    next: ['Check with: kubectl win helper status'],
  });
}
