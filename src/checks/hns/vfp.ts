import {names} from '../../lib/names.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import type {SectionFailure} from '../../snapshot/document.js';
import type {Sections} from '../../snapshot/sections.js';
import {normalGuid} from '../../snapshot/values.js';

export const vfpChecks: readonly Check[] = [
  check({
    id: 'hns/vfp-blocked',
    title: 'No switch port is blocked',
    failure: 'Switch port is blocked',
    severity: 'error',
    plugins: 'all without OVS',
    needs: ['events'],
    appliesTo: subject => subject.plugin.profile.network !== undefined && !usesOvs(subject),
    run(subject) {
      const {vfpPorts, errors} = subject.node;
      const reported = subject.node.events.filter(
        ({provider, message}) =>
          /vfp/i.test(provider ?? '') && /\bport\b.{0,200}\bblocked\b|\bblocked\b.{0,200}\bport\b/i.test(message),
      );
      const blocked = vfpPorts?.filter(port => port.blocked) ?? [];
      if (blocked.length > 0) return blocked.map(port => blockedPort(subject, port));
      const silent = vfpPorts?.filter(port => port.blocked === undefined) ?? [];
      if (silent.length > 0)
        return unknown(`The state of ports ${names(silent.map(({id, name}) => name ?? id))} could not be read.`);
      if (vfpPorts) return [];
      if (reported.length === 0) return skipped(`${notRead(errors.vfpPorts)}, and no event reports a blocked port.`);
      return fail('VFP reported a blocked port: the pod or adapter behind it has no network.')
        .because(
          ...reported.map(({message, at}) => ({
            section: 'events',
            object: 'VfpExt',
            field: at === undefined ? 'Message' : new Date(at).toISOString(),
            seen: message,
            expected: 'no blocked port',
          })),
        )
        .fixedBy(manual('vfpctrl /list-vmswitch-port (find the port with the name of the endpoint)', ...unblock));
    },
    explain: {
      meaning:
        'VFP, the part of the virtual switch that applies policies, can block a port. A pod, the host or the whole NIC behind it then has no network although HNS shows it as healthy.',
      why: 'Policies could not be applied when the port was created, or VFP was restarted.',
      see: ['vfpctrl /list-vmswitch-port', 'vfpctrl /port PORT /get-port-state'],
      fix: [
        'Port of a pod: delete the pod.',
        'Port of the host, or external port: recreate the HNS network with console access.',
      ],
      sources: [
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1',
      ],
    },
  }),
];

const unblock = [
  'vfpctrl /port PORT /get-port-state',
  'Delete the pod of that endpoint. If it is the port of the host or the NIC, recreate the network (interrupts node networking).',
] as const;

function notRead(failure: SectionFailure | undefined): string {
  return failure
    ? `The ports of the switch could not be read (${failure.message || failure.kind})`
    : 'The snapshot does not contain the state of switch ports';
}

/** The name of a pod's port is the id of its endpoint. */
function blockedPort({node}: NodeSubject, port: Sections['vfpPorts'][number]): Verdict {
  const endpoint = node.hnsEndpoints?.find(({id}) => id === normalGuid(port.name ?? ''));
  const behind = endpoint ? `endpoint ${endpoint.name} (${endpoint.ip ?? 'no address'})` : (port.name ?? port.id);
  return fail(`VFP blocks the port of ${behind}: it has no network.`)
    .because({section: 'vfpPorts', object: port.id, field: 'Blocked', seen: true, expected: false})
    .fixedBy(manual(...unblock.map(command => command.replace('PORT', port.id))));
}
