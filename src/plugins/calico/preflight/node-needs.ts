import {osText, osVersion} from '../../../checks/platform/os-version.js';
import {prerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {drain, installUpdates} from '../../../checks/prerequisites/windows.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, unknown} from '../../../model/verdict.js';

/** The oldest update of each Windows Server version that Calico supports. */
const oldest: Readonly<Record<number, number>> = {17763: 1432, 20348: 169};

export const windowsBuild = (target: Installation) =>
  prerequisite(target, 'windows-version', {
    title: 'Windows Server 2019 build 17763.1432 or later, or 2022 build 20348.169 or later',
    needs: [],
    run(subject) {
      const {node} = subject;
      const version = osVersion(subject);
      if (!version) return unknown('The Windows build is unknown.');
      const {build, revision} = version;
      const least = oldest[build];
      const evidence = {
        section: version.section,
        object: node.name,
        field: version.section === 'os' ? 'BuildNumber, UBR' : 'nodeInfo.kernelVersion',
        seen: osText(version),
        expected: '17763.1432 or later, 20348.169 or later',
      };
      if (build < 17_763)
        return fail(`Windows build ${osText(version)} is older than Server 2019: Calico does not support it.`)
          .because(evidence)
          .fixedBy(manual(drain(node.name), 'Replace the node with one that runs Windows Server 2022.'));
      if (least === undefined) return undefined;
      if (revision === undefined) return unknown('The Windows update level is unknown.');
      if (revision >= least) return undefined;
      return fail(`Windows ${osText(version)} lacks updates that Calico requires: the minimum is ${build}.${least}.`)
        .because(evidence)
        .fixedBy(manual(...installUpdates));
    },
    explain: {
      meaning:
        'Calico requires Windows Server 2019 build 17763.1432 or newer, or Server 2022 build 20348.169 or newer.',
      why: 'The node image is old and updates are disabled.',
      see: ['(Get-ItemProperty "HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion").UBR'],
      fix: [...installUpdates],
    },
  });

const installRemoteAccess = [
  'Install-WindowsFeature RemoteAccess, RSAT-RemoteAccess-PowerShell, Routing',
  'Restart-Computer -Force',
  'Install-RemoteAccess -VpnType RoutingOnly',
  'Start-Service RemoteAccess',
] as const;

export const remoteAccess = (target: Installation) =>
  prerequisite(target, 'remote-access', {
    title: 'Service RemoteAccess (the Windows BGP router) is running',
    needs: ['services'],
    run({node}) {
      const service = node.services.find(({name}) => name.toLowerCase() === 'remoteaccess');
      const feature = node.windowsFeatures?.find(({name}) => name.toLowerCase() === 'remoteaccess')?.state;
      if (service && /^running$/i.test(service.state)) return undefined;
      const installed = feature === undefined ? service !== undefined : /^enabled$/i.test(feature);
      return fail(
        installed
          ? `Service RemoteAccess, which BGP on Windows requires, is ${service?.state.toLowerCase() ?? 'missing'}.`
          : 'Windows feature RemoteAccess, which BGP on Windows requires, is not installed.',
      )
        .because(
          installed
            ? {
                section: 'services',
                object: 'RemoteAccess',
                field: 'State',
                seen: service?.state ?? null,
                expected: 'Running',
              }
            : {
                section: 'windowsFeatures',
                object: 'RemoteAccess',
                field: 'InstallState',
                seen: feature ?? null,
                expected: 'Enabled',
              },
        )
        .fixedBy(manual(...(installed ? installRemoteAccess.slice(2) : installRemoteAccess)));
    },
    explain: {
      meaning:
        'On Windows, Calico uses the BGP router of the Windows feature RemoteAccess. It is not installed or not running.',
      why: 'Windows Server does not install it by default, and after the installation the service often does not start automatically.',
      see: ['Get-WindowsFeature RemoteAccess, Routing', 'Get-Service RemoteAccess'],
      fix: [...installRemoteAccess],
      sources: ['https://docs.rke2.io/networking/windows_bgp'],
    },
  });
