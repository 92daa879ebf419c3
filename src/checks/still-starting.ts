import type {NodeSubject} from '../model/check.js';
import {agentOf} from './agent.js';

const minutes = 60_000;
const settleAfterBoot = 5 * minutes;
const settleAfterAgentStart = 3 * minutes;

/**
 * Why a node may still be starting after a boot; undefined if enough time has passed. With several plugins, the network
 * is normally missing right after boot. An agent in a crash loop does not count as starting.
 */
export function settling(subject: NodeSubject): string | undefined {
  const agent = agentOf(subject);
  if (agent?.crashLooping) return undefined;
  const booted = subject.node.os?.bootedAt;
  if (booted !== undefined && subject.now - booted < settleAfterBoot) {
    return `the node booted ${ago(subject.now - booted)} ago`;
  }
  const started = agent?.startedAt;
  if (started !== undefined && subject.now - started < settleAfterAgentStart) {
    return `${agent?.name} started ${ago(subject.now - started)} ago`;
  }
  return undefined;
}

function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
