import {setTimeout as delay} from 'node:timers/promises';
import type {Plan, Requester} from '../../model/plan.js';
import {type JsonObject, textAt} from '../json.js';
import type {PlanFolder} from './folder.js';
import type {JournalFields} from './journal.js';
import type {RunJournal} from './run-journal.js';
import {type Host, StepError} from './step.js';

export interface StepPace {
  /** Duration of a step. */
  stepMs: number;
  /** Multiplies the time limits of plans, so that tests are fast. */
  timeScale: number;
}

/** The node that a plan changes. */
export interface PlanTarget {
  look(folder: PlanFolder): Host;
  /** Changes the node immediately, with all side effects. */
  change(folder: PlanFolder, change: (host: Host) => void): void;
  /** The name of a step that must fail. */
  failingStep(): string | undefined;
  /** Called when an undo starts. */
  onUndo(): void;
}

/** What running or guarding a plan requires. */
export interface Running {
  readonly target: PlanTarget;
  readonly folder: PlanFolder;
  readonly plan: Plan;
  readonly journal: RunJournal;
  /** The user that the audit log names. */
  readonly requester: Requester;
  readonly pace: StepPace;
  /** Aborted when the process is killed or power is lost. */
  readonly power: AbortSignal;
}

export interface Failure {
  kind: string;
  message: string;
}

export const pause = ({power}: Running, milliseconds: number): Promise<void> =>
  delay(milliseconds, undefined, {ref: false, signal: power});

export function failureOf({power}: Running, error: unknown): Failure {
  power.throwIfAborted();
  return error instanceof StepError
    ? {kind: error.kind, message: error.message}
    : {kind: 'Failed', message: error instanceof Error ? error.message : String(error)};
}

export function write(run: Running, fields: JournalFields): void {
  run.power.throwIfAborted();
  run.journal.write(fields);
  const audited = auditedOf(run, fields);
  if (audited) audit(run, audited);
}

/** A line of the audit log. */
export function audit({plan: {node, id: plan}, folder, journal, requester}: Running, line: JsonObject): void {
  journal.audit({...requester, node, plan, hash: folder.hash, ...line});
}

/** The journal entries that are also in the audit log, as in helper/plan. Steps are logged before they act. */
function auditedOf({plan}: Running, fields: JournalFields): JsonObject | undefined {
  switch (fields.event) {
    case 'plan.begin':
      return {what: `plan.${fields.mode}`};
    case 'undo.end': {
      const {step, do: name, outcome} = fields;
      const parameters = plan.steps[Number(step)]?.with;
      return outcome === 'done' ? {what: 'undo', step, do: name, with: {...parameters}} : undefined;
    }
    case 'undo.failed': {
      const {step, do: name, error} = fields;
      return {what: 'undo.failed', step, do: name, message: textAt(error, 'message')};
    }
    case 'network.restored':
      return {what: 'network.restored', message: fields.message};
    case 'guard.begin':
      return {what: 'guard', message: fields.message};
    case 'plan.end':
      return {what: 'plan.end', outcome: fields.outcome, message: fields.message ?? ''};
    default:
      return undefined;
  }
}

export const cutBegun = ({plan, journal}: Running): boolean =>
  plan.steps.some(({cuts}, index) => cuts && journal.find('step.begin', index) !== undefined);
