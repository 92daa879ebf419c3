import {type Check, check} from '../../model/check.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Service} from '../../snapshot/sections.js';

/** Events of the Service Control Manager: "terminated unexpectedly", with and without a recovery action. */
const crashEvents = new Set([7031, 7034]);

export const hnsCrashChecks: readonly Check[] = [
  check({
    id: 'hns/crash',
    title: 'Host Network Service has not crashed',
    failure: 'Host Network Service crashed',
    severity: 'warning',
    repair: {level: 'soft', effect: 'none', restarts: 'kube-proxy'},
    needs: ['events'],
    run({node}) {
      const boot = node.os?.bootedAt;
      const crashes = node.events.filter(
        ({provider, id, at}) =>
          /service control manager/i.test(provider ?? '') &&
          crashEvents.has(id ?? 0) &&
          !(boot !== undefined && at !== undefined && at < boot),
      );
      const title = serviceNamed(node, 'hns')?.displayName;
      const mine = crashes.filter(({message}) => names(message, title));
      if (mine.length === 0) {
        // The text is localised: without the display name of the service, it is unknown which one crashed.
        const doubtful = crashes.length > 0 && title === undefined;
        return doubtful ? unknown('A service crashed, but the snapshot does not show which one.') : undefined;
      }
      const times = mine.map(({at}) => (at === undefined ? 'at an unknown time' : new Date(at).toISOString()));
      return fail(
        `HNS crashed ${mine.length === 1 ? 'once' : `${mine.length} times`} since the boot: earlier endpoints and load balancers may be lost.`,
      )
        .because({
          section: 'events',
          object: 'Service Control Manager',
          field: 'TimeCreated',
          seen: times,
          expected: 'no crash',
        })
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'The Service Control Manager logged that the Host Network Service terminated unexpectedly. Windows restarts it, but load balancers and sometimes endpoints are lost, and kube-proxy does not notice.',
      why: 'A defect in HNS or in a switch extension. Install the latest cumulative update for Windows.',
      see: ["Get-WinEvent -FilterHashtable @{LogName='System'; ProviderName='Service Control Manager'; Id=7031,7034}"],
      fix: [
        'Restart kube-proxy if it started before HNS.',
        'Delete pods without an endpoint; their controllers recreate them.',
      ],
      sources: [
        'https://github.com/projectcalico/calico/issues/5164',
        'https://github.com/Azure/AgentBaker/blob/master/staging/cse/windows/hnsremediator.ps1',
      ],
    },
  }),
];

export function serviceNamed(node: NodeModel, name: string): Service | undefined {
  return node.services?.find(service => service.name.toLowerCase() === name);
}

/** Whether a message is about HNS: it contains the display name of the service on this node, or the English one. */
function names(message: string, title: string | undefined): boolean {
  return /host network(ing)? service/i.test(message) || (!!title && message.includes(title));
}
