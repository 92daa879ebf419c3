import {setTimeout as delay} from 'node:timers/promises';
import type {DeadMan} from '../../model/plan.js';
import {rows} from '../node/state.js';
import type {Running} from './running.js';
import type {Host} from './step.js';

/** What the node reached when its plan started. The reachability check requires no more than that. */
export interface Reach {
  gateway: boolean;
  apiServer: boolean;
}

/** `network`: without a gateway to probe, it is unknown whether only the API server is missing. */
export interface Gap {
  missing: 'address' | 'gateway' | 'apiServer' | 'network';
  message: string;
}

export function reachNow(host: Host, {gateway}: DeadMan): Reach {
  const isThrough = host.unreachable() === undefined;
  return {
    gateway: isThrough && gateway !== undefined && !host.silent.includes('gateway'),
    apiServer: isThrough && !host.silent.includes('apiServer'),
  };
}

/** What a reachability check is missing. Undefined: nothing. */
function gapOf(host: Host, {address, gateway, apiServer}: DeadMan, before: Reach): Gap | undefined {
  const isThere = rows(host.state, 'netIPAddresses').some(
    row => row.IPAddress === address && row.AddressState === 'Preferred',
  );
  if (!isThere) return {missing: 'address', message: `No adapter has address ${address}.`};
  const failure = host.unreachable();
  const noAnswer = (from: 'gateway' | 'apiServer') =>
    failure ?? (host.silent.includes(from) ? 'No answer in time.' : undefined);
  const asks = gateway !== undefined && before.gateway;
  const fromGateway = asks ? noAnswer('gateway') : undefined;
  if (fromGateway !== undefined) return {missing: 'gateway', message: `Gateway ${gateway}: ${fromGateway}`};
  const fromServer = before.apiServer ? noAnswer('apiServer') : undefined;
  if (fromServer === undefined) return undefined;
  return {missing: asks ? 'apiServer' : 'network', message: `API server ${apiServer}: ${fromServer}`};
}

/**
 * What is still missing after the time limit. `apiSeconds` applies if only the API server does not answer: it may be
 * down itself.
 */
export async function waitForReach(
  {target, folder, pace, power}: Running,
  deadMan: DeadMan,
  {seconds, apiSeconds}: {seconds: number; apiSeconds: number},
): Promise<Gap | undefined> {
  const before = folder.network?.reach ?? {gateway: true, apiServer: true};
  const started = performance.now();
  for (;;) {
    const gap = gapOf(target.look(folder), deadMan, before);
    if (!gap) return undefined;
    const limit = (gap.missing === 'apiServer' ? apiSeconds : seconds) * 1000 * pace.timeScale;
    if (performance.now() - started >= limit) return gap;
    await delay(Math.min(50, pace.stepMs), undefined, {ref: false, signal: power});
  }
}
