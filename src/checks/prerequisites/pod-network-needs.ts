import {powerShellText, shellText} from '../../lib/quote.js';
import type {NodeSubject} from '../../model/check.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual, manualCutting} from '../../model/remedies.js';
import {fail, info, skipped, unknown} from '../../model/verdict.js';
import {isHostProcess} from '../../snapshot/cluster.js';
import {same} from '../../snapshot/hns.js';
import {kubeProxyOf} from '../kube-proxy/running-proxy.js';
import {adapterNamed, holderOf, isVirtual, nicOf, nicUnder, nodeAddressHolder} from '../net/adapters.js';
import {selectsOs} from '../platform/pod-state.js';
import {isForLinux, patch} from '../platform/pods.js';
import {clusterPrerequisite, prerequisite, sameAs} from './prerequisite.js';

/** OVS takes over the NIC: no other switch may use it. */
export const freeUplink = (target: Installation) =>
  prerequisite(target, 'uplink', {
    title: 'NIC is not used by another switch',
    needs: ['nodeObject', 'netAdapters', 'netIPAddresses', 'hnsNetworks'],
    run({node, object, plugin}) {
      const {transport, managementAdapter} = plugin.profile;
      const held =
        transport?.map(ip => holderOf(node, ip)).find(address => address !== undefined) ??
        nodeAddressHolder(node, object);
      const adapter = held && adapterNamed(node, held.adapter, held.index);
      if (!held || !adapter) return unknown('The adapter of the node address could not be determined.');
      if (!isVirtual(adapter) || same(adapter.name, managementAdapter ?? '')) return undefined;
      const nic = nicUnder(node, adapter);
      const owners = node.hnsNetworks.filter(network => nic && nicOf(node, network)?.name === nic.name);
      return fail(
        `The address ${held.ip} is on ${adapter.name}, so another switch uses the NIC${nic ? ` ${nic.name}` : ''}${owners.length > 0 ? ` (HNS network ${owners.map(({name}) => name).join(', ')})` : ''}, which ${target.title} requires.`,
      )
        .because({
          section: 'netIPAddresses',
          object: held.ip,
          field: 'InterfaceAlias',
          seen: adapter.name,
          expected: `a NIC, or ${managementAdapter} of ${target.title}`,
        })
        .fixedBy(
          manualCutting(
            ...(owners.length > 0
              ? owners.map(
                  ({name}) => `Get-HnsNetwork | Where-Object Name -eq ${powerShellText(name)} | Remove-HnsNetwork`,
                )
              : [`Get-VMSwitch -SwitchType External | Remove-VMSwitch -Force`]),
          ),
        );
    },
    explain: {
      meaning:
        'The plugin creates its own switch on the NIC with the node address. Another switch already uses that NIC, and a NIC can belong to only one switch.',
      why: 'Docker, another plugin, or an administrator created an external switch on it.',
      see: [
        'Get-NetIPAddress -AddressFamily IPv4 | Select-Object IPAddress, InterfaceAlias',
        'Get-HnsNetwork | Select-Object Name, Type, NetworkAdapterName',
        'Get-VMSwitch | Select-Object Name, SwitchType, NetAdapterInterfaceDescription',
      ],
      fix: [
        'With console access, remove the network or the switch that uses the NIC; the address moves back to the NIC.',
      ],
      sources: ['https://github.com/antrea-io/antrea/blob/main/pkg/agent/agent_windows.go'],
    },
  });

export const noKubeProxy = (target: Installation) => {
  const original = sameAs(target, 'no-kube-proxy', 'kube-proxy/expected', {
    title: 'kube-proxy does not run on the node',
    remedy: stopKubeProxy,
  });
  return {
    ...original,
    appliesTo: () => true,
    run(subject) {
      const {plugin} = subject;
      if (plugin.profile.kubeProxy === 'unwanted') return original.run(subject);
      // An agent that does not handle Services needs kube-proxy; before the installation that is unknown.
      if (plugin.evidence.length > 0) return skipped(`${plugin.title} uses kube-proxy for Services on this node.`);
      return original.run({...subject, plugin: {...plugin, profile: {...plugin.profile, kubeProxy: 'unwanted'}}});
    },
  } satisfies typeof original;
};

/** Depends on what runs it: a DaemonSet for Windows is deleted, one for all nodes is limited to Linux. */
function stopKubeProxy(subject: NodeSubject) {
  const {service, pod} = kubeProxyOf(subject);
  const owner = pod?.metadata.ownerReferences.find(({kind}) => kind === 'DaemonSet')?.name;
  const set = subject.cluster?.all('DaemonSet').find(({metadata}) => metadata.name === owner);
  const namespace = shellText(set?.metadata.namespace ?? 'kube-system');
  return manual(
    ...(service
      ? [
          `Stop-Service ${powerShellText(service.name)}; Set-Service ${powerShellText(service.name)} -StartupType Disabled`,
        ]
      : []),
    ...(set
      ? [
          /win/i.test(set.metadata.name)
            ? `kubectl -n ${namespace} delete daemonset ${shellText(set.metadata.name)}`
            : patch(set, '{"kubernetes.io/os":"linux"}'),
        ]
      : []),
    ...(service || set ? [] : ['Stop-Process -Name kube-proxy']),
    'Get-HnsPolicyList | Remove-HnsPolicyList',
  );
}

