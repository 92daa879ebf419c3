import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';
import {normalPath} from '../../snapshot/paths.js';
import {serviceConf} from './settings.js';

const restart = 'Restart-Service antrea-agent';

export const serviceChecks: readonly Check[] = [
  check({
    id: 'cni/antrea-service',
    title: 'Environment of the Antrea service matches the node',
    failure: 'Environment of the Antrea service does not match the node',
    severity: 'error',
    plugins: 'Antrea as a service',
    needs: ['services', 'environment'],
    appliesTo: ({plugin}) => plugin.name === 'antrea',
    run(subject) {
      if (!subject.node.services.some(({name}) => same(name, 'antrea-agent')))
        return skipped('antrea-agent is not a service here.');
      const verdicts = [nodeName(subject), ...missingFiles(subject)].filter(verdict => verdict !== undefined);
      // If something failed, undetermined parts add no information.
      return verdicts.some(({outcome}) => outcome === 'fail')
        ? verdicts.filter(({outcome}) => outcome !== 'unknown')
        : verdicts;
    },
    explain: {
      meaning:
        'As a Windows service, the Antrea agent reads its node name and folders from machine environment variables: NODE_NAME, KUBECONFIG, Antrea_Home (default C:\\antrea), Antrea_LogDir, OVS_RUNDIR. Its configuration is conf\\antrea-agent.conf below Antrea_Home, and contains the paths of a kubeconfig for the API server and one for antrea-controller. With a wrong NODE_NAME, the agent does not find its Node object.',
      why: 'A variable was set only for a session instead of for the machine, the node was renamed, or a kubeconfig was not copied to the node.',
      see: [
        "'NODE_NAME', 'KUBECONFIG', 'Antrea_Home', 'Antrea_LogDir', 'OVS_RUNDIR' | ForEach-Object { $_ + '=' + [Environment]::GetEnvironmentVariable($_, 'Machine') }",
        'Get-Content C:\\antrea\\logs\\antrea-agent.log -Tail 20',
      ],
      fix: [
        "[Environment]::SetEnvironmentVariable('NODE_NAME', $(hostname).ToLower(), 'Machine')",
        'If the service is missing, reinstall it: antrea-service.exe --service-control install, then Start-Service antrea-agent',
        restart,
      ],
      sources: ['https://github.com/antrea-io/antrea/blob/v0.9.0/docs/windows.md'],
    },
  }),
];

function nodeName({node}: NodeSubject<'environment'>): Verdict | undefined {
  const configured = node.environment.find(({name}) => same(name, 'NODE_NAME'))?.value;
  const host = node.os?.hostName;
  // If NODE_NAME is not set, the agent uses the host name.
  const name = configured || host;
  if (name === undefined) return unknown('Neither NODE_NAME nor the machine name is known.');
  if (configured ? configured === node.name : same(name, node.name)) return undefined;
  return fail(
    configured
      ? `The machine variable NODE_NAME is ${configured}, but the node name is ${node.name}: the Antrea agent does not find its Node object.`
      : `NODE_NAME is not set, and the machine name is ${host}, not ${node.name}: the Antrea agent does not find its Node object.`,
  )
    .because({
      section: 'environment',
      object: 'NODE_NAME',
      field: 'Value',
      seen: configured ?? null,
      expected: node.name,
    })
    .fixedBy(
      manual(`[Environment]::SetEnvironmentVariable('NODE_NAME', ${powerShellText(node.name)}, 'Machine')`, restart),
    )
    .explaining('cni/agent-pod', 'hns/network-present');
}

/** Files that the environment or the configuration refers to, with the place of the reference. */
function namedFiles({node}: NodeSubject<'environment'>): {path: string; by: string}[] {
  const kubeconfig = node.environment.find(({name}) => same(name, 'KUBECONFIG'))?.value;
  const conf = serviceConf(node);
  const lines = (conf?.content ?? '').matchAll(
    /^[ \t]*(kubeconfig|\w*(?:cert|key|ca)\w*file)[ \t]*:[ \t]*["']?([a-z]:[^"'#\r\n]+)/gim,
  );
  return [
    ...(kubeconfig ? [{path: kubeconfig, by: 'the machine variable KUBECONFIG'}] : []),
    ...[...lines].map(([, key = '', path = '']) => ({path: path.trim(), by: `${key} in ${conf?.path}`})),
  ];
}

function missingFiles(subject: NodeSubject<'environment'>): Verdict[] {
  return namedFiles(subject).flatMap(({path, by}) => {
    const file = subject.node.files?.find(entry => normalPath(entry.path) === normalPath(path));
    if (file?.exists === true) return [];
    if (file === undefined) return [unknown(`${path} (set by ${by}) was not checked.`)];
    return [
      fail(`${path} (set by ${by}) does not exist: the Antrea agent cannot connect.`)
        .because({section: 'files', object: path, field: 'Exists', seen: false, expected: true})
        .fixedBy(manual(`Create ${path} on the node as described in the guide, or set another file.`, restart))
        .explaining('cni/agent-pod', 'hns/network-present'),
    ];
  });
}
