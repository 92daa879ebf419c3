import {shellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {cleanup} from '../../model/remedies.js';
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
    run: ({node}) =>
      node.plans.flatMap(plan => {
        if (plan.state === undefined) return [unknown(`It cannot be determined how far plan ${nameOf(plan)} came.`)];
        if (plan.state === 'running') return [info(`Plan ${nameOf(plan)} is being carried out on the node right now.`)];
        const what = unfinished[plan.state];
        if (what === undefined) return [];
        const command = `kubectl win cleanup ${shellText(node.name)}`;
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
            .fixedBy({kind: 'command', command: `${command} --resume`, or: `${command} --rollback`, cutsNetwork: true}),
        ];
      }),
    explain: {
      meaning:
        'A repair with kubectl win is a plan that the node carries out by itself and journals. This one has no end in its journal, or ended badly. The network may be half taken down.',
      why: 'The node lost power or was rebooted in the middle, a step failed, or the address of the node did not come back in time.',
      see: [
        'Get-ChildItem C:\\ProgramData\\kubectl-win\\plans',
        'Get-Content C:\\ProgramData\\kubectl-win\\plans\\ID\\journal.ndjson',
      ],
      fix: [
        'Go on where it stopped: kubectl win cleanup NODE --resume',
        'Or put things back as they were: kubectl win cleanup NODE --rollback',
      ],
      sources: [],
    },
  }),
  check({
    id: 'repair/left-cordoned',
    title: 'No repair has left the node cordoned',
    failure: 'A repair has left this node cordoned',
    severity: 'warning',
    needs: ['nodeObject'],
    consequenceOf: ['repair/unfinished-plan'],
    run({node, object}) {
      const plan = cordonedBy(object);
      if (plan === undefined) return undefined;
      if (node.plans?.some(({id, state}) => id === plan && state === 'running'))
        return info(`Plan ${plan} has cordoned the node, and is being carried out right now.`);
      return fail(`Plan ${plan} has cordoned the node and not uncordoned it: no new pod can be scheduled there.`)
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: cordonMark,
          seen: plan,
          expected: 'no such annotation when no plan runs',
        })
        .fixedBy(cleanup(node));
    },
    explain: {
      meaning:
        'A cleanup cordons the node, and uncordons it at its end. This one did not come to its end. The annotation kubectl-win/cordoned-by names its plan.',
      why: 'The run was killed or lost its connection, or the node was not healthy afterwards. Or someone runs it right now.',
      see: ['kubectl describe node NODE', 'kubectl win cleanup NODE --status'],
      fix: [
        'Where nobody runs it any more, and the node is healthy: kubectl win cleanup NODE',
        'Or without it: kubectl uncordon NODE',
      ],
      sources: [],
    },
  }),
];

function nameOf({id, title}: StoredPlan): string {
  return [title && `"${title}"`, id].filter(Boolean).join(' ') || 'without an id';
}
