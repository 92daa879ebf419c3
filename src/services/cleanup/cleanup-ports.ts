import type {JournalEntry, PlanOnNode} from '../../model/plan.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {ClientStep} from '../../model/step.js';
import type {OpenProgress} from '../../session/progress.js';

/** What a cleanup needs of the user interface. */
export interface CleanupPorts {
  readonly openProgress: OpenProgress;
  /** Shows a plan and asks for it. Throws without a terminal and the flags do not agree to it. */
  agreeTo(plan: RepairPlan, consent: Consent, signal: AbortSignal): Promise<boolean>;
  readonly askYes: AskYes;
  /** Shows a plan that someone began, before it is gone on with. */
  showUnfinished(plan: UnfinishedPlan): void;
  /** Begins to tell what a repair does. */
  openStepReporter(node: string, plan: PlanSteps, options: {readonly alone: boolean}): Promise<StepReporter>;
}

export interface Consent {
  /** `--yes`: agreed in advance. */
  readonly yes: boolean;
  /** `--confirm NODE`: the name given in advance, which a forced plan requires besides `--yes`. */
  readonly confirm?: string | undefined;
}

export interface YesQuestion {
  readonly text: string;
  /** `--yes`: answered in advance. */
  readonly yes: boolean;
  /** The flag that asks, and what to do first, for the error without a terminal. */
  readonly what: string;
  readonly next?: readonly string[];
}

/** A plain yes or no. Throws if there is no terminal and no answer was given in advance. */
export type AskYes = (question: YesQuestion, signal: AbortSignal) => Promise<boolean>;

export type PlanSteps = Pick<RepairPlan, 'before' | 'steps' | 'after'> & Partial<Pick<RepairPlan, 'deadMan'>>;

/** Receives what a node's repair does while it runs. */
export interface StepReporter {
  client(step: ClientStep, phase: 'begin' | 'end'): void;
  /** A step of the client cannot continue yet. May be reported repeatedly. */
  waiting(step: ClientStep, why: string): void;
  journal(entry: JournalEntry): void;
  /** Something beside the steps. */
  note(text: string): void;
  /** The way to the node is gone for now. */
  lost(seconds: number): void;
  found(): void;
  /** The plan has run, and the node is inspected again. */
  looking(): void;
  end(): void;
}

/** How a person continues with a plan that was interrupted. */
export type Continuation = 'resume' | 'rollback';

export interface UnfinishedPlan {
  readonly node: string;
  readonly plan: PlanOnNode;
  readonly journal: readonly JournalEntry[];
  readonly how: Continuation;
}