export const withKubeProxy = (target: Installation) =>
  sameAs(target, 'kube-proxy', 'kube-proxy/expected', {title: 'kube-proxy runs on the node', advised: true});

/** A limitation of L2Bridge networks and of networks without an overlay that no setting changes. */
export const nodeServices = (target: Installation) =>
  prerequisite(target, 'node-services', {
    title: 'No program on the node itself needs a Service',
    advised: true,
    needs: [],
    run: () =>
      info(
        'Pods can reach Services, but the node itself and HostProcess pods cannot: use pod addresses or the API server address there instead of a ClusterIP.',
      ),
    explain: {
      meaning:
        'On networks of type L2Bridge (host-gw, win-bridge, wincni, Azure CNI) HNS applies load balancers only to pods. The Windows node itself cannot reach the ClusterIP of a Service. Networks over OVS do not have this limit.',
      why: 'This is a limitation of HNS, not a setting.',
      see: ['Test-NetConnection -ComputerName CLUSTER-IP -Port 443 (fails on the node, works in a pod)'],
      fix: [
        'Configure programs on the node, including agents, with the API server address instead of the kubernetes Service.',
      ],
      sources: ['https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations'],
    },
  });

export const imagesFit = (target: Installation) =>
  sameAs(target, 'images', 'platform/image-os-build', {title: 'Images match the Windows build', advised: true});

/** `own` matches the plugin's Linux DaemonSets; others are only a warning. */
export const linuxSelectors = (target: Installation, own: RegExp) =>
  clusterPrerequisite(target, 'linux-selectors', {
    title: 'Linux DaemonSets select Linux nodes',
    run({cluster, known}) {
      return cluster
        .all('DaemonSet')
        .filter(
          set => isForLinux(set, known) && !selectsOs(set.spec.template.spec) && !isHostProcess(set.spec.template.spec),
        )
        .map(set => {
          const name = `${set.metadata.namespace}/${set.metadata.name}`;
          const verdict = fail(
            `DaemonSet ${name} is for Linux, but does not select an operating system: its pods on Windows nodes cannot start.`,
          )
            .because({
              section: 'cluster',
              object: `DaemonSet ${name}`,
              field: 'nodeSelector',
              seen: set.spec.template.spec.nodeSelector,
              expected: {'kubernetes.io/os': 'linux'},
            })
            .fixedBy(manual(patch(set, '{"kubernetes.io/os":"linux"}')));
          return own.test(set.metadata.name) ? verdict : verdict.as('warning');
        });
    },
    explain: {
      meaning:
        'A DaemonSet with Linux images does not select an operating system. Its pods are also scheduled to Windows nodes, where they cannot start.',
      why: 'The manifest was written for a cluster without Windows nodes.',
      see: [
        'kubectl get daemonsets -A -o custom-columns=NAME:.metadata.name,SELECTOR:.spec.template.spec.nodeSelector',
      ],
      fix: [
        `kubectl -n NAMESPACE patch daemonset NAME -p '{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}'`,
      ],
    },
  });

/** Descriptions of the NICs of virtual machines. */
const hyperVNic = /Microsoft Hyper-V Network Adapter/i;
const virtualNic = /vmxnet|Red Hat VirtIO|Intel\(R\) (PRO\/1000 MT|82574L)/i;

export const macSpoofing = (target: Installation) =>
  prerequisite(target, 'mac-spoofing', {
    title: 'Hypervisor allows other MAC addresses',
    advised: true,
    needs: ['netAdapters', 'nodeObject'],
    run({node, object}) {
      const held = nodeAddressHolder(node, object);
      const nic = nicUnder(node, held && adapterNamed(node, held.adapter, held.index));
      if (nic?.description === undefined) return unknown('The NIC of the node address could not be determined.');
      if (hyperVNic.test(nic.description))
        return unknown('The node is a Hyper-V virtual machine; its settings cannot be read from inside.').fixedBy(
          manual(
            `On its host: Set-VMNetworkAdapter -VMName ${powerShellText(node.os?.hostName ?? node.name)} -MacAddressSpoofing On`,
          ),
        );
      if (virtualNic.test(nic.description))
        return unknown('The node is a virtual machine; its settings cannot be read from inside.').fixedBy(
          manual(
            'In the hypervisor, allow forged transmits and MAC address changes on the port group of this machine.',
          ),
        );
      return undefined;
    },
    explain: {
      meaning:
        'Pods send frames with their own MAC addresses. A hypervisor drops these frames unless it is configured to allow them. The setting cannot be read from inside the virtual machine.',
      why: 'By default, hypervisors only allow the assigned MAC address.',
      see: ['On the host: Get-VMNetworkAdapter -VMName NAME | Select-Object MacAddressSpoofing'],
      fix: [
        'Hyper-V: Set-VMNetworkAdapter -VMName NAME -MacAddressSpoofing On',
        'vSphere: allow forged transmits and MAC address changes on the port group.',
      ],
      sources: ['https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/'],
    },
  });
