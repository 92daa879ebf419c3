import {shellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped} from '../../model/verdict.js';
import type {NodeModel} from '../../snapshot/node.js';
import {sectionNames} from '../../snapshot/section-names.js';
import {since} from '../reachable.js';

/** Checks that use only the API, whose failures an unresponsive node explains. */
const apiOnlyChecks = ['cluster/node-conditions', 'cluster/stuck-terminating', 'cni/agent-pod', 'kube-proxy/expected'];

export const answerChecks: readonly Check[] = [
  check({
    id: 'cluster/node-answers',
    title: 'Node responds',
    failure: 'Node does not respond',
    severity: 'error',
    needs: [],
    run(subject) {
      const {node, object} = subject;
      const silent = sectionNames.filter(section => node.errors[section]?.kind === 'Timeout');
      const [read] = readSections(node);
      if (read !== undefined || silent.length === 0) return wasInspected(node) ? undefined : notInspected();
      const verdict = fail(
        `The node did not respond to any of ${silent.length} requests in time. ${apiStatus(subject)}`,
      )
        .because(
          {section: 'os', object: node.name, field: 'response', seen: 'timed out', expected: 'a response in time'},
          ...(object
            ? [
                {
                  section: 'cluster',
                  object: `Node ${node.name}`,
                  field: 'Ready',
                  seen: readyOf(subject)?.status ?? null,
                },
              ]
            : []),
        )
        .explaining(...apiOnlyChecks)
        .fixedBy(
          manual(
            `kubectl describe node ${shellText(node.name)}`,
            'At the console of the node, check that it is up and that its disk and memory are not full.',
            'When the node responds again, run kubectl win doctor again.',
          ),
        );
      return readyOf(subject)?.status === 'True' ? verdict.as('warning') : verdict;
    },
    explain: {
      meaning:
        'The helper was started on this node, but returned no data in time. The state of the node network is unknown.',
      why: 'The node is down, disconnected, or too busy to run PowerShell.',
      see: ['kubectl describe node NODE', 'kubectl get pods -A -o wide --field-selector spec.nodeName=NODE'],
      fix: [
        'On the node console, check that the node is up, and what uses its CPU, memory and disk.',
        'Try again with a longer timeout: kubectl win doctor NODE --timeout 30m',
      ],
      sources: ['https://kubernetes.io/docs/reference/node/node-status/#condition'],
    },
  }),

  check({
    id: 'cluster/helper-access',
    title: 'Helper can read the node',
    failure: 'Helper is denied access to most of the node',
    severity: 'warning',
    needs: [],
    run({node}) {
      if (!wasInspected(node)) return notInspected();
      const denied = sectionNames.filter(section => node.errors[section]?.kind === 'AccessDenied');
      if (denied.length < leastDenied || denied.length <= readSections(node).length) return undefined;
      return fail(
        `Access is denied to ${denied.length} of ${sectionNames.length} sections: the helper does not run as SYSTEM.`,
      )
        .because({
          section: denied[0] ?? 'os',
          object: denied.join(', '),
          seen: node.errors[denied[0] ?? 'os']?.message || 'AccessDenied',
          expected: 'access',
        })
        .fixedBy(
          manual(
            'Run the helper as NT AUTHORITY\\SYSTEM. Its HostProcess pod sets runAsUserName accordingly: check for an admission policy that changes it.',
            'If you run the script manually, start PowerShell as administrator.',
          ),
        );
    },
    explain: {
      meaning:
        'Windows denied the helper access to most of the data. That data is unknown, so the node is not reported as healthy.',
      why: 'The helper does not run as SYSTEM: an admission policy changed the user of its pod, or the script was run manually without administrator rights.',
      see: ['whoami /groups', 'kubectl -n kubectl-win get pods -o yaml'],
      fix: [
        'Exempt the helper namespace from the policy that changes runAsUserName.',
        'If you ran the script manually, run it again in PowerShell as administrator.',
      ],
      sources: [
        'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#choosing-a-user-account',
      ],
    },
  }),
];

/** A few denied sections have other causes. */
const leastDenied = 3;

function readSections(node: NodeModel) {
  return sectionNames.filter(section => node[section] !== undefined);
}

function wasInspected(node: NodeModel): boolean {
  return sectionNames.some(section => node[section] !== undefined || node.errors[section] !== undefined);
}

function notInspected() {
  return skipped('The node was not inspected.');
}

function readyOf({object}: NodeSubject) {
  return object?.status?.conditions.find(({type}) => type === 'Ready');
}

function apiStatus(subject: NodeSubject): string {
  const ready = readyOf(subject);
  if (!ready) return 'The API has no Ready condition for it.';
  if (ready.status === 'True') return `The API reports it as Ready${since(ready)}.`;
  const reason = [ready.reason, ready.message].filter(Boolean).join(': ');
  return `The API reports it as ${ready.status === 'Unknown' ? 'unreachable' : 'not Ready'}${since(ready)}${reason ? ` (${reason})` : ''}.`;
}
