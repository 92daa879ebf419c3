import {daemonVerdicts, ovsServicesWords} from '../../../checks/prerequisites/ovs-needs.js';
import {prerequisite, sameAs} from '../../../checks/prerequisites/prerequisite.js';
import {powerShellText} from '../../../lib/quote.js';
import type {NodeSubject} from '../../../model/check.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, info, skipped, unknown} from '../../../model/verdict.js';
import {bootChecks} from '../boot-hook.js';
import {agentConf, setting} from '../settings.js';

const installOvs = [
  'curl.exe -LO https://raw.githubusercontent.com/antrea-io/antrea/main/hack/windows/Install-OVS.ps1',
  '.\\Install-OVS.ps1 -InstallUserspace $true (add -LocalFile PATH to use your own OVS package)',
] as const;

const defaultRunDir = 'C:\\openvswitch\\var\\run\\openvswitch';

export function ovsServices(target: Installation, mode: string | undefined) {
  return prerequisite(target, 'ovs-services', {
    title: 'OVS daemons as Windows services',
    needs: ['services'],
    run({node, plugin}) {
      if (mode === 'container' || (mode === undefined && plugin.profile.ovs?.inPod))
        return skipped('OVS runs in the agent pod.');
      const verdicts = daemonVerdicts(node, installOvs);
      const isThere = node.services.some(({name}) => name.toLowerCase() === 'ovs-vswitchd');
      if (mode === 'service' || isThere || plugin.evidence.some(text => text.includes('antrea-agent-windows')))
        return verdicts;
      if (verdicts.length === 0) return undefined;
      return info(
        'OVS is not installed as a service: this is correct for antrea-windows-with-ovs.yml, but antrea-windows.yml requires the service.',
      ).fixedBy(manual(...installOvs));
    },
    explain: {
      ...ovsServicesWords,
      fix: [
        'With antrea-windows-with-ovs.yml, no action is needed: OVS runs in the agent pod.',
        ...installOvs,
        'Get-Service ovsdb-server, ovs-vswitchd',
      ],
    },
  });
}

export const ovsDriver = (target: Installation) =>
  sameAs(target, 'ovs-driver', 'ovs/driver', {title: 'OVS driver installed once', remedy: () => manual(...installOvs)});

export const ovsRunDir = (target: Installation) =>
  prerequisite(target, 'ovs-rundir', {
    title: 'OVS responds in its run folder (OVS_RUNDIR)',
    needs: ['services'],
    run({node}) {
      if (node.ovs) return undefined;
      const server = node.services.find(({name}) => name.toLowerCase() === 'ovsdb-server');
      if (!server || !/^running$/i.test(server.state)) return skipped('ovsdb-server is not running.');
      const failure = node.errors.ovs;
      if (!failure) return unknown('OVS was not read.');
      return fail(
        `ovsdb-server is running, but does not respond in the folder set by OVS_RUNDIR (default ${defaultRunDir}): ${failure.message || failure.kind}.`,
      )
        .because({section: 'ovs', object: 'ovsdb-server', seen: failure.message, expected: 'a response'})
        .fixedBy(
          manual(
            `[Environment]::SetEnvironmentVariable('OVS_RUNDIR', '${defaultRunDir}', 'Machine') (the folder with db.sock of your OVS)`,
          ),
        );
    },
    explain: {
      meaning:
        'The agent connects to OVS through files in its run folder, which the machine variable OVS_RUNDIR sets (default C:\\openvswitch\\var\\run\\openvswitch). OVS is running, but uses another folder.',
      why: 'OVS was installed in another folder.',
      see: [
        "[Environment]::GetEnvironmentVariable('OVS_RUNDIR', 'Machine')",
        '(Get-CimInstance Win32_Service -Filter "Name=\'ovsdb-server\'").PathName',
      ],
      fix: [
        "[Environment]::SetEnvironmentVariable('OVS_RUNDIR', 'FOLDER', 'Machine'), then restart the OVS services and the agent.",
      ],
    },
  });

export const bootHook = (target: Installation) =>
  sameAs(
    target,
    'boot-hook',
    'cni/antrea-boot-hook',
    {title: 'Prepare-AntreaAgent.ps1 runs at every boot', advised: true},
    bootChecks,
  );

const kubeconfigSteps = [
  'Write C:\\k\\antrea\\etc\\antrea-agent.conf with clientConnection.kubeconfig: C:\\k\\antrea\\etc\\antrea-agent.kubeconfig and antreaClientConnection.kubeconfig: C:\\k\\antrea\\etc\\antrea-agent.antrea.kubeconfig',
  "[Environment]::SetEnvironmentVariable('KUBECONFIG', 'C:\\k\\config', 'Machine')",
] as const;

/** An agent that runs as a service has no service account: it needs two kubeconfigs. */
export const agentKubeconfigs = (target: Installation) =>
  prerequisite(target, 'agent-conf', {
    title: 'Kubeconfigs for the API server and the controller in antrea-agent.conf',
    advised: true,
    needs: [],
    run({node}) {
      const conf = agentConf({cluster: undefined, node});
      if (conf === undefined)
        return unknown('antrea-agent.conf was not found among the files that were read.').fixedBy(
          manual(...kubeconfigSteps),
        );
      const missing = ['clientConnection', 'antreaClientConnection'].filter(
        key =>
          !new RegExp(
            `^${key}:[ \\t]*(?:#.*)?\\r?\\n(?:[ \\t]*(?:#.*)?\\r?\\n)*[ \\t]+kubeconfig:[ \\t]*\\S`,
            'm',
          ).test(conf),
      );
      if (missing.length === 0) return undefined;
      return fail(`antrea-agent.conf has no kubeconfig under ${missing.join(' and ')}.`)
        .because({
          section: 'files',
          object: 'antrea-agent.conf',
          field: missing.join(', '),
          seen: setting(conf, 'kubeconfig') ?? null,
          expected: 'a kubeconfig under each',
        })
        .fixedBy(manual(...kubeconfigSteps));
    },
    explain: {
      meaning:
        'An agent that runs as a service uses one kubeconfig for the API server and one for antrea-controller. Their paths are set in antrea-agent.conf.',
      why: 'In a pod the agent has a service account. As a service it has none, so the files must be created manually.',
      see: ['Get-Content C:\\k\\antrea\\etc\\antrea-agent.conf'],
      fix: [...kubeconfigSteps],
    },
  });

export const setNodeName = (name: string): readonly string[] => [
  `[Environment]::SetEnvironmentVariable('NODE_NAME', ${powerShellText(name)}, 'Machine')`,
];

/** Installs the agent as a service: its folder, log folder and node name are machine environment variables. */
export function serviceSteps({node}: NodeSubject): readonly string[] {
  return [
    "[Environment]::SetEnvironmentVariable('Antrea_Home', 'C:\\antrea', 'Machine')",
    "[Environment]::SetEnvironmentVariable('Antrea_LogDir', 'C:\\antrea\\logs', 'Machine')",
    ...setNodeName(node.name),
    'C:\\antrea\\antrea-service.exe --service-control install',
    'Start-Service antrea-agent',
  ];
}
