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
      fix: [
        'Replace the node with one that runs Windows Server 2019, or move to a plugin that supports later versions.',
      ],
      sources: ['https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md'],
    },
  }),
];

export function build(subject: NodeSubject): Verdict | undefined {
  const {node, plugin} = subject;
  const version = osVersion(subject);
  if (!version) return unknown('The Windows build is unknown.');
  if (version.build === server2019) return undefined;
  return fail(
    `Windows build ${osText(version)} is not Server 2019 (${server2019}), the only version that ${plugin.title} supports.`,
  )
    .because({
      section: version.section,
      object: node.name,
      field: version.section === 'os' ? 'BuildNumber' : 'nodeInfo.kernelVersion',
      seen: osText(version),
      expected: String(server2019),
    })
    .fixedBy(
      manual('Replace the node with one that runs Windows Server 2019, or choose a plugin that supports this version.'),
    );
}

export function architecture({node, object, plugin}: NodeSubject): Verdict | undefined {
  const found = object?.status?.nodeInfo?.architecture ?? object?.metadata.labels['kubernetes.io/arch'];
  if (found === undefined) return unknown('The architecture of the node is unknown.');
  if (/^(amd64|x86_64)$/i.test(found)) return undefined;
  return fail(`The architecture of ${node.name} is ${found}; ${plugin.title} for Windows is built only for x86_64.`)
    .because({
      section: 'cluster',
      object: `Node ${node.name}`,
      field: 'nodeInfo.architecture',
      seen: found,
      expected: 'amd64',
    })
    .fixedBy(manual('Replace the node with a machine that has an x86_64 processor.'));
}
