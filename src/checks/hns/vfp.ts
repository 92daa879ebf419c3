import {type Check, check} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped} from '../../model/verdict.js';

export const vfpChecks: readonly Check[] = [
  check({
    id: 'hns/vfp-blocked',
    title: 'Port of the switch is blocked',
    severity: 'error',
    plugins: 'all without OVS',
    needs: ['events'],
    appliesTo: subject => subject.plugin.profile.network !== undefined && !usesOvs(subject),
    run({node}) {
      const blocked = node.events.filter(
        ({provider, message}) =>
          /vfp/i.test(provider ?? '') && /\bport\b.*\bblocked\b|\bblocked\b.*\bport\b/i.test(message),
      );
      if (blocked.length === 0)
        return skipped('A snapshot does not hold the state of switch ports; no event tells of a blocked one.');
      return fail('VFP has reported a blocked port: the pod or adapter behind it sends and receives nothing.')
        .because(
          ...blocked.map(({message, at}) => ({
            section: 'events',
            object: 'VfpExt',
            field: at === undefined ? 'Message' : new Date(at).toISOString(),
            seen: message,
            expected: 'no blocked port',
          })),
        )
        .fixedBy(
          manual(
            'vfpctrl /list-vmswitch-port (find the port whose name is the endpoint)',
            'vfpctrl /port PORT /get-port-state',
            'Delete the pod of that endpoint. For the port of the host or the NIC, remake the network: it cuts the node off.',
          ),
        );
    },
    explain: {
      meaning:
        'VFP, the part of the virtual switch that applies policies, can block a port. Everything behind it, a pod, the host or the whole NIC, is then silent although HNS shows it as healthy.',
      why: 'Policies could not be applied when the port was made, or VFP was restarted under it.',
      see: ['vfpctrl /list-vmswitch-port', 'vfpctrl /port PORT /get-port-state'],
      fix: [
        'Port of a pod: delete the pod.',
        'Port of the host or the external port: remake the HNS network, with a console at hand.',
      ],
      sources: [
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1',
      ],
    },
  }),
];
