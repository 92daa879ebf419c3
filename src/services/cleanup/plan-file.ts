import {loadAll} from 'js-yaml';
import * as z from 'zod/mini';
import {WinError} from '../../lib/errors.js';
import {textProperty} from '../../lib/json-properties.js';
import {inputName, readInput} from '../../lib/read-input.js';
import {systemReason} from '../../lib/system-reason.js';
import {type RepairPlan, repairPlan} from '../../model/repair-plan.js';

/** Reads plans that `-o yaml` or `-o json` wrote. */
export async function readPlanFile(path: string): Promise<RepairPlan[]> {
  const name = inputName(path);
  let documents: unknown[];
  try {
    documents = loadAll((await readInput(path)).toString()).flatMap(document =>
      Array.isArray((document as {items?: unknown})?.items) ? (document as {items: unknown[]}).items : [document],
    );
  } catch (error) {
    const isSystem = error instanceof Error && 'errno' in error;
    const reason = isSystem ? systemReason(error) : 'it is neither YAML nor JSON';
    throw new WinError(`--plan=${path}: cannot read ${name}: ${reason}.`, {next: [howToWrite], cause: error});
  }
  const parsed = z.array(repairPlan).check(z.minLength(1)).safeParse(documents);
  if (parsed.success) return parsed.data;
  const isPlan = documents.some(document => textProperty(document, 'kind') === 'RepairPlan');
  const [issue] = parsed.error.issues;
  const why = isPlan && issue ? `: ${issue.path.slice(1).join('.')}: ${issue.message}` : '';
  throw new WinError(`--plan=${path}: ${name} is not a repair plan${why}.`, {next: [howToWrite]});
}

const howToWrite = 'Write one with: kubectl win cleanup NODE --dry-run=client -o yaml > plan.yaml';
