import {podRanges, serviceRanges} from '../../../checks/cluster-network.js';
import {adapterNamed, nodeAddressHolder} from '../../../checks/net/adapters.js';
import {prerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {powerShellText, shellText} from '../../../lib/quote.js';
import type {NodeSubject} from '../../../model/check.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, pass, unknown} from '../../../model/verdict.js';
import {internalIp} from '../../../snapshot/cluster.js';
import type {NodeModel} from '../../../snapshot/node.js';

/** The adapter for flanneld; the guide's script requires its name. */
export const networkInterface = (target: Installation) =>
  prerequisite(target, 'interface', {
    title: 'An adapter has the node address and is up',
    needs: ['nodeObject', 'netIPAddresses', 'netAdapters'],
    run({node, object, cluster}) {
      const held = nodeAddressHolder(node, object);
      const adapter = held && adapterNamed(node, held.adapter, held.index);
      if (!held)
        return fail(
          `No adapter has the address ${internalIp(object) ?? 'of the node'}: flanneld finds no interface to use.`,
        )
          .because({
            section: 'netIPAddresses',
            object: `Node ${node.name}`,
            field: 'InternalIP',
            seen: node.netIPAddresses.map(({ip}) => ip),
            expected: internalIp(object),
          })
          .fixedBy(
            manual(
              'Get-NetIPAddress -AddressFamily IPv4 | Select-Object IPAddress, InterfaceAlias',
              'Append --node-ip=ADDRESS to KUBELET_KUBEADM_ARGS in C:\\var\\lib\\kubelet\\kubeadm-flags.env, then Restart-Service kubelet',
            ),
          );
      if (!adapter) return unknown(`Adapter ${held.adapter} was not found among the adapters that were read.`);
      if (adapter.status !== undefined && adapter.status !== 'Up')
        return fail(`Adapter ${adapter.name}, which has the node address, is ${adapter.status}.`)
          .because({
            section: 'netAdapters',
            object: adapter.name,
            field: 'Status',
            seen: adapter.status,
            expected: 'Up',
          })
          .fixedBy(manual(`Enable-NetAdapter -Name ${powerShellText(adapter.name)}`));
      return pass(`Setup command: ${setupSteps({node, object, cluster})[0]}`);
    },
    explain: {
      meaning: 'flanneld creates its network on the adapter with the node address. The adapter is missing or down.',
      why: 'The node address changed, or kubelet reports an address that no adapter has.',
      see: [
        'Get-NetIPAddress -AddressFamily IPv4 | Select-Object IPAddress, InterfaceAlias',
        'kubectl get nodes -o wide',
      ],
      fix: [
        'Restore the address of the node, or set the correct address of kubelet with --node-ip.',
        'Pass the adapter to the script: -InterfaceName NAME (default Ethernet0)',
      ],
      sources: ['https://github.com/kubernetes-sigs/sig-windows-tools/issues/40'],
    },
  });

/** The command for the guide's script (Flannel as a service), filled in with the known values of cluster and node. */
export function setupSteps({
  node,
  object,
  cluster,
}: Pick<NodeSubject, 'node' | 'object' | 'cluster'>): readonly string[] {
  const adapter = nodeAddressHolder(node, object)?.adapter;
  const nic = /^vEthernet \((.+)\)$/.exec(adapter ?? '')?.[1] ?? adapter ?? 'ADAPTER';
  const [pods = 'CLUSTER-CIDR'] = podRanges(cluster);
  const [services = 'SERVICE-CIDR'] = serviceRanges(cluster);
  const release = (cluster?.version ?? 'VERSION').replace(/^v/, '');
  return [
    `.\\setup_windowsnode.ps1 -BaseDir C:\\k -ClusterCIDR ${shellText(pods)} -ServiceCIDR ${shellText(services)} -InterfaceName ${powerShellText(nic)} -Release ${release}`,
  ];
}

const prepareFolder = ['mkdir C:\\k', 'Copy-Item admin.conf C:\\k\\kubeconfig'] as const;

export const baseFolder = (target: Installation) =>
  prerequisite(target, 'base-dir', {
    title: 'Folder C:\\k has a kubeconfig for the setup script',
    advised: true,
    needs: ['files'],
    run({node}) {
      if (mentions(node, /^c:\\k\\/i)) return undefined;
      return unknown('No file in C:\\k was found. kubectl win never reads kubeconfig files.').fixedBy(
        manual(...prepareFolder),
      );
    },
    explain: {
      meaning:
        'setup_windowsnode.ps1 installs into C:\\k and requires a kubeconfig there. The folder is empty or was not read. Flannel as a DaemonSet does not need it.',
      why: 'The folder must be created manually before the script runs.',
      see: ['Get-ChildItem C:\\k'],
      fix: [...prepareFolder],
    },
  });

function mentions({files, services, logs}: NodeModel, folder: RegExp): boolean {
  return (
    (files?.some(({path, exists}) => exists && folder.test(path)) ?? false) ||
    (logs?.some(({path}) => folder.test(path)) ?? false) ||
    (services?.some(({path}) => folder.test((path ?? '').replace(/^"/, ''))) ?? false)
  );
}
