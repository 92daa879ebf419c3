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
const hnsModule = 'Import-Module C:\\k\\hns.psm1 (of microsoft/SDN)';

function makeNetwork(name: string, cidr: string | undefined): string {
  const gateway = nthAddress(cidr, 1) ?? 'POD-GATEWAY';
  return `New-HnsNetwork -Type L2Bridge -AddressPrefix ${powerShellText(cidr ?? 'POD-CIDR')} -Gateway ${powerShellText(gateway)} -Name ${powerShellText(name)}`;
}

export const hnsNetwork = (target: Installation) =>
  prerequisite(target, 'network', {
    title: 'An HNS network of type L2Bridge with the pod subnet',
    needs: ['hnsNetworks', 'nodeObject'],
    run({node, object, plugin}) {
      if (plugin.name === 'win-bridge' && /^sdnbridge$/i.test(ownConf(node, 'win-bridge')?.conf.plugins[0]?.type ?? ''))
        return skipped('sdnbridge makes its network itself.');
      const expected = plugin.profile.network;
      const cidr = podCidr(object);
      const network = podNetwork(node, expected);
      const name = expected?.name ?? 'l2bridge';
      if (!network)
        return fail(`There is no HNS network ${name}, and ${plugin.title} does not make it.`)
          .because({section: 'hnsNetworks', object: name, seen: null, expected: 'Type L2Bridge'})
          .fixedBy(manualCutting(hnsModule, makeNetwork(name, cidr)));
      const right = isType(network, ...(expected?.types ?? []));
      if (right && (cidr === undefined || network.subnets.some(({prefix}) => sameCidr(prefix, cidr)))) return undefined;
      return fail(
        right
          ? `HNS network ${name} has ${network.subnets.map(({prefix}) => prefix).join(', ') || 'no subnet'}, but the node has ${cidr}.`
          : `HNS network ${name} is of type ${network.type}, and ${plugin.title} refuses it.`,
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
        'The plugin attaches pods to an HNS network with the name of its configuration, and never makes one. It must be of type L2Bridge, or L2Tunnel on Azure, with the pod subnet of the node.',
      why: 'A script or an administrator makes it, once for each node.',
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
    title: 'An endpoint of the node itself, with .2 of the pod subnet',
    needs: ['netIPAddresses', 'nodeObject'],
    run({node, object, plugin}) {
      const cidr = podCidr(object);
      const address = nthAddress(cidr, 2);
      if (address === undefined) return unknown('The node has no pod subnet to take the address from.');
      if (node.netIPAddresses.some(({ip}) => ip === address)) return undefined;
      const name = plugin.profile.network?.name ?? 'l2bridge';
      return fail(
        `No adapter of the node has ${address}, the gateway of its pods: they can reach neither the node nor Services.`,
      )
        .because({
          section: 'netIPAddresses',
          object: address,
          seen: null,
          expected: 'an adapter vEthernet (cbr0) with it',
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
        'Pods have .2 of their subnet as gateway. That is an endpoint of the node on the same network, attached to the host. It is missing.',
      why: 'start-kubelet.ps1 makes it when it runs; after a reboot, or without the script, nothing does.',
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
    title: 'Forwarding on the adapters of the node and of its endpoint',
    needs: ['netIPInterfaces', 'netIPAddresses', 'nodeObject'],
    run({node, object}) {
      const gateway = nthAddress(podCidr(object), 2);
      const endpoint = node.netIPAddresses.find(({ip}) => ip === gateway);
      const holders = [nodeAddressHolder(node, object), endpoint].flatMap(address => address?.adapter ?? []);
      if (!endpoint) return skipped('The endpoint of the node does not exist yet.');
      return diagnoseForwarding(node.netIPInterfaces, holders);
    },
    explain: {
      meaning:
        'The node passes packets between its own adapter and the endpoint of the pods. Windows only does so on adapters where forwarding is on.',
      why: 'It is off for every new adapter.',
      see: ['Get-NetIPInterface -AddressFamily IPv4 | Select-Object InterfaceAlias, Forwarding'],
      fix: ["Set-NetIPInterface -InterfaceAlias 'vEthernet (cbr0)' -AddressFamily IPv4 -Forwarding Enabled"],
      sources: [startScript],
    },
  });

/** Plugins of Linux nodes whose pods no plain route leads to, unless their mode says otherwise. */
const overlays: readonly string[] = ['Antrea', 'Kube-OVN', 'Calico', 'Flannel', 'OVN-Kubernetes', 'Weave Net', 'Canal'];
const routed: readonly (string | undefined)[] = ['host-gw', 'bgp', 'noEncap'];

export const routedPods = (target: Installation) =>
  clusterPrerequisite(target, 'routed-pods', {
    title: 'Pods of Linux nodes that can be reached by routes',
    advised: true,
    run(fleet) {
      const wrong = pluginsOnLinux(fleet).filter(
        ({title, variant}) => overlays.includes(title) && !routed.includes(variant),
      );
      if (wrong.length === 0) return undefined;
      return fail(
        `The Linux nodes run ${wrong.map(({title, variant}) => (variant ? `${title} (${variant})` : title)).join(', ')}: plain routes from Windows nodes do not lead into an overlay.`,
      )
        .because({
          section: 'cluster',
          object: 'network plugin',
          seen: wrong.map(({title}) => title),
          expected: 'a plugin without an overlay: host-gw, kubenet, or routes of the cloud',
        })
        .fixedBy(
          manual('Use the plugin of the Linux nodes on Windows nodes too; kubectl win preflight says what it needs.'),
        );
    },
    explain: {
      meaning: `${target.title} sends packets for other pods by plain routes, to switches, routers or nodes that know them. The Linux nodes of this cluster have their pods in an overlay, where such packets do not arrive.`,
      why: 'The plugin of Windows nodes must be the same as, or fit, the one of the Linux nodes.',
      see: ['kubectl get daemonsets -A'],
      fix: ['Use the plugin of the Linux nodes on Windows too, or one without an overlay on both.'],
    },
  });
