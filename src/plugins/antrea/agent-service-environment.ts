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
    title: 'Environment of the Antrea service fits the node',
    failure: 'Environment of the Antrea service does not fit the node',
    severity: 'error',
    plugins: 'Antrea as a service',
    needs: ['services', 'environment'],
    appliesTo: ({plugin}) => plugin.name === 'antrea',
    run(subject) {
      if (!subject.node.services.some(({name}) => same(name, 'antrea-agent')))
        return skipped('antrea-agent is not a service here.');
      const verdicts = [nodeName(subject), ...missingFiles(subject)].filter(verdict => verdict !== undefined);
      // What failed is said; that the rest could not be determined adds nothing.
      return verdicts.some(({outcome}) => outcome === 'fail')
        ? verdicts.filter(({outcome}) => outcome !== 'unknown')
        : verdicts;
    },
    explain: {
      meaning:
        'As a Windows service, the Antrea agent reads its node name and folders from machine environment variables: NODE_NAME, KUBECONFIG, Antrea_Home (default C:\\antrea), Antrea_LogDir, OVS_RUNDIR. Its configuration is conf\\antrea-agent.conf below Antrea_Home, and names a kubeconfig for the API server and one for antrea-controller. With a wrong NODE_NAME, it looks for a Node that does not exist.',
      why: 'A variable was set for one session only, not for the machine, the node was renamed, or a kubeconfig was not copied to the node.',
      see: [
        "'NODE_NAME', 'KUBECONFIG', 'Antrea_Home', 'Antrea_LogDir', 'OVS_RUNDIR' | ForEach-Object { $_ + '=' + [Environment]::GetEnvironmentVariable($_, 'Machine') }",
        'Get-Content C:\\antrea\\logs\\antrea-agent.log -Tail 20',
      ],
      fix: [
        "[Environment]::SetEnvironmentVariable('NODE_NAME', $(hostname).ToLower(), 'Machine')",
        'If the service is missing, install it again: antrea-service.exe --service-control install, then Start-Service antrea-agent',
        restart,
      ],
      sources: ['https://github.com/antrea-io/antrea/blob/v0.9.0/docs/windows.md'],
    },
  }),
];

function nodeName({node}: NodeSubject<'environment'>): Verdict | undefined {
  const told = node.environment.find(({name}) => same(name, 'NODE_NAME'))?.value;
  const host = node.os?.hostName;
  // Without it the agent takes the host name.
  const name = told || host;
  if (name === undefined) return unknown('Neither NODE_NAME nor the name of the machine is known.');
  if (told ? told === node.name : same(name, node.name)) return undefined;
  return fail(
    told
      ? `NODE_NAME of the machine is ${told}, but the node name is ${node.name}: the Antrea agent does not find its Node.`
      : `NODE_NAME is not set, and the machine name is ${host}, not ${node.name}: the Antrea agent does not find its Node.`,
  )
    .because({section: 'environment', object: 'NODE_NAME', field: 'Value', seen: told ?? null, expected: node.name})
    .fixedBy(
      manual(`[Environment]::SetEnvironmentVariable('NODE_NAME', ${powerShellText(node.name)}, 'Machine')`, restart),
    )
    .explaining('cni/agent-pod', 'hns/network-present');
}

/** Files that the environment and the configuration name, each with where it is named. */
function namedFiles({node}: NodeSubject<'environment'>): {path: string; by: string}[] {
  const kubeconfig = node.environment.find(({name}) => same(name, 'KUBECONFIG'))?.value;
  const conf = serviceConf(node);
  const lines = (conf?.content ?? '').matchAll(
    /^[ \t]*(kubeconfig|\w*(?:cert|key|ca)\w*file)[ \t]*:[ \t]*["']?([a-z]:[^"'#\r\n]+)/gim,
  );
  return [
    ...(kubeconfig ? [{path: kubeconfig, by: 'KUBECONFIG of the machine'}] : []),
    ...[...lines].map(([, key = '', path = '']) => ({path: path.trim(), by: `${key} in ${conf?.path}`})),
  ];
}

function missingFiles(subject: NodeSubject<'environment'>): Verdict[] {
  return namedFiles(subject).flatMap(({path, by}) => {
    const file = subject.node.files?.find(entry => normalPath(entry.path) === normalPath(path));
    if (file?.exists === true) return [];
    if (file === undefined) return [unknown(`Whether ${path} exists, which is ${by}, was not read.`)];
    return [
      fail(`${path}, which is ${by}, does not exist: the Antrea agent cannot connect.`)
        .because({section: 'files', object: path, field: 'Exists', seen: false, expected: true})
        .fixedBy(manual(`Create ${path} on the node as the guide says, or name another file.`, restart))
        .explaining('cni/agent-pod', 'hns/network-present'),
    ];
  });
}
