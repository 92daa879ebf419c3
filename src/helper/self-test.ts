import {ExitCode, WinError} from '../lib/errors.js';
import type {SelfTestAnswer} from '../model/self-test.js';
import type {Reply} from './answer-reader.js';
import {protocol} from './protocol.js';
import {ask, type HelperChannel} from './request.js';

/** Long, because it reads every section one by one and tests everything that the helper relies on. */
const deadlineMs = 600_000;

export async function selfTest(channel: HelperChannel, signal: AbortSignal): Promise<SelfTestAnswer[]> {
  const answers: SelfTestAnswer[] = [];
  const onReply = (reply: Reply) => {
    if (reply.type !== 'selftest') return;
    const {type, ...answer} = reply;
    answers.push(answer);
  };
  const {fault} = await ask(channel, {protocol, request: 'selftest', deadlineMs}, {onReply, signal});
  if (fault === undefined) return answers;
  throw new WinError(`The self-test on ${channel.node} was interrupted: ${fault}.`, {
    exit: ExitCode.uninspected,
    next: ['Run it on the node manually: kubectl win helper script, then the script with -SelfTest -OutFile FILE'],
  });
}
