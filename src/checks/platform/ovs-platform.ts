import {type Check, check} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown} from '../../model/verdict.js';
import type {NodeModel} from '../../snapshot/node.js';

/** Works without processor virtualisation, unlike the usual installation (antrea docs/windows.md, known issues). */
const installHyperV = [
  'Install-WindowsFeature Hyper-V-PowerShell',
  'dism /online /enable-feature /featurename:Microsoft-Hyper-V /all /NoRestart',
  'dism /online /disable-feature /featurename:Microsoft-Hyper-V-Online /NoRestart',
  'Restart-Computer',
] as const;

export const ovsPlatformChecks: readonly Check[] = [
  check({
    id: 'platform/hyper-v',
    title: 'Hyper-V and its PowerShell module are installed',
    failure: 'Hyper-V or its PowerShell module is not installed',
    severity: 'error',
    blocksRepair: true,
    plugins: 'Antrea, Kube-OVN',
    needs: ['windowsFeatures'],
    appliesTo: ({plugin}) => plugin.profile.ovs !== undefined,
    run({node, plugin}) {
      const stateOf = (feature: string) =>
        node.windowsFeatures.find(({name}) => name.toLowerCase() === feature.toLowerCase())?.state;
      const role = stateOf('Microsoft-Hyper-V');
      const module = stateOf('Microsoft-Hyper-V-Management-PowerShell');
      const missing = [
        ...(role === undefined ? [] : [{name: 'Microsoft-Hyper-V', state: role}]),
        ...(module === undefined ? [] : [{name: 'Microsoft-Hyper-V-Management-PowerShell', state: module}]),
      ].filter(({state}) => !/^enabled$/i.test(state));
      if (missing.length > 0) {
        return fail(
          `Windows feature ${missing.map(({name}) => name).join(' and ')} is not enabled: ${plugin.title} cannot manage its switch without it.`,
        )
          .because(
            ...missing.map(({name, state}) => ({
              section: 'windowsFeatures',
              object: name,
              field: 'InstallState',
              seen: state,
              expected: 'Enabled',
            })),
          )
          .fixedBy(manual(...installHyperV));
      }
      if (role !== undefined || node.vmSwitches) return undefined;
      const failure = node.errors.vmSwitches;
      if (failure?.kind !== 'NotInstalled')
        return unknown('Windows did not report whether Microsoft-Hyper-V is enabled.');
      return fail(`Hyper-V is not installed: ${plugin.title} cannot manage its switch without it.`)
        .because({section: 'vmSwitches', object: 'Hyper-V', seen: failure.message, expected: 'the role Hyper-V'})
        .fixedBy(manual(...installHyperV));
    },
    explain: {
      meaning:
        'OVS requires a Hyper-V virtual switch, and the agent manages it with Hyper-V cmdlets (Get-VMSwitch, Rename-VMNetworkAdapter, Enable-VMSwitchExtension). The Windows feature Containers does not include them.',
      why: 'The node was set up for a plugin that does not require Hyper-V. On a virtual machine without nested virtualisation, Install-WindowsFeature Hyper-V fails. The steps below work, because the switch does not need the hypervisor.',
      see: ['Get-WindowsOptionalFeature -Online -FeatureName Microsoft-Hyper-V*', 'Get-Command Get-VMSwitch'],
      fix: ['Drain the node. It must be rebooted.', 'Install-WindowsFeature Containers', ...installHyperV],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md#known-issues',
        'https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md',
      ],
    },
  }),

  check({
    id: 'platform/test-signing',
    title: 'Windows can load the OVS driver',
    failure: 'OVS driver is test-signed, but test signing is off',
    severity: 'error',
    blocksRepair: true,
    plugins: 'Antrea, Kube-OVN with test-signed driver',
    needs: ['drivers', 'bootOptions'],
    appliesTo: ({plugin}) => plugin.profile.ovs !== undefined,
    run({node}) {
      const {installed, signed} = node.drivers.ovsext;
      if (installed === false) return skipped('The OVS driver is not installed.');
      if (signed === true || acceptsAnyDriver(node.bootOptions)) return undefined;
      if (signed === undefined) return unknown('Windows did not report the signature of the OVS driver.');
      return fail(
        'The OVS driver is not signed by a trusted publisher, and test signing is off: Windows will not load it at the next boot.',
      )
        .because(
          {section: 'drivers', object: 'ovsext', field: 'Signed', seen: signed, expected: true},
          {
            section: 'bootOptions',
            object: 'current boot entry',
            field: 'TestSigning',
            seen: false,
            expected: 'true, for a test-signed driver',
          },
        )
        .fixedBy(manual('bcdedit.exe /set TESTSIGNING ON', 'Restart-Computer'));
    },
    explain: {
      meaning:
        'Windows loads kernel drivers of trusted publishers, and test-signed drivers only with the boot option TESTSIGNING. The OVS driver on this node is test-signed (as provided by Antrea and Kube-OVN), and the option is off.',
      why: 'The option was not set, was reset by an update of the boot entry, or is rejected because Secure Boot is on.',
      see: ['bcdedit.exe', 'Get-AuthenticodeSignature C:\\openvswitch\\driver\\ovsext.sys', 'Confirm-SecureBootUEFI'],
      fix: [
        'For production: install an OVS package whose driver is signed by a publisher that your nodes trust.',
        'Otherwise: bcdedit.exe /set TESTSIGNING ON, then Restart-Computer. Secure Boot must be off.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md#1-optional-install-ovs-provided-by-antrea-or-your-own',
        'https://learn.microsoft.com/windows-hardware/drivers/install/the-testsigning-boot-configuration-option',
      ],
    },
  }),
];

/** Whether one of the three options from the Kube-OVN guide is set. */
export function acceptsAnyDriver({
  testSigning,
  noIntegrityChecks,
  loadOptions,
}: NonNullable<NodeModel['bootOptions']>): boolean {
  return testSigning || noIntegrityChecks || /DISABLE_INTEGRITY_CHECKS/i.test(loadOptions ?? '');
}
