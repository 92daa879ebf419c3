import {shellText} from '../../lib/quote.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import {prerequisite, sameAs} from './prerequisite.js';

const day = 24 * 60 * 60_000;
/** Cumulative updates are monthly; missing one or two is tolerated. */
const stale = 90 * day;

/** Not every Windows Server has built-in cmdlets for updates; sconfig is the manual alternative. */
export const installUpdates = [
  'Install-Module -Name PSWindowsUpdate -Force',
  'Install-WindowsUpdate -AcceptAll -AutoReboot',
] as const;

export const windowsServer = (target: Installation) =>
  prerequisite(target, 'windows-server', {
    title: 'Node runs a licensed Windows Server',
    needs: [],
    run({node, object}) {
      const caption = node.os?.caption ?? object?.status?.nodeInfo?.osImage;
      if (caption === undefined) return unknown('The Windows edition of the node is unknown.');
      const evidence = {
        section: node.os?.caption === undefined ? 'cluster' : 'os',
        object: node.name,
        field: 'Caption',
        seen: caption,
        expected: 'Windows Server, licensed',
      };
      if (/Windows (7|8|10|11)\b/i.test(caption))
        return fail(`${node.name} runs ${caption}, which is not a Windows Server: Kubernetes does not support it.`)
          .because(evidence)
          .fixedBy(manual(drain(node.name), 'Replace the machine with one that runs Windows Server.'));
      if (!/\bevaluation\b/i.test(caption)) return undefined;
      return fail(`${node.name} runs ${caption}: when the evaluation period ends, it shuts down every hour.`)
        .because(evidence)
        .fixedBy(
          manual(
            'DISM.exe /Online /Set-Edition:ServerStandard /ProductKey:XXXXX-XXXXX-XXXXX-XXXXX-XXXXX /AcceptEula',
            'Restart-Computer',
          ),
        )
        .as('warning');
    },
    explain: {
      meaning:
        'Kubernetes requires a licensed Windows Server. This node runs another Windows edition, or an evaluation edition, which expires after 180 days.',
      why: 'The machine was set up from an evaluation image or from a Windows 10 or 11 image.',
      see: ['(Get-CimInstance Win32_OperatingSystem).Caption', 'cscript.exe C:\\Windows\\System32\\slmgr.vbs /dlv'],
      fix: [
        'Evaluation edition: DISM.exe /Online /Set-Edition:ServerStandard /ProductKey:KEY /AcceptEula, then Restart-Computer',
        'Other Windows edition: reinstall the machine.',
      ],
      sources: ['https://learn.microsoft.com/windows-server/get-started/upgrade-conversion-options'],
    },
  });

export const windowsVersion = (target: Installation) =>
  sameAs(target, 'windows-version', 'platform/os-build', {
    title: 'Windows Server 2019 or later',
    remedy: ({node}) => manual(drain(node.name), 'Replace the node with one that runs Windows Server 2022.'),
  });

export const overlayUpdate = (target: Installation) =>
  sameAs(target, 'kb4489899', 'platform/hotfix', {
    title: 'KB4489899 or a later cumulative update',
    remedy: () =>
      manual(
        ...installUpdates,
        'Without access to Windows Update: wusa.exe C:\\windows10.0-kb4489899-x64.msu /quiet /forcerestart (from https://catalog.update.microsoft.com/Search.aspx?q=KB4489899)',
      ),
  });

export const windowsUpdates = (target: Installation) =>
  prerequisite(target, 'windows-updates', {
    title: 'Windows is up to date',
    advised: true,
    needs: ['hotfixes'],
    run({node, now}) {
      const times = node.hotfixes.flatMap(({installedAt}) => installedAt ?? []);
      if (times.length === 0) return unknown('The installation dates of updates are unknown.');
      const age = now - Math.max(...times);
      if (age < stale) return undefined;
      const latest = node.hotfixes.find(({installedAt}) => installedAt === Math.max(...times));
      return fail(`The last Windows update was installed ${Math.floor(age / day)} days ago.`)
        .because({
          section: 'hotfixes',
          object: latest?.id ?? node.name,
          field: 'InstalledOn',
          seen: new Date(Math.max(...times)).toISOString().slice(0, 10),
          expected: 'within the last three months',
        })
        .fixedBy(manual(...installUpdates));
    },
    explain: {
      meaning:
        'Cumulative updates fix many container networking defects, especially in HNS. This node has not been updated for more than three months.',
      why: 'Automatic updates are disabled to avoid unplanned reboots, and no updates were installed manually.',
      see: ['Get-HotFix | Sort-Object InstalledOn | Select-Object -Last 5'],
      fix: ['Drain the node.', ...installUpdates, 'Uncordon the node.'],
    },
  });

export const containersFeature = (target: Installation) =>
  prerequisite(target, 'containers-feature', {
    title: 'Windows feature Containers is enabled',
    needs: ['windowsFeatures'],
    run({node}) {
      const state = node.windowsFeatures.find(({name}) => name.toLowerCase() === 'containers')?.state;
      // The feature includes HNS: if HNS responds, the feature is enabled.
      if (state === undefined)
        return node.hnsNetworks ? undefined : unknown('Windows did not report whether Containers is enabled.');
      if (/^enabled$/i.test(state)) return undefined;
      return fail('Windows feature Containers is not enabled: the node cannot run containers.')
        .because({
          section: 'windowsFeatures',
          object: 'Containers',
          field: 'InstallState',
          seen: state,
          expected: 'Enabled',
        })
        .fixedBy(manual('Install-WindowsFeature -Name Containers', 'Restart-Computer'));
    },
    explain: {
      meaning: 'The feature Containers includes HNS, which creates every pod network on Windows. It is not enabled.',
      why: 'It is not enabled by default. Installers of container runtimes enable it.',
      see: ['Get-WindowsFeature Containers', 'Get-Service hns'],
      fix: ['Install-WindowsFeature -Name Containers', 'Restart-Computer'],
      sources: ['https://learn.microsoft.com/virtualization/windowscontainers/quick-start/set-up-environment'],
    },
  });

export const hyperV = (target: Installation) =>
  sameAs(target, 'hyper-v', 'platform/hyper-v', {title: 'Hyper-V and its management tools are installed'});

export function drain(node: string): string {
  return `kubectl drain ${shellText(node)} --ignore-daemonsets --delete-emptydir-data`;
}
