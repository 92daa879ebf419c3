import type {Check} from '../model/check.js';
import {manual, manualCutting, type Remedy} from '../model/remedies.js';
import type {Result} from '../model/result.js';

/**
 * If requests over the API cannot reach a node, advises manual steps at its console instead of the tool's own repair.
 */
export function withArrivingRemedies(
  results: readonly Result[],
  reason: string | undefined,
  checks: ReadonlyMap<string, Check>,
): Result[] {
  if (reason === undefined) return [...results];
  return results.map(result =>
    result.remedy?.kind === 'command' && result.remedy.command.startsWith('kubectl win cleanup')
      ? {...result, remedy: atConsole(result.remedy, reason, checks.get(result.id))}
      : result,
  );
}

function atConsole({cutsNetwork}: Remedy, reason: string, check: Check | undefined): Remedy {
  const manualSteps = (check?.explain.fix ?? []).filter(step => !step.includes('kubectl win cleanup'));
  const steps = [
    `A repair over the API cannot reach the node: ${reason}. Use the console of the node.`,
    ...manualSteps,
    'For a full diagnosis: run kubectl win helper script > kubectl-win-helper.ps1, run the script on the node with -Snapshot -OutFile node.json, then run kubectl win doctor --from node.json',
  ];
  return cutsNetwork ? manualCutting(...steps) : manual(...steps);
}
