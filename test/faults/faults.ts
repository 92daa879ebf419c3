import type {Disturbance} from '../../src/sim/api/disturbance.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {fleet} from '../e2e/cleanup-support.js';

/** A fault of the nth request of a command, counted from 0, or of the cluster at that moment. */
export interface Fault {
  readonly kind: keyof typeof faultKinds;
  readonly at: number;
  /** Bytes, milliseconds, or the number of consecutive requests, depending on the kind. */
  readonly size: number;
}

type Random = () => number;
const upTo = (random: Random, most: number) => Math.floor(random() * (most + 1));
/** Up to a day in either direction. */
const clockJump = (random: Random) => (upTo(random, 1) === 0 ? -1 : 1) * upTo(random, 86_400_000);

/** What a fault does to its request; `node` faults happen to the node, and the request continues. */
export const faultKinds = {
  drop: {on: 'request', size: (random: Random) => 1 + upTo(random, 2), disturb: (): Disturbance => 'drop'},
  delay: {
    on: 'request',
    size: (random: Random) => 50 + upTo(random, 1500),
    disturb: (delayMs: number): Disturbance => ({delayMs}),
  },
  duplicate: {on: 'request', size: () => 1, disturb: (): Disturbance => 'duplicate'},
  truncate: {
    on: 'request',
    size: (random: Random) => upTo(random, 6000),
    disturb: (truncateAt: number): Disturbance => ({truncateAt}),
  },
  conflict: {on: 'request', size: (random: Random) => 1 + upTo(random, 1), disturb: (): Disturbance => ({code: 409})},
  expired: {on: 'request', size: () => 1, disturb: (): Disturbance => ({code: 410})},
  busy: {
    on: 'request',
    size: (random: Random) => 1 + upTo(random, 3),
    disturb: (): Disturbance => ({code: 429, retryAfter: 1}),
  },
  error: {on: 'request', size: (random: Random) => 1 + upTo(random, 5), disturb: (): Disturbance => ({code: 500})},
  unavailable: {
    on: 'request',
    size: (random: Random) => 1 + upTo(random, 5),
    disturb: (): Disturbance => ({code: 503}),
  },
  watchExpired: {on: 'watch', size: () => 1, disturb: (): Disturbance => ({code: 410})},
  serverRestart: {on: 'cluster', size: (random: Random) => 100 + upTo(random, 900)},
  kubeletRestart: {on: 'cluster', size: (random: Random) => 100 + upTo(random, 1500)},
  connectionsLost: {on: 'cluster', size: () => 1},
  helperKilled: {on: 'cluster', size: () => 1},
  reboot: {on: 'cluster', size: () => 1},
  diskFull: {on: 'cluster', size: (random: Random) => 200 + upTo(random, 2000)},
  clientClock: {on: 'cluster', size: clockJump},
  nodeClock: {on: 'cluster', size: clockJump},
} as const;

/** How many consecutive requests a fault affects. */
export const lasts = ({kind, size}: Fault): number =>
  kind === 'delay' || kind === 'truncate' || faultKinds[kind].on === 'cluster' ? 1 : size;

interface Tried {
  readonly args: readonly string[];
  readonly scenario: 'rebooted' | 'healthy' | 'withoutExtension';
  /** Whether it changes nodes. */
  readonly repairs: boolean;
}

const limits = ['--timeout=60s'] as const;

const commandsTried: readonly Tried[] = [
  {args: ['nodes'], scenario: 'rebooted', repairs: false},
  {args: ['doctor', '--no-helper', ...limits], scenario: 'rebooted', repairs: false},
  {args: ['doctor', ...limits], scenario: 'rebooted', repairs: false},
  {args: ['doctor', ...limits], scenario: 'healthy', repairs: false},
  {args: ['inspect', 'win-1', ...limits], scenario: 'healthy', repairs: false},
  {args: ['preflight', 'antrea', 'win-1', ...limits], scenario: 'healthy', repairs: false},
  {args: ['events', 'win-1', ...limits], scenario: 'healthy', repairs: false},
  {args: ['logs', 'win-1', ...limits], scenario: 'healthy', repairs: false},
  {args: ['cleanup', 'win-1', '--dry-run=server', ...limits], scenario: 'rebooted', repairs: false},
  {args: ['cleanup', 'win-1', '--status', ...limits], scenario: 'rebooted', repairs: false},
  {args: ['cleanup', 'win-1', '--history', ...limits], scenario: 'rebooted', repairs: false},
  {args: ['helper', 'status'], scenario: 'healthy', repairs: false},
  {args: ['helper', 'prune'], scenario: 'healthy', repairs: false},
  ...Array.from({length: 4}, () => [
    {
      args: ['cleanup', 'win-1', '--yes', '--verify-timeout=20s', ...limits],
      scenario: 'rebooted',
      repairs: true,
    } as const,
    {
      args: ['cleanup', 'win-1', '--yes', '--level=hard', '--drain', '--verify-timeout=20s', ...limits],
      scenario: 'withoutExtension',
      repairs: true,
    } as const,
  ]).flat(),
  {args: ['doctor', '--fix', '--yes', ...limits], scenario: 'rebooted', repairs: true},
];

export const scenarioOf = (name: Tried['scenario']): Scenario =>
  name === 'healthy'
    ? loadScenario('antrea-healthy')
    : fleet(name === 'rebooted' ? 'rebooted' : 'without-extension', 2);

export interface Trial {
  readonly command: Tried;
  readonly faults: readonly Fault[];
}

/** The trial of a seed, always the same. */
export function trialOf(seed: number): Trial {
  const random = mulberry(seed);
  const command = commandsTried[Math.floor(random() * commandsTried.length)] as Tried;
  const kinds = Object.keys(faultKinds) as (keyof typeof faultKinds)[];
  const faults = Array.from({length: 1 + upTo(random, 3)}, (): Fault => {
    const kind = kinds[Math.floor(random() * kinds.length)] as keyof typeof faultKinds;
    // A command sends most requests early; a repair sends many.
    return {kind, at: upTo(random, command.repairs ? 70 : 25), size: faultKinds[kind].size(random)};
  });
  return {command, faults};
}

/** A small generator that depends only on its seed. */
function mulberry(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
