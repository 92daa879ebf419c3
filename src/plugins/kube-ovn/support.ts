import coerce from 'semver/functions/coerce.js';
import gte from 'semver/functions/gte.js';
import {type Check, clusterCheck} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';

export const supportChecks: readonly Check[] = [
  clusterCheck({
    id: 'platform/cni-version',
    title: 'Kube-OVN version supports Windows',
    failure: 'Kube-OVN version no longer supports Windows',
    severity: 'error',
    plugins: 'Kube-OVN',
    appliesTo: ({subjects}) => subjects.some(runs('kube-ovn')),
    run({subjects}) {
      const nodes = subjects.filter(runs('kube-ovn'));
      const version = nodes[0]?.plugin.version;
      const release = coerce(version);
      if (!release)
        return unknown(`The version of Kube-OVN could not be determined from its image (${version ?? 'none'}).`);
      if (!gte(release, '1.15.0')) return undefined;
      return fail(
        `Kube-OVN ${version} is running, but Windows support ended with 1.14: ${nodes.map(({node}) => node.name).join(', ')} cannot stay on it.`,
      )
        .because({
          section: 'cluster',
          object: 'Deployment kube-ovn-controller',
          field: 'image',
          seen: version,
          expected: '1.14 or older',
        })
        .fixedBy(
          manual(
            'Stay on Kube-OVN 1.14, the last release that supports Windows, or go back to it.',
            'Or move the Windows nodes to a plugin that still supports them (Antrea, Calico, Flannel).',
          ),
        );
    },
    explain: {
      meaning:
        'Kube-OVN supported Windows nodes from 1.10 to 1.14. Version 1.15 and newer has no Windows binaries, and its controller may not be compatible with an old daemon on the nodes.',
      why: 'Open vSwitch and OVN are dropping Windows support, and Kube-OVN removed its Windows code in December 2025.',
      see: [
        'kubectl -n kube-system get deployment kube-ovn-controller -o jsonpath={.spec.template.spec.containers[*].image}',
      ],
      fix: ['Stay on 1.14, or migrate the Windows nodes to another plugin before you upgrade.'],
      sources: ['https://github.com/kubeovn/kube-ovn/pull/6080'],
    },
  }),
];
