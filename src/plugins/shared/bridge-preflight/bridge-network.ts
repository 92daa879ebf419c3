import {nodeAddressHolder} from '../../../checks/net/adapters.js';
import {diagnoseForwarding} from '../../../checks/net/forwarding.js';
import {pluginsOnLinux} from '../../../checks/plugins-on-linux.js';
import {podNetwork} from '../../../checks/pod-network.js';
import {clusterPrerequisite, prerequisite} from '../../../checks/prerequisites/prerequisite.js';
import {powerShellText} from '../../../lib/quote.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual, manualCutting} from '../../../model/remedies.js';
import {fail, skipped, unknown} from '../../../model/verdict.js';
import {nthAddress, sameCidr} from '../../../snapshot/addresses.js';
import {podCidr} from '../../../snapshot/cluster.js';
import {isType} from '../../../snapshot/hns.js';
import {ownConf} from './bridge-conf.js';

const startScript = 'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/start-kubelet.ps1';
const hnsModule = 'Import-Module C:\\k\\hns.psm1 (from microsoft/SDN)';

function makeNetwork(name: string, cidr: string | undefined): string {
  const gateway = nthAddress(cidr, 1) ?? 'POD-GATEWAY';
  return `New-HnsNetwork -Type L2Bridge -AddressPrefix ${powerShellText(cidr ?? 'POD-CIDR')} -Gateway ${powerShellText(gateway)} -Name ${powerShellText(name)}`;
}

export const hnsNetwork = (target: Installation) =>
  prerequisite(target, 'network', {
    title: 'HNS network of type L2Bridge has the pod subnet',
    needs: ['hnsNetworks', 'nodeObject'],
    run({node, object, plugin}) {
      if (plugin.name === 'win-bridge' && /^sdnbridge$/i.test(ownConf(node, 'win-bridge')?.conf.plugins[0]?.type ?? ''))
        return skipped('sdnbridge creates its network itself.');
      const expected = plugin.profile.network;
      const cidr = podCidr(object);
      const network = podNetwork(node, expected);
      const name = expected?.name ?? 'l2bridge';
      if (!network)
        return fail(`HNS network ${name} does not exist, and ${plugin.title} does not create it.`)
          .because({section: 'hnsNetworks', object: name, seen: null, expected: 'Type L2Bridge'})
          .fixedBy(manualCutting(hnsModule, makeNetwork(name, cidr)));
      const right = isType(network, ...(expected?.types ?? []));
      if (right && (cidr === undefined || network.subnets.some(({prefix}) => sameCidr(prefix, cidr)))) return undefined;
      return fail(
        right
          ? `HNS network ${name} has ${network.subnets.map(({prefix}) => prefix).join(', ') || 'no subnet'}, but the node has ${cidr}.`
          : `HNS network ${name} has type ${network.type}, which ${plugin.title} rejects.`,
      )
        .because({
          section: 'hnsNetworks',
          object: name,
          field: right ? 'Subnets' : 'Type',
          seen: right ? network.subnets.map(({prefix}) => prefix) : network.type,
          expected: right ? cidr : expected?.types,
        })
        .fixedBy(
          manualCutting(
            hnsModule,
            `Get-HnsNetwork | Where-Object Name -eq ${powerShellText(network.name)} | Remove-HnsNetwork`,
            makeNetwork(name, cidr),
          ),
        );
    },
    explain: {
      meaning:
        'The plugin attaches pods to the HNS network with the name of its configuration, and never creates one. The network must have type L2Bridge (or L2Tunnel on Azure) and the pod subnet of the node.',
      why: 'A script or an administrator must create it once per node.',
      see: ['Get-HnsNetwork | Select-Object Name, Type, Subnets'],
      fix: [
        hnsModule,
        makeNetwork('l2bridge', undefined),
        'The node address moves to a virtual adapter: make sure that you have console access.',
      ],
      sources: [startScript, 'https://www.cni.dev/plugins/current/main/win-bridge/'],
    },
  });

