import {shellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {fail, info, unknown} from '../../model/verdict.js';
import type {StoredPlan} from '../../snapshot/plans.js';
import {cordonedBy, cordonMark} from '../cordon.js';

/** Why a plan is not finished, by its state. */
const unfinished: Readonly<Record<string, string>> = {
  stored: 'was put on the node but never carried out',
  interrupted: 'was interrupted in the middle',
  failed: 'failed, and was not rolled back',
  rollbackFailed: 'failed, and so did its rollback',
};

export const repairChecks: readonly Check[] = [
  check({
    id: 'repair/unfinished-plan',
    title: 'No unfinished repair on the node',
    failure: 'A repair of this node was not finished',
    severity: 'error',
    needs: ['plans'],
    run({node, object}) {
      const unended = node.plans.flatMap(plan => {
        if (plan.state === undefined) return [unknown(`It cannot be told how far plan ${nameOf(plan)} came.`)];
        if (plan.state === 'running') return [info(`Plan ${nameOf(plan)} is being carried out on the node right now.`)];
        const what = unfinished[plan.state];
        if (what === undefined) return [];
        return [
          fail(`Plan ${nameOf(plan)} ${what}: the node may be half repaired. Resume it, or undo it with --rollback.`)
            .because({
              section: 'plans',
              object: nameOf(plan),
              field: 'state',
              seen:
                plan.steps === undefined ? plan.state : `${plan.state}, ${plan.done ?? 0} of ${plan.steps} steps done`,
              expected: 'succeeded or rolledBack',
            })
            .fixedBy({
              kind: 'command',
              command: `kubectl win cleanup ${shellText(node.name)} --resume`,
              cutsNetwork: true,
            }),
        ];
      });
      const cordoning = cordonedBy(object);
      // The plan itself, where it has not ended, tells more.
      if (cordoning === undefined || unended.length > 0) return unended;
      return info(
        `Plan ${cordoning} has cordoned the node, and not uncordoned it. If nobody runs it any more: kubectl win cleanup ${shellText(node.name)} does so once the node is well.`,
      ).because({
        section: 'cluster',
        object: `Node ${node.name}`,
        field: cordonMark,
        seen: cordoning,
        expected: 'no such annotation when no plan runs',
      });
    },
    explain: {
      meaning:
        'A repair with kubectl win is a plan that the node carries out by itself and journals. This one has no end in its journal, or ended badly. The network may be half taken down. Where a run was killed after it had cordoned the node, the annotation kubectl-win/cordoned-by tells so.',
      why: 'The node lost power or was rebooted in the middle, a step failed, or the address of the node did not come back in time.',
      see: [
        'Get-ChildItem C:\\ProgramData\\kubectl-win\\plans',
        'Get-Content C:\\ProgramData\\kubectl-win\\plans\\ID\\journal.ndjson',
        'kubectl describe node NODE',
      ],
      fix: [
        'Go on where it stopped: kubectl win cleanup NODE --resume',
        'Or put things back as they were: kubectl win cleanup NODE --rollback',
      ],
      sources: [],
    },
  }),
];

function nameOf({id, title}: StoredPlan): string {
  return [title && `"${title}"`, id].filter(Boolean).join(' ') || 'without an id';
}
