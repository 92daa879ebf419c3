import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import {osText, osVersion} from './os-version.js';

/** Windows Server 2019, the oldest version that Kubernetes supports. */
const oldestBuild = 17_763;
/** KB4489899 of March 2019, required for overlays. */
const overlayRevision = 379;
/** Required for direct server return (Calico's Get-IsDSRSupported). */
const dsrRevision = 1432;

export const osChecks: readonly Check[] = [
  check({
    id: 'platform/os-build',
    title: 'Windows version is supported',
    failure: 'Windows version is too old',
    severity: 'error',
    blocksRepair: true,
    needs: [],
    run(subject) {
      const version = osVersion(subject);
      if (!version) return unknown('The Windows build is unknown.');
      if (version.build >= oldestBuild) return undefined;
      return fail(`Windows build ${osText(version)} is older than Server 2019: Kubernetes does not support it.`)
        .because({
          section: version.section,
          object: subject.node.name,
          field: version.section === 'os' ? 'BuildNumber' : 'nodeInfo.kernelVersion',
          seen: osText(version),
          expected: `at least ${oldestBuild}`,
        })
        .fixedBy(manual('Drain the node and replace it with one that runs Windows Server 2022 or later.'));
    },
    explain: {
      meaning:
        'Kubernetes requires Windows Server 2019 (build 17763) or later. Older builds lack HNS features that every plugin requires.',
      why: 'The node was set up with Server 2016 or a semi-annual release, which are out of support.',
      see: ['[Environment]::OSVersion.Version', 'kubectl get node NODE -o jsonpath="{.status.nodeInfo.kernelVersion}"'],
      fix: [
        'Create a new node with Windows Server 2022 or 2025 and move the pods there. Images must match its version.',
      ],
      sources: ['https://kubernetes.io/docs/concepts/windows/intro/#windows-os-version-support'],
    },
  }),

  check({
    id: 'platform/hotfix',
    title: 'Windows has the updates that the overlay requires',
    failure: 'Windows lacks an update that the overlay requires',
    severity: 'warning',
    plugins: 'overlays and Kube-OVN, on Server 2019',
    needs: [],
    appliesTo: needsUpdates,
    run(subject) {
      const {node} = subject;
      const version = osVersion(subject);
      if (!version) return unknown('The Windows build is unknown.');
      if (version.build !== oldestBuild) return undefined;
      const {revision} = version;
      if (revision === undefined)
        return node.hotfixes?.some(({id}) => id === 'KB4489899')
          ? undefined
          : unknown('The Windows update level is unknown.');
      const evidence = (expected: number) => ({
        section: version.section,
        object: node.name,
        field: version.section === 'os' ? 'UBR' : 'nodeInfo.kernelVersion',
        seen: osText(version),
        expected: `at least ${oldestBuild}.${expected}`,
      });
      const update = manual('Install the latest cumulative update for Windows Server 2019, and reboot.');
      if (revision < overlayRevision)
        return fail(`Windows ${osText(version)} lacks KB4489899, which overlay networks require.`)
          .because(evidence(overlayRevision))
          .fixedBy(update);
      if (revision >= dsrRevision) return undefined;
      if (!node.hnsPolicyLists)
        return unknown('Load balancers were not read, so it is unknown whether they use direct server return.');
      if (!node.hnsPolicyLists.some(({dsr}) => dsr)) return undefined;
      return fail(`Load balancers use direct server return, which Windows ${osText(version)} does not support.`)
        .because(evidence(dsrRevision))
        .fixedBy(update);
    },
    explain: {
      meaning:
        'Overlay networks on Server 2019 require updates: KB4489899 (17763.379) for overlays, 17763.1432 for direct server return. This node is older.',
      why: 'The node image is old and updates are disabled.',
      see: [
        '(Get-ItemProperty "HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion").UBR',
        'Get-HotFix | Sort-Object InstalledOn | Select-Object -Last 5',
      ],
      fix: ['Install the latest cumulative update, and reboot.'],
      sources: [
        'https://support.microsoft.com/help/4489899',
        'https://github.com/projectcalico/calico/blob/master/node/windows-packaging/CalicoWindows/libs/calico/calico.psm1',
      ],
    },
  }),
];

function needsUpdates({plugin}: NodeSubject): boolean {
  const types = plugin.profile.network?.types ?? [];
  return plugin.profile.needsOverlayUpdates === true || types.some(type => type.toLowerCase() === 'overlay');
}
