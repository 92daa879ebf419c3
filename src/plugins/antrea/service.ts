import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';

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
      return [nodeName(subject), kubeconfig(subject)].filter(verdict => verdict !== undefined);
    },
    explain: {
      meaning:
        'As a Windows service the Antrea agent takes its node name and its folders from variables of the machine: NODE_NAME, KUBECONFIG, Antrea_Home (default C:\\antrea), Antrea_LogDir, OVS_RUNDIR. Its configuration is conf\\antrea-agent.conf below Antrea_Home. A wrong NODE_NAME makes it look for a Node that does not exist.',
      why: 'A variable was set for one session only, not for the machine, or the node was renamed.',
      see: [
        "'NODE_NAME', 'KUBECONFIG', 'Antrea_Home', 'Antrea_LogDir', 'OVS_RUNDIR' | ForEach-Object { $_ + '=' + [Environment]::GetEnvironmentVariable($_, 'Machine') }",
        'Get-Content C:\\antrea\\logs\\antrea-agent.log -Tail 20',
      ],
      fix: [
        "[Environment]::SetEnvironmentVariable('NODE_NAME', $(hostname).ToLower(), 'Machine')",
        'Install the service again where it is missing: antrea-service.exe --service-control install, then Start-Service antrea-agent',
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
      ? `NODE_NAME of the machine is ${told}, but the node is called ${node.name}: the Antrea agent does not find its Node.`
      : `NODE_NAME is not set, and the machine is called ${host}, not ${node.name}: the Antrea agent does not find its Node.`,
  )
    .because({section: 'environment', object: 'NODE_NAME', field: 'Value', seen: told ?? null, expected: node.name})
    .fixedBy(
      manual(`[Environment]::SetEnvironmentVariable('NODE_NAME', ${powerShellText(node.name)}, 'Machine')`, restart),
    )
    .explaining('cni/agent-pod', 'hns/network-present');
}

function kubeconfig({node}: NodeSubject<'environment'>): Verdict | undefined {
  const path = node.environment.find(({name}) => same(name, 'KUBECONFIG'))?.value;
  const file = path === undefined ? undefined : node.files?.find(entry => same(entry.path, path));
  if (file?.exists !== false) return undefined;
  return fail(`KUBECONFIG of the machine names ${path}, which does not exist.`)
    .because({section: 'files', object: path ?? '', field: 'Exists', seen: false, expected: true})
    .fixedBy(manual(`Copy the kubeconfig to ${path}.`, restart));
}
