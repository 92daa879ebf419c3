import type {StepName, With} from '../../model/step.js';
import type {JsonObject} from '../json.js';
import {type NodeState, rows} from '../node/state.js';
import type {Random} from '../random.js';
import type {PlanFolder} from './folder.js';

/** What a DHCP server has for an adapter. */
export interface DhcpLease {
  address: string;
  prefix: number;
  gateway: string;
  servers: readonly string[];
}

/** The node as a step finds it. */
export interface Host {
  /** Apply and undo change it; inspect does not. */
  readonly state: NodeState;
  /** Missing while a plan is only checked. */
  readonly folder: PlanFolder | undefined;
  readonly now: Date;
  readonly random: Random;
  leaseFor(adapter: string, mac: string): DhcpLease | undefined;
  /** Why the node cannot reach something beyond its gateway; undefined where it can. */
  unreachable(): string | undefined;
  /** What does not answer though the node's network carries packets. */
  readonly silent: readonly ('gateway' | 'apiServer')[];
}

/** Is the goal reached already, does something forbid the step, and what would its undo need? */
export interface StepInspection {
  done: boolean;
  blocked?: string;
  saved?: unknown;
  about: string;
}

/**
 * One step of the vocabulary, in the three phases that helper/steps/ has: inspect looks and changes nothing, apply acts,
 * after which inspect must say done, and undo puts back what was saved. Undo may come twice, and without apply.
 */
export interface StepKind<Name extends StepName> {
  inspect(host: Host, parameters: With<Name>, saved: unknown): StepInspection;
  apply(host: Host, parameters: With<Name>, saved: unknown): void;
  /** Whether it may be in a plan for boots, as helper/plan/boot-plan.ps1 has it. */
  readonly atBoot: boolean;
  readonly undo: ((host: Host, parameters: With<Name>, saved: unknown) => void) | 'none';
}

/** A failure as the helper tells it. */
export class StepError extends Error {
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.name = 'StepError';
    this.kind = kind;
  }
}

/** A step that cannot run, with the reason as its message. */
export const blocked = (why: string): StepInspection => ({done: false, blocked: why, about: why});

/** The rows of a section. What does not answer is not absent. */
export function answered(state: NodeState, section: string): JsonObject[] {
  const failure = state.errors[section];
  if (failure) throw new StepError(failure.kind, failure.message);
  return rows(state, section);
}

/** Windows compares names without case. */
export const same = (one: unknown, other: unknown): boolean =>
  String(one).toLowerCase() === String(other).toLowerCase();
