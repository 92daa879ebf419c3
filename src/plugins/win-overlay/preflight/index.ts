import {podNetwork} from '../../../checks/pod-network.js';
import {linuxNodes, serverVersionAtLeast} from '../../../checks/prerequisites/kubernetes.js';
import {apiServerReachable, ipv4Address, joined, podSubnet} from '../../../checks/prerequisites/node-identity.js';
import {openPorts} from '../../../checks/prerequisites/open-ports.js';
import {firstConf, noOtherPlugin} from '../../../checks/prerequisites/other-plugins.js';
import {imagesFit, withKubeProxy} from '../../../checks/prerequisites/pod-network-needs.js';
import {prerequisite, sameAs} from '../../../checks/prerequisites/prerequisite.js';
import {anyRuntime} from '../../../checks/prerequisites/runtime.js';
import {
  containersFeature,
  overlayUpdate,
  windowsServer,
  windowsVersion,
} from '../../../checks/prerequisites/windows.js';
import {powerShellText} from '../../../lib/quote.js';
import type {Check} from '../../../model/check.js';
import type {Installation, Preflight} from '../../../model/plugin-preflight.js';
import {manual, manualCutting} from '../../../model/remedies.js';
import {fail, skipped} from '../../../model/verdict.js';
import {nthAddress, sameCidr} from '../../../snapshot/addresses.js';
import {podCidr} from '../../../snapshot/cluster.js';
import {cniConfs, confType} from '../../../snapshot/cni-conf.js';
import {isType} from '../../../snapshot/hns.js';
import {nameOf, runtimeFolders} from '../../../snapshot/paths.js';

const guide = 'https://www.cni.dev/plugins/current/main/win-overlay/';
const ownType = /^(win-overlay|sdnoverlay)(\.exe)?$/i;
const release =
  'https://github.com/containernetworking/plugins/releases/download/v1.5.1/cni-plugins-windows-amd64-v1.5.1.tgz';

export const winOverlayPreflight: Preflight = {
  guide,
  modes: [],
  modeIn: () => undefined,
  variantOf: () => undefined,
  prerequisites,
  install: () => [],
};

function prerequisites(target: Installation): readonly Check[] {
  return [
    serverVersionAtLeast(target, '1.14'),
    linuxNodes(target),
    windowsServer(target),
    windowsVersion(target),
    overlayUpdate(target),
    containersFeature(target),
    anyRuntime(target),
    imagesFit(target),
    joined(target),
    apiServerReachable(target),
    podSubnet(target),
    ipv4Address(target),
    configuration(target),
    outboundNat(target),
    program(target),
    firstConf(target, '10-overlay.conf'),
    network(target),
    openPorts(target),
    // Both use win-overlay to attach their pods.
    noOtherPlugin(target, {besides: ['flannel', 'ovn-kubernetes']}),
    withKubeProxy(target),
  ];
}

const configuration = (target: Installation) =>
  prerequisite(target, 'conf', {
    title: 'CNI configuration of type win-overlay',
    needs: ['files'],
    run({node}) {
      const own = cniConfs(node).find(conf => ownType.test(confType(conf) ?? ''));
      if (own?.name !== undefined) return undefined;
      const path = own?.path ?? `${runtimeFolders(node).conf ?? 'C:\\etc\\cni\\net.d'}\\10-overlay.conf`;
      return fail(
        own
          ? `${path} has no name; it must be the name of the HNS network.`
          : 'The node has no CNI configuration of type win-overlay.',
      )
        .because({section: 'files', object: path, field: own ? 'name' : 'type', seen: null, expected: 'win-overlay'})
        .fixedBy(
          manual(`Write ${path} with type win-overlay, the name of the HNS network, and ipam host-local: see ${guide}`),
        );
    },
    explain: {
      meaning:
        'The container runtime starts win-overlay for each pod if a file in its CNI folder configures it. No such file exists.',
      why: 'No agent writes it: it is written manually, or by Flannel and OVN-Kubernetes for their own networks.',
      see: ['Get-ChildItem C:\\etc\\cni\\net.d, C:\\k\\cni\\config -ErrorAction Ignore'],
      fix: [
        'Write the file with the name of the HNS network, the pod subnet of the node, OutBoundNAT exceptions, and ROUTE policies.',
      ],
    },
  });

