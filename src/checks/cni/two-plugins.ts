import {type Check, check} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail} from '../../model/verdict.js';

export const twoPluginChecks: readonly Check[] = [
  check({
    id: 'cni/two-plugins',
    title: 'Node has only one network plugin',
    failure: 'Node has traces of a second network plugin',
    severity: 'warning',
    needs: [],
    consequenceOf: ['hns/foreign-network'],
    appliesTo: ({plugin}) => plugin.plugin !== undefined,
    run({plugin}) {
      // Traces only in the cluster, such as an old annotation, do no harm on the node.
      return plugin.others
        .filter(({recognition}) => recognition.found.length > 0)
        .map(({plugin: other, recognition}) =>
          fail(
            `This node runs ${plugin.title}, but also has traces of ${other.title}: ${recognition.found.join(', ')}.`,
          )
            .because(
              {section: 'cluster', object: plugin.title, field: 'seen by', seen: plugin.evidence},
              ...recognition.found.map(seen => ({
                section: sectionOf(seen),
                object: other.title,
                seen,
                expected: 'one plugin',
              })),
            )
            .fixedBy(
              manual(
                `Make sure that ${other.title} should not run here, and that its DaemonSet, services and CNI configuration are removed.`,
                'Drain the node, remove the remaining objects (HNS networks last, because this can interrupt the node network), and restart the agent.',
              ),
            ),
        );
    },
    explain: {
      meaning:
        'The node has traces of two network plugins. The cluster shows which one is intended. The other is a leftover, or both use the same adapter.',
      why: 'A plugin was replaced without cleaning up the node. HNS networks, services and CNI configurations remain when their DaemonSet is deleted. The container runtime uses the first CNI configuration by name, whichever plugin it belongs to.',
      see: [
        'Get-HnsNetwork | Select-Object Name, Type',
        'Get-ChildItem C:\\etc\\cni\\net.d',
        'kubectl get daemonsets -A',
      ],
      fix: [
        'Remove the DaemonSet, the services and the CNI configuration of the old plugin.',
        'Drain the node, then remove the old HNS networks on the node console: this can interrupt the node network.',
        'Restart the agent of the remaining plugin.',
      ],
      sources: [
        'https://github.com/projectcalico/calico/blob/master/node/windows-packaging/CalicoWindows/uninstall-calico.ps1',
      ],
    },
  }),
];

/** The section of a trace, derived from its text. */
function sectionOf(trace: string): string {
  if (trace.startsWith('HNS network')) return 'hnsNetworks';
  if (trace.startsWith('service')) return 'services';
  return trace.startsWith('process') ? 'processes' : 'files';
}
