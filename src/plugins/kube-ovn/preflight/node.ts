import {serviceRanges} from '../../../checks/cluster-network.js';
import {apiServer} from '../../../checks/cni/api-server-override.js';
import {osText, osVersion} from '../../../checks/platform/os-version.js';
import {daemonVerdicts, ovsServicesWords} from '../../../checks/prerequisites/ovs.js';
import {prerequisite, sameAs} from '../../../checks/prerequisites/prerequisite.js';
import {drain} from '../../../checks/prerequisites/windows.js';
import {listProperty, property, textProperty} from '../../../lib/json-properties.js';
import {names} from '../../../lib/names.js';
import {powerShellText, shellText} from '../../../lib/quote.js';
import type {Installation} from '../../../model/preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, skipped, unknown} from '../../../model/verdict.js';
import type {ClusterModel} from '../../../snapshot/cluster.js';
import {same} from '../../../snapshot/hns.js';
import {tunnelChecks} from '../tunnel-checks.js';

const server2019 = 17_763;

export const windows2019 = (target: Installation) =>
  prerequisite(target, 'windows-version', {
    title: 'Windows Server 2019',
    needs: [],
    run(subject) {
      const {node} = subject;
      const version = osVersion(subject);
      if (!version) return unknown('The build of Windows is not known.');
      if (version.build === server2019) return undefined;
      return fail(
        `Windows build ${osText(version)} is not Server 2019 (${server2019}), the only one that ${target.title} supports.`,
      )
        .because({
          section: version.section,
          object: node.name,
          field: version.section === 'os' ? 'BuildNumber' : 'nodeInfo.kernelVersion',
          seen: osText(version),
          expected: String(server2019),
        })
        .fixedBy(manual(drain(node.name), 'Replace it by a node with Windows Server 2019.'));
    },
    explain: {
      meaning: 'Kube-OVN was written for Windows Server 2019 and is not supported on any other.',
      why: 'The node was set up with a later Windows Server, or with an older one.',
      see: ['[Environment]::OSVersion.Version', 'kubectl get nodes -L node.kubernetes.io/windows-build'],
      fix: ['Make nodes with Windows Server 2019, or choose a plugin that supports later ones.'],
    },
  });

export const architecture = (target: Installation) =>
  prerequisite(target, 'architecture', {
    title: 'x86_64',
    needs: ['nodeObject'],
    run({node, object}) {
      const told = object.status?.nodeInfo?.architecture ?? object.metadata.labels['kubernetes.io/arch'];
      if (told === undefined) return unknown('The architecture of the node is not known.');
      if (/^(amd64|x86_64)$/i.test(told)) return undefined;
      return fail(`${node.name} is ${told}, and ${target.title} for Windows is there for x86_64 alone.`)
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'nodeInfo.architecture',
          seen: told,
          expected: 'amd64',
        })
        .fixedBy(manual(drain(node.name), 'Replace it by a machine with an x86_64 processor.'));
    },
    explain: {
      meaning: 'The programs of Kube-OVN, OVN and OVS for Windows are built for x86_64.',
      why: 'The machine has an Arm processor.',
      see: ['kubectl get nodes -L kubernetes.io/arch'],
      fix: ['Use machines with x86_64 processors.'],
    },
  });

const installOvs = [
  'msiexec.exe /i OpenvSwitch.msi (of the Windows package of Kube-OVN)',
  'Get-Service ovsdb-server, ovs-vswitchd',
];

export const ovsServices = (target: Installation) =>
  prerequisite(target, 'ovs-services', {
    title: 'OVS services running: ovsdb-server, ovs-vswitchd',
    needs: ['services'],
    run: ({node}) => daemonVerdicts(node, installOvs),
    explain: {
      ...ovsServicesWords,
      fix: [
        'Turn test signing on first, and restart.',
        ...installOvs,
        'Start-Service ovsdb-server; Start-Service ovs-vswitchd',
      ],
    },
  });

export const ovsDriver = (target: Installation) =>
  sameAs(target, 'ovs-driver', 'ovs/driver', {title: 'OVS driver, once', remedy: () => manual(...installOvs)});

export const tunnelAnnotation = (target: Installation) =>
  sameAs(
    target,
    'tunnel-annotation',
    'tunnel/annotation-resolves',
    {title: 'Tunnel annotation: none, or the name of one adapter'},
    tunnelChecks,
  );

export const tunnelUnchanged = (target: Installation) =>
  sameAs(
    target,
    'tunnel-unchanged',
    'tunnel/annotation-matches-uplink',
    {title: 'Tunnel annotation set before the network was made'},
    tunnelChecks,
  );

/** Windows nodes cannot change the interface of their provider network later either. */
export const providerInterface = (target: Installation) =>
  prerequisite(target, 'provider-interface', {
    title: 'The interface of the provider network is an adapter of the node',
    needs: ['cluster', 'netAdapters'],
    run({node, cluster}) {
      const network = cluster
        .custom('kubeovn.io', 'ProviderNetwork')
        .find(({metadata}) => metadata.name === 'provider');
      const spec = property(network, 'spec');
      if (!network || listProperty(spec, 'excludeNodes').includes(node.name))
        return skipped('The node is in no provider network.');
      const own = listProperty(spec, 'customInterfaces').find(entry =>
        listProperty(entry, 'nodes').includes(node.name),
      );
      const name = textProperty(own, 'interface') ?? textProperty(spec, 'defaultInterface');
      if (name === undefined) return unknown('The provider network names no interface.');
      if (node.netAdapters.some(adapter => same(adapter.name, name))) return undefined;
      const nic = node.netAdapters.find(({hardware, status}) => hardware && status === 'Up')?.name ?? 'ADAPTER';
      const custom = [...listProperty(spec, 'customInterfaces'), {interface: nic, nodes: [node.name]}];
      return fail(
        `Provider network provider wants interface ${name}, and ${node.name} has none of that name (${names(node.netAdapters.map(adapter => adapter.name))}).`,
      )
        .because({
          section: 'cluster',
          object: 'ProviderNetwork provider',
          field: own ? 'spec.customInterfaces' : 'spec.defaultInterface',
          seen: name,
          expected: node.netAdapters.map(adapter => adapter.name),
        })
        .fixedBy(
          manual(
            `kubectl patch provider-networks.kubeovn.io provider --type=merge -p ${shellText(JSON.stringify({spec: {customInterfaces: custom}}))}`,
          ),
        );
    },
    explain: {
      meaning:
        'Underlay networking takes the adapter that the provider network names. No adapter of this node has that name, and on Windows it cannot be changed once the node is installed.',
      why: 'Adapters have other names on Windows than on Linux: Ethernet0, not eth0.',
      see: ['kubectl get provider-networks.kubeovn.io provider -o yaml', 'Get-NetAdapter | Select-Object Name, Status'],
      fix: ['Name the adapter of each Windows node in spec.customInterfaces before Kube-OVN is installed there.'],
    },
  });

export function installWithName(name: string, cluster: ClusterModel | undefined): readonly string[] {
  const server = shellText(`https://${(cluster && apiServer(cluster)) ?? 'ADDRESS:6443'}`);
  const services = shellText(serviceRanges(cluster)[0] ?? 'SERVICE-CIDR');
  return [
    `.\\install.ps1 -KubeConfig C:\\k\\admin.conf -ApiServer ${server} -ServiceCIDR ${services} -NodeName ${powerShellText(name)}`,
  ];
}
