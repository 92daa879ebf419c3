import {loadAll} from 'js-yaml';
import * as z from 'zod/mini';
import {WinError} from '../../lib/errors.js';
import {inputName, readInput} from '../../lib/read-input.js';
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
    throw new WinError(
      `cannot read the plan ${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}.`,
      {cause: error},
    );
  }
  const parsed = z.array(repairPlan).check(z.minLength(1)).safeParse(documents);
  if (parsed.success) return parsed.data;
  throw new WinError(`${name} is no repair plan: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}.`, {
    next: ['Write one with: kubectl win cleanup NODE --dry-run=client -o yaml > plan.yaml'],
  });
}
