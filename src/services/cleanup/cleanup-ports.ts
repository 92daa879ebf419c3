import type {JournalEntry, PlanOnNode} from '../../model/plan.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {ClientStep} from '../../model/step.js';
import type {OpenProgress} from '../../session/progress.js';

/** What a cleanup needs of the user interface. */
export interface CleanupPorts {
  readonly openProgress: OpenProgress;
  /** Shows a plan and asks for approval. Throws if there is no terminal and the flags do not approve it. */
  agreeTo(plan: RepairPlan, consent: Consent, signal: AbortSignal): Promise<boolean>;
  readonly askYes: AskYes;
  /** Shows an unfinished plan before it is resumed or rolled back. */
  showUnfinished(plan: UnfinishedPlan): void;
  /** Opens the display of a repair's steps. */
  openStepReporter(node: string, plan: PlanSteps, options: {readonly alone: boolean}): Promise<StepReporter>;
}

export interface Consent {
  /** `--yes`: agreed in advance. */
  readonly yes: boolean;
  /** `--confirm NODE`: the node name, which a forced plan requires in addition to `--yes`. */
  readonly confirm?: string | undefined;
}

export interface YesQuestion {
  readonly text: string;
  /** `--yes`: answered in advance. */
  readonly yes: boolean;
  /** For the error without a terminal: the flag that requires the answer, and what to do first. */
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
  /** A remark that is not about a step. */
  note(text: string): void;
  /** The connection to the node is lost for now. */
  lost(seconds: number): void;
  found(): void;
  /** The plan has run, and the node is being inspected again. */
  looking(): void;
  end(): void;
}

/** How to continue an interrupted plan. */
export type Continuation = 'resume' | 'rollback';

export interface UnfinishedPlan {
  readonly node: string;
  readonly plan: PlanOnNode;
  readonly journal: readonly JournalEntry[];
  readonly how: Continuation;
}
