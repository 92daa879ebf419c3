import {serviceRanges} from '../../../checks/cluster-network.js';
import {apiServer} from '../../../checks/cni/api-server-override.js';
import {daemonVerdicts, ovsServicesWords} from '../../../checks/prerequisites/ovs-needs.js';
import {prerequisite, sameAs} from '../../../checks/prerequisites/prerequisite.js';
import {drain} from '../../../checks/prerequisites/windows.js';
import {names} from '../../../lib/names.js';
import {powerShellText} from '../../../lib/quote.js';
import type {NodeSubject} from '../../../model/check.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, skipped, unknown} from '../../../model/verdict.js';
import type {ClusterModel} from '../../../snapshot/cluster.js';
import {same} from '../../../snapshot/hns.js';
import {patchProvider, providerInterfaceOf} from '../provider.js';
import {build, architecture as processor} from '../system.js';
import {tunnelChecks} from '../tunnel-checks.js';

export const windows2019 = (target: Installation) =>
  prerequisite(target, 'windows-version', {
    title: 'Windows Server 2019',
    needs: [],
    run: subject =>
      build(subject)?.fixedBy(
        manual(drain(subject.node.name), 'Replace it with a node that runs Windows Server 2019.'),
      ),
    explain: {
      meaning: 'Kube-OVN supports only Windows Server 2019.',
      why: 'The node was set up with another Windows Server version.',
      see: ['[Environment]::OSVersion.Version', 'kubectl get nodes -L node.kubernetes.io/windows-build'],
      fix: ['Use nodes with Windows Server 2019, or choose a plugin that supports later versions.'],
    },
  });

export const supportedArchitecture = (target: Installation) =>
  prerequisite(target, 'architecture', {
    title: 'Processor is x86_64',
    needs: ['nodeObject'],
    run: subject =>
      processor(subject)?.fixedBy(
        manual(drain(subject.node.name), 'Replace it with a machine that has an x86_64 processor.'),
      ),
    explain: {
      meaning: 'The Windows binaries of Kube-OVN, OVN and OVS are built only for x86_64.',
      why: 'The machine has an Arm processor.',
      see: ['kubectl get nodes -L kubernetes.io/arch'],
      fix: ['Use machines with x86_64 processors.'],
    },
  });

const installOvs = [
  'msiexec.exe /i OpenvSwitch.msi (from the Windows package of Kube-OVN)',
  'Get-Service ovsdb-server, ovs-vswitchd',
];

export const ovsServices = (target: Installation) =>
  prerequisite(target, 'ovs-services', {
    title: 'OVS services ovsdb-server and ovs-vswitchd are running',
    needs: ['services'],
    run: ({node}) => daemonVerdicts(node, installOvs),
    explain: {
      ...ovsServicesWords,
      fix: [
        'First enable test signing and reboot.',
        ...installOvs,
        'Start-Service ovsdb-server; Start-Service ovs-vswitchd',
      ],
    },
  });

export const ovsDriver = (target: Installation) =>
  sameAs(target, 'ovs-driver', 'ovs/driver', {title: 'OVS driver installed once', remedy: () => manual(...installOvs)});

export const tunnelAnnotationFits = (target: Installation) =>
  sameAs(
    target,
    'tunnel-annotation',
    'tunnel/annotation-resolves',
    {title: 'Tunnel annotation is not set, or names one adapter'},
    tunnelChecks,
  );

export const tunnelUnchanged = (target: Installation) =>
  sameAs(
    target,
    'tunnel-unchanged',
    'tunnel/annotation-matches-uplink',
    {title: 'Tunnel annotation matches the adapter of the existing network'},
    tunnelChecks,
  );

/** The interface of the provider network cannot be changed later on Windows nodes either. */
export const providerInterface = (target: Installation) =>
  prerequisite(target, 'provider-interface', {
    title: 'Interface of the provider network exists on the node',
    needs: ['cluster', 'netAdapters'],
    run({node, cluster}) {
      const wanted = providerInterfaceOf(cluster, node.name);
      if (!wanted) return skipped('The node is not in a provider network.');
      const {name} = wanted;
      if (name === undefined) return unknown('The provider network has no interface.');
      if (node.netAdapters.some(adapter => same(adapter.name, name))) return undefined;
      const nic = node.netAdapters.find(({hardware, status}) => hardware && status === 'Up')?.name ?? 'ADAPTER';
      return fail(
        `The interface of provider network provider is ${name}, but ${node.name} has no adapter with that name (${names(node.netAdapters.map(adapter => adapter.name))}).`,
      )
        .because({
          section: 'cluster',
          object: 'ProviderNetwork provider',
          field: wanted.field,
          seen: name,
          expected: node.netAdapters.map(adapter => adapter.name),
        })
        .fixedBy(manual(patchProvider(wanted, node.name, nic)));
    },
    explain: {
      meaning:
        'Underlay networking uses the adapter that is set in the provider network. No adapter of this node has that name. On Windows, the adapter cannot be changed once Kube-OVN is installed on the node.',
      why: 'Adapter names on Windows differ from those on Linux: Ethernet0, not eth0.',
      see: ['kubectl get provider-networks.kubeovn.io provider -o yaml', 'Get-NetAdapter | Select-Object Name, Status'],
      fix: ['Set the adapter of each Windows node in spec.customInterfaces before you install Kube-OVN on the node.'],
    },
  });

export function installWithName(name: string, cluster: ClusterModel | undefined): readonly string[] {
  return [`${installCommand(cluster)} -NodeName ${powerShellText(name)}`];
}

/**
 * The installer command, filled in with the known values of the cluster. By default, the installer uses the host name
 * in lower case as the node name.
 */
function installCommand(cluster: ClusterModel | undefined): string {
  const server = powerShellText(`https://${(cluster && apiServer(cluster)) ?? 'ADDRESS:6443'}`);
  const services = powerShellText(serviceRanges(cluster)[0] ?? 'SERVICE-CIDR');
  return `.\\install.ps1 -KubeConfig C:\\k\\admin.conf -ApiServer ${server} -ServiceCIDR ${services}`;
}

/** The last step of the guide for one node. */
export function installSteps({node, cluster, plugin}: NodeSubject): readonly string[] {
  const host = node.os?.hostName;
  const named = host === undefined || host.toLowerCase() === node.name.toLowerCase();
  const {protocol} = plugin.profile.tunnel ?? {};
  const tunnel = protocol === undefined || protocol === 'geneve' ? '' : ` -TunnelType ${protocol}`;
  const [install = ''] = named ? [installCommand(cluster)] : installWithName(node.name, cluster);
  return [`${install}${tunnel}`];
}
