import type {StepName, With} from '../../model/step.js';
import type {JsonObject} from '../json.js';
import {type NodeState, rows} from '../node/state.js';
import type {Random} from '../random.js';
import type {PlanFolder} from './folder.js';

export interface DhcpLease {
  address: string;
  prefix: number;
  gateway: string;
  servers: readonly string[];
}

/** The node as seen by a step. */
export interface Host {
  /** Apply and undo change it; inspect does not. */
  readonly state: NodeState;
  /** Undefined while a plan is only checked. */
  readonly folder: PlanFolder | undefined;
  readonly now: Date;
  readonly random: Random;
  leaseFor(adapter: string, mac: string): DhcpLease | undefined;
  /** Why the node cannot reach targets beyond its gateway. Undefined: it can. */
  unreachable(): string | undefined;
  /** Targets that do not answer, although the node's network works. */
  readonly silent: readonly ('gateway' | 'apiServer')[];
}

/** Whether the goal is already reached, what blocks the step, and what its undo needs. */
export interface StepInspection {
  done: boolean;
  blocked?: string;
  saved?: unknown;
  about: string;
}

/**
 * One kind of step, with the phases of helper/steps/: inspect reads only, apply acts (afterwards inspect must report
 * done), and undo restores what was saved. Undo can run twice, and without apply.
 */
export interface StepKind<Name extends StepName> {
  inspect(host: Host, parameters: With<Name>, saved: unknown): StepInspection;
  apply(host: Host, parameters: With<Name>, saved: unknown): void;
  /** Whether it may be in a boot plan, as in helper/plan/boot-plan.ps1. */
  readonly atBoot: boolean;
  readonly undo: ((host: Host, parameters: With<Name>, saved: unknown) => void) | 'none';
}

/** A failure as reported by the helper. */
export class StepError extends Error {
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.name = 'StepError';
    this.kind = kind;
  }
}

export const blocked = (why: string): StepInspection => ({done: false, blocked: why, about: why});

/** The rows of a section. Throws if it cannot be read: not read does not mean empty. */
export function answered(state: NodeState, section: string): JsonObject[] {
  const failure = state.errors[section];
  if (failure) throw new StepError(failure.kind, failure.message);
  return rows(state, section);
}

/** Windows compares names case-insensitively. */
export const same = (one: unknown, other: unknown): boolean =>
  String(one).toLowerCase() === String(other).toLowerCase();