const outboundNat = (target: Installation) =>
  sameAs(target, 'outbound-nat', 'cni/outbound-nat-exceptions', {
    title: 'CNI configuration has OutBoundNAT exceptions and ROUTE policies',
  });

const program = (target: Installation) =>
  prerequisite(target, 'program', {
    title: 'win-overlay.exe is in the CNI folder of the runtime',
    needs: ['files'],
    run({node}) {
      const [folder = 'C:\\opt\\cni\\bin'] = runtimeFolders(node).bin;
      const type =
        cniConfs(node)
          .flatMap(conf => confType(conf) ?? [])
          .find(each => ownType.test(each)) ?? 'win-overlay';
      const file = `${type.replace(/\.exe$/i, '')}.exe`.toLowerCase();
      if (node.files.some(({path, exists}) => exists && nameOf(path) === file)) return undefined;
      return fail(`${file} is not in ${folder}: no pod can be connected.`)
        .because({section: 'files', object: folder, seen: null, expected: file})
        .fixedBy(manual(`curl.exe -LO ${release}; tar.exe -xzf ${nameOf(release)} -C ${powerShellText(folder)}`));
    },
    explain: {
      meaning: 'The container runtime runs the program named in the CNI configuration. It is missing.',
      why: 'It was not copied, or bin_dir in config.toml is another folder.',
      see: ['Get-ChildItem C:\\opt\\cni\\bin -ErrorAction Ignore'],
      fix: [`curl.exe -LO ${release}`, 'Extract it to the folder that is bin_dir in config.toml.'],
    },
  });

const network = (target: Installation) =>
  prerequisite(target, 'network', {
    title: 'HNS network of type Overlay has the pod subnet',
    needs: ['hnsNetworks', 'nodeObject'],
    run({node, object, plugin}) {
      if (cniConfs(node).some(conf => /^sdnoverlay/i.test(confType(conf) ?? '')))
        return skipped('sdnoverlay creates its network itself.');
      const cidr = podCidr(object);
      const name = plugin.profile.network?.name ?? 'vxlan0';
      const found = podNetwork(node, plugin.profile.network);
      const fits = found && isType(found, 'Overlay');
      if (fits && (cidr === undefined || found.subnets.some(({prefix}) => sameCidr(prefix, cidr)))) return undefined;
      return fail(
        found
          ? `HNS network ${found.name} has type ${found.type} with ${found.subnets.map(({prefix}) => prefix).join(', ') || 'no subnet'}; win-overlay requires type Overlay with ${cidr ?? 'the pod subnet'}.`
          : `HNS network ${name} does not exist, and win-overlay does not create it.`,
      )
        .because({
          section: 'hnsNetworks',
          object: name,
          seen: found?.type ?? null,
          expected: `Overlay, ${cidr ?? 'POD-CIDR'}`,
        })
        .fixedBy(
          manualCutting(
            'Import-Module C:\\k\\hns.psm1 (from microsoft/SDN)',
            `New-HnsNetwork -Type Overlay -AddressPrefix ${powerShellText(cidr ?? 'POD-CIDR')} -Gateway ${powerShellText(nthAddress(cidr, 1) ?? 'POD-GATEWAY')} -SubnetPolicies @(@{Type='VSID'; VSID=4096}) -Name ${powerShellText(name)}`,
          ),
        );
    },
    explain: {
      meaning:
        'win-overlay attaches pods to the HNS network with the name of its configuration, and never creates one. The network must have type Overlay, VNI 4096 or higher, and the pod subnet of the node.',
      why: 'A script or an administrator must create it once per node.',
      see: ['Get-HnsNetwork | Select-Object Name, Type, Subnets'],
      fix: [
        'Create it with hns.psm1 from microsoft/SDN. The node address moves to a virtual adapter: make sure that you have console access.',
      ],
    },
  });
