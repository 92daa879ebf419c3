import {own} from '../../lib/own.js';
import {shellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, info, unknown} from '../../model/verdict.js';
import type {StoredPlan} from '../../snapshot/stored-plans.js';
import {cordonedBy, cordonMark} from '../cordon.js';

/** Why a plan is not finished, by its state. */
const unfinished: Readonly<Record<string, string>> = {
  stored: 'was stored on the node but not started',
  interrupted: 'was interrupted',
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
        if (plan.state === undefined) return [unknown(`The progress of plan ${nameOf(plan)} is unknown.`)];
        if (plan.state === 'running') return [info(`Plan ${nameOf(plan)} is running on the node.`)];
        const what = own(unfinished, plan.state);
        if (what === undefined) return [];
        const command = `kubectl win cleanup ${shellText(node.name)}`;
        return [
          fail(`Plan ${nameOf(plan)} ${what}: the repair is incomplete. Resume it, or undo it with --rollback.`)
            .because({
              section: 'plans',
              object: nameOf(plan),
              field: 'state',
              seen:
                plan.steps === undefined ? plan.state : `${plan.state}, ${plan.done ?? 0} of ${plan.steps} steps done`,
              expected: 'succeeded, or rolled back',
            })
            .fixedBy({kind: 'command', command: `${command} --resume`, or: `${command} --rollback`, cutsNetwork: true}),
        ];
      }),
    explain: {
      meaning:
        'A repair is a plan that the node runs and journals. The journal of this plan has no end, or the plan failed. Parts of the network may be removed.',
      why: 'The node lost power or was rebooted during the plan, a step failed, or the node address did not come back in time.',
      see: [
        'Get-ChildItem C:\\ProgramData\\kubectl-win\\plans',
        'Get-Content C:\\ProgramData\\kubectl-win\\plans\\ID\\journal.ndjson',
      ],
      fix: [
        'Resume the plan: kubectl win cleanup NODE --resume',
        'Or roll it back: kubectl win cleanup NODE --rollback',
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
        return info(`Plan ${plan} cordoned the node and is still running.`);
      return fail(`Plan ${plan} cordoned the node and did not uncordon it: no new pods are scheduled to it.`)
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: cordonMark,
          seen: plan,
          expected: 'no such annotation while no plan is running',
        })
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'cleanup cordons the node and uncordons it at the end. This one did not finish. The annotation kubectl-win/cordoned-by names its plan.',
      why: 'The command was killed or lost its connection, the node was not healthy afterwards, or the command is still running.',
      see: ['kubectl describe node NODE', 'kubectl win cleanup NODE --status'],
      fix: [
        'If the command is no longer running and the node is healthy: kubectl win cleanup NODE',
        'Or: kubectl uncordon NODE',
      ],
      sources: [],
    },
  }),
];

function nameOf({id, title}: StoredPlan): string {
  return [title && `"${title}"`, id].filter(Boolean).join(' ') || 'without an id';
}
