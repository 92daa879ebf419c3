import {fileURLToPath} from 'node:url';
import {expect} from 'vitest';
import {allChecks, checkNode, subjectOf} from '../../src/diagnose/engine.js';
import type {NodeSubject} from '../../src/model/check.js';
import type {RepairPlan} from '../../src/model/repair-plan.js';
import type {Result} from '../../src/model/result.js';
import {type PlanOptions, type PlanOutcome, planFor} from '../../src/repair/plan/plan-for-node.js';
import {snapshotDocument} from '../../src/snapshot/document.js';
import {readSnapshot} from '../../src/snapshot/snapshot.js';
import {renderPlan} from '../../src/view/text/plan.js';
import {expectation, type Scenario, scenario} from '../checks/support.js';

const planId = '0d4f3a52-6a3b-4f0e-9f41-3f6f0a4f7b10';
const now = new Date('2026-03-12T08:00:00Z');

type Options = Partial<PlanOptions>;

/** A result of a failed check, with the objects that it names. */
export function failing(id: string, rest: Partial<Result> = {}): Result {
  return {
    id,
    outcome: 'fail',
    severity: 'error',
    title: id,
    message: `${id} fails.`,
    evidence: [],
    docs: `kubectl win explain ${id}`,
    ...rest,
  };
}

/** What must fail in a case, as findings: independent of the current checks. */
export const expected = (name: string): Result[] => expectation(name).mustFail.map(id => failing(id));

export const passing = (id: string): Result => failing(id, {outcome: 'pass', severity: 'info'});

/** A node of a scenario: its data and its findings. */
export class Patient {
  readonly scenario: Scenario;
  readonly #name: string | undefined;

  constructor(from: Scenario, name?: string) {
    this.scenario = from.document.cluster?.lists ? from : from.listed();
    this.#name = name;
  }

  subject(): NodeSubject {
    const snapshot = readSnapshot(snapshotDocument.parse(this.scenario.document));
    const name = this.#name ?? [...snapshot.nodes.keys()][0] ?? '';
    return subjectOf(snapshot, name, now.getTime());
  }

  /** The results of the real checks. */
  results(): Result[] {
    return checkNode(this.subject(), allChecks);
  }

  /** The outcome for these findings; default: those of the real checks. */
  outcome(options: Options = {}, results = this.results()): PlanOutcome {
    return planFor(this.subject(), results, {level: 'auto', id: planId, now, ...options});
  }

  plan(options: Options = {}, results?: Result[]): RepairPlan {
    const outcome = this.outcome(options, results);
    if (outcome.kind !== 'plan') throw new Error(`no plan: ${JSON.stringify(outcome)}`);
    return outcome.plan;
  }

  /** The reasons of a refusal, as text. */
  reasons(options: Options = {}, results?: Result[]): string[] {
    const outcome = this.outcome(options, results);
    if (outcome.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(outcome, undefined, 1)}`);
    return outcome.reasons.map(({reason}) => reason);
  }
}

/** The node steps of a plan, one word each with their object, to compare the order. */
export function order({before, steps, after}: RepairPlan): string[] {
  const about = (its: object) => {
    const {name, bridge, path, switchName, adapter, destination, node, until, id, ids, from, to} = its as Record<
      string,
      unknown
    >;
    const what =
      until ?? bridge ?? name ?? path ?? destination ?? switchName ?? adapter ?? node ?? id ?? (ids ? 'some' : 'all');
    return to === undefined ? String(what) : `${from} -> ${to}`;
  };
  return [...before, ...steps, ...after].map(step => `${step.cuts ? '! ' : ''}${step.do} ${about(step.with)}`);
}

/** Compares a plan with the text file of this name; `vitest -u` regenerates it. */
export async function expectGolden(plan: RepairPlan, name: string): Promise<void> {
  const file = fileURLToPath(new URL(`golden/${name}.txt`, import.meta.url));
  await expect(renderPlan(plan, {colour: false, width: 120})).toMatchFileSnapshot(file);
}

export const patient = (name: string, node?: string) => new Patient(scenario(name), node);
