import {osText, osVersion} from '../../checks/platform/os-version.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';

const server2019 = 17_763;

export const systemChecks: readonly Check[] = [
  check({
    id: 'platform/kube-ovn-system',
    title: 'Windows version and processor are supported by Kube-OVN',
    failure: 'Windows version or processor is not supported by Kube-OVN',
    severity: 'warning',
    plugins: 'Kube-OVN',
    needs: [],
    appliesTo: runs('kube-ovn'),
    run: subject => [build(subject), architecture(subject)].filter(verdict => verdict !== undefined),
    explain: {
      meaning:
        'Kube-OVN supports Windows Server 2019 on x86_64 and nothing else. Other builds may work, but are not tested.',
      why: 'The node was set up with another Windows Server, or upgraded in place.',
      see: [
        '[Environment]::OSVersion.Version',
        'kubectl get nodes -L node.kubernetes.io/windows-build,kubernetes.io/arch',
      ],
      fix: ['Replace the node with one that runs Windows Server 2019, or move to a plugin that supports later ones.'],
      sources: ['https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md'],
    },
  }),
];

/** Windows Server 2019 is the only one that Kube-OVN supports. */
export function build(subject: NodeSubject): Verdict | undefined {
  const {node, plugin} = subject;
  const version = osVersion(subject);
  if (!version) return unknown('The build of Windows is not known.');
  if (version.build === server2019) return undefined;
  return fail(
    `Windows build ${osText(version)} is not Server 2019 (${server2019}), the only one that ${plugin.title} supports.`,
  )
    .because({
      section: version.section,
      object: node.name,
      field: version.section === 'os' ? 'BuildNumber' : 'nodeInfo.kernelVersion',
      seen: osText(version),
      expected: String(server2019),
    })
    .fixedBy(
      manual('Replace the node with one that runs Windows Server 2019, or choose a plugin that supports this one.'),
    );
}

export function architecture({node, object, plugin}: NodeSubject): Verdict | undefined {
  const told = object?.status?.nodeInfo?.architecture ?? object?.metadata.labels['kubernetes.io/arch'];
  if (told === undefined) return unknown('The architecture of the node is not known.');
  if (/^(amd64|x86_64)$/i.test(told)) return undefined;
  return fail(`${node.name} is ${told}; ${plugin.title} for Windows is built for x86_64 only.`)
    .because({
      section: 'cluster',
      object: `Node ${node.name}`,
      field: 'nodeInfo.architecture',
      seen: told,
      expected: 'amd64',
    })
    .fixedBy(manual('Replace the node with a machine that has an x86_64 processor.'));
}