export const hostEndpoint = (target: Installation) =>
  prerequisite(target, 'host-endpoint', {
    title: 'Node has an endpoint with address .2 of the pod subnet',
    needs: ['netIPAddresses', 'nodeObject'],
    run({node, object, plugin}) {
      const cidr = podCidr(object);
      const address = nthAddress(cidr, 2);
      if (address === undefined) return unknown('The node has no pod subnet, so the address is unknown.');
      if (node.netIPAddresses.some(({ip}) => ip === address)) return undefined;
      const name = plugin.profile.network?.name ?? 'l2bridge';
      return fail(
        `No adapter of the node has ${address}, the gateway of its pods: they can reach neither the node nor Services.`,
      )
        .because({
          section: 'netIPAddresses',
          object: address,
          seen: null,
          expected: 'adapter vEthernet (cbr0) with this address',
        })
        .fixedBy(
          manual(
            hnsModule,
            `$endpoint = New-HnsEndpoint -NetworkId (Get-HnsNetwork | Where-Object Name -eq ${powerShellText(name)}).Id -Name cbr0 -IPAddress ${address} -Gateway 0.0.0.0`,
            'Attach-HnsHostEndpoint -EndpointID $endpoint.Id -CompartmentID 1',
            'netsh int ipv4 set int "vEthernet (cbr0)" for=en',
          ),
        );
    },
    explain: {
      meaning:
        'The gateway of pods is address .2 of their subnet. It belongs to an endpoint of the node on the same network, attached to the host. This endpoint is missing.',
      why: 'start-kubelet.ps1 creates it. After a reboot, or without the script, nothing creates it.',
      see: ['Get-HnsEndpoint | Select-Object Name, IPAddress, State', 'Get-NetIPAddress -AddressFamily IPv4'],
      fix: [
        hnsModule,
        '$endpoint = New-HnsEndpoint -NetworkId ID -Name cbr0 -IPAddress POD-SUBNET.2 -Gateway 0.0.0.0',
        'Attach-HnsHostEndpoint -EndpointID $endpoint.Id -CompartmentID 1',
      ],
      sources: [startScript],
    },
  });

export const forwarding = (target: Installation) =>
  prerequisite(target, 'forwarding', {
    title: 'Forwarding is enabled on the adapters of the node and of its endpoint',
    needs: ['netIPInterfaces', 'netIPAddresses', 'nodeObject'],
    run({node, object}) {
      const gateway = nthAddress(podCidr(object), 2);
      const endpoint = node.netIPAddresses.find(({ip}) => ip === gateway);
      const holders = [nodeAddressHolder(node, object), endpoint].flatMap(address => address?.adapter ?? []);
      if (!endpoint) return skipped('The endpoint of the node does not exist.');
      return diagnoseForwarding(node.netIPInterfaces, holders);
    },
    explain: {
      meaning:
        'The node forwards packets between its own adapter and the gateway endpoint of the pods. Windows forwards packets only on adapters with forwarding enabled.',
      why: 'Forwarding is disabled by default on new adapters.',
      see: ['Get-NetIPInterface -AddressFamily IPv4 | Select-Object InterfaceAlias, Forwarding'],
      fix: ["Set-NetIPInterface -InterfaceAlias 'vEthernet (cbr0)' -AddressFamily IPv4 -Forwarding Enabled"],
      sources: [startScript],
    },
  });

/** Plugins whose pods on Linux nodes are not reachable by plain routes, except in the modes below. */
const overlays: readonly string[] = ['Antrea', 'Kube-OVN', 'Calico', 'Flannel', 'OVN-Kubernetes', 'Weave Net', 'Canal'];
const routed: readonly (string | undefined)[] = ['host-gw', 'bgp', 'noEncap'];

export const routedPods = (target: Installation) =>
  clusterPrerequisite(target, 'routed-pods', {
    title: 'Pods on Linux nodes are reachable by routes',
    advised: true,
    run(fleet) {
      const wrong = pluginsOnLinux(fleet).filter(
        ({title, variant}) => overlays.includes(title) && !routed.includes(variant),
      );
      if (wrong.length === 0) return undefined;
      return fail(
        `The Linux nodes run ${wrong.map(({title, variant}) => (variant ? `${title} (${variant})` : title)).join(', ')}: its overlay is not reachable by plain routes from Windows nodes.`,
      )
        .because({
          section: 'cluster',
          object: 'network plugin',
          seen: wrong.map(({title}) => title),
          expected: 'a plugin without an overlay: host-gw, kubenet, or cloud routes',
        })
        .fixedBy(
          manual(
            'Use the plugin of the Linux nodes on Windows nodes too; kubectl win preflight shows its prerequisites.',
          ),
        );
    },
    explain: {
      meaning: `${target.title} reaches other pods by plain routes over switches, routers and nodes. The pods on the Linux nodes of this cluster are in an overlay, which such packets do not reach.`,
      why: 'The plugins of Windows and Linux nodes must be the same or compatible.',
      see: ['kubectl get daemonsets -A'],
      fix: ['Use the plugin of the Linux nodes on Windows too, or a plugin without an overlay on both.'],
    },
  });
