import {readdirSync, readFileSync} from 'node:fs';
import type {Raw} from '../checks/support.js';

// Healthy clusters, one for each plugin, version and installation method. The files were written by `collect`; the others
// describe the differences from one of them, according to the documents and scripts of the projects.

const folder = new URL('../fixtures/references/', import.meta.url);

class Reference {
  text: string;

  constructor(file: string) {
    this.text = readFileSync(new URL(`${file}.json`, folder), 'utf8');
  }

  /** Replaces a name or version everywhere. */
  with(before: string, after: string): this {
    if (!this.text.includes(before)) throw new Error(`the reference has no ${before}`);
    this.text = this.text.replaceAll(before, after);
    return this;
  }

  change(change: (document: Raw) => void): this {
    const document = JSON.parse(this.text);
    change(document);
    this.text = JSON.stringify(document);
    return this;
  }

  /** Changes every Windows node: its sections and its object. */
  nodes(change: (sections: Raw, object: Raw) => void): this {
    return this.change(({nodes, cluster}) => {
      for (const [name, {sections}] of Object.entries<Raw>(nodes)) {
        const object = cluster.objects.find(({kind, metadata}: Raw) => kind === 'Node' && metadata.name === name);
        change(sections, object);
      }
    });
  }

  without(...kindsAndNames: (readonly [kind: string, name: RegExp])[]): this {
    return this.change(({cluster}) => {
      for (const [kind, name] of kindsAndNames) {
        const kept = cluster.objects.filter((object: Raw) => object.kind !== kind || !name.test(object.metadata.name));
        if (kept.length === cluster.objects.length) throw new Error(`the reference has no ${kind} ${name}`);
        cluster.objects = kept;
      }
    });
  }

  /** A program that nssm runs as a service, as install scripts set it up. */
  service(name: string, program: string): this {
    return this.nodes(({services, processes}) => {
      const kubelet = services.find(({Name}: Raw) => Name === 'kubelet');
      services.push({...kubelet, Name: name, DisplayName: name, ProcessId: 7000 + services.length, DependsOn: []});
      if (!processes.some(({Name}: Raw) => Name === `${program}.exe`))
        processes.push({
          ...processes.find(({Name}: Raw) => Name === 'kubelet.exe'),
          Name: `${program}.exe`,
          ProcessId: 8000 + processes.length,
        });
    });
  }
}

const read = (file: string) => new Reference(file);

const files = readdirSync(folder)
  .filter(file => file.endsWith('.json'))
  .map(file => file.replace(/\.json$/, ''));

/** The Antrea agent as a Windows service: no DaemonSet for Windows (docs/windows.md). */
const antreaService = (file: string) =>
  read(file)
    .without(['DaemonSet', /^antrea-agent-windows$/], ['Pod', /^antrea-agent-windows-/])
    .service('antrea-agent', 'antrea-agent');

/** flanneld as an nssm service, as scripts installed it before HostProcess pods. */
const flannelService = (file: string) =>
  read(file)
    .without(['DaemonSet', /^kube-flannel-ds-windows/], ['Pod', /^kube-flannel-ds-windows/])
    .service('flanneld', 'flanneld');

const variants: Readonly<Record<string, () => Reference>> = {
  'antrea-1.15': () => read('antrea-2.2').with('2.2.0', '1.15.1'),
  'antrea-1.13': () => read('antrea-2.2').with('2.2.0', '1.13.4'),
  'antrea-2.2-service': () => antreaService('antrea-2.2'),
  'antrea-1.15-service': () => antreaService('antrea-2.2').with('2.2.0', '1.15.1'),
  'antrea-1.15-ovs-in-pod': () => read('antrea-2.2-ovs-in-pod').with('2.2.0', '1.15.1'),
  'kube-ovn-1.10': () => read('kube-ovn-1.14').with('v1.14.4', 'v1.10.10'),
  'kube-ovn-1.12': () => read('kube-ovn-1.14').with('v1.14.4', 'v1.12.22'),
  // The scripts of microsoft/SDN: another network name, everything as services.
  'flannel-vxlan-0.13-service': () =>
    flannelService('flannel-vxlan-0.26').with('v0.26.1', 'v0.13.0').with('flannel.4096', 'vxlan0'),
  'flannel-vxlan-0.22': () => read('flannel-vxlan-0.26').with('v0.26.1', 'v0.22.3'),
  'flannel-host-gw-0.13-service': () => flannelService('flannel-host-gw-0.22').with('v0.22.3', 'v0.13.0'),
  'flannel-host-gw-0.26': () => read('flannel-host-gw-0.22').with('v0.22.3', 'v0.26.1'),
  'calico-vxlan-3.27': () => read('calico-vxlan-3.29').with('v3.29.1', 'v3.27.5'),
  // install-calico.ps1: nssm services in C:\CalicoWindows, no DaemonSet for Windows, no operator.
  'calico-vxlan-3.25-services': () =>
    read('calico-vxlan-3.29')
      .with('v3.29.1', 'v3.25.2')
      .without(['DaemonSet', /^calico-node-windows$/], ['Pod', /^calico-node-windows-/], ['Installation', /./])
      .service('CalicoNode', 'calico-node')
      .service('CalicoFelix', 'calico-node'),
  'calico-bgp-3.29': calicoBgp,
  // Azure CNI without overlay: pods have addresses of the virtual network, assigned by the plugin's own IPAM.
  azure: () =>
    read('azure-overlay')
      .with('"kubernetes.azure.com/azure-cni-overlay":"true",', '')
      .with('"kubernetes.azure.com/podnetwork-type":"overlay",', '')
      .with(
        String.raw`\"type\": \"azure-cns\",\n                \"mode\": \"overlay\"`,
        String.raw`\"type\": \"azure-vnet-ipam\"`,
      ),
  'win-overlay': winOverlay,
  'aws-vpc': awsVpc,
  // The service of the 2017 Python scripts.
  'ovn-kubernetes-legacy-python': () =>
    read('ovn-kubernetes-legacy')
      .with('"Name":"ovn-kubernetes-node"', '"Name":"ovn-k8s"')
      .with('ovnkube.exe', 'k8s_ovn.exe'),
  wincni: () =>
    read('win-bridge')
      .with(String.raw`\"type\": \"win-bridge\"`, String.raw`\"type\": \"wincni.exe\"`)
      .with('win-bridge.exe', 'wincni.exe'),
};

/** BGP instead of VXLAN: bridges, an endpoint attached to the node, routes that RemoteAccess learns. */
function calicoBgp(): Reference {
  const reference = read('calico-vxlan-3.29')
    .with('"CALICO_NETWORKING_BACKEND","value":"vxlan"', '"CALICO_NETWORKING_BACKEND","value":"windows-bgp"')
    .with('"vxlanMode":"Always"', '"vxlanMode":"Never"')
    .with('"vxlanEnabled":true', '"vxlanEnabled":false')
    .with('"encapsulation":"VXLAN"', '"encapsulation":"None"')
    .with('"bgp":"Disabled"', '"bgp":"Enabled"')
    .with(String.raw`\"mode\": \"vxlan\"`, String.raw`\"mode\": \"windows-bgp\"`);
  const peers = new Map<string, {block: string; address: string}>();
  reference.change(({cluster}) => {
    for (const {kind, metadata, spec, status} of cluster.objects) {
      if (kind === 'BlockAffinity') peers.set(spec.node, {...peers.get(spec.node), block: spec.cidr} as Raw);
      if (kind !== 'Node') continue;
      const address = status.addresses.find(({type}: Raw) => type === 'InternalIP').address;
      peers.set(metadata.name, {...peers.get(metadata.name), address} as Raw);
      delete metadata.annotations['projectcalico.org/IPv4VXLANTunnelAddr'];
      delete metadata.annotations['projectcalico.org/VXLANTunnelMACAddr'];
    }
  });
  return reference.service('RemoteAccess', 'svchost').nodes((sections, object) => {
    for (const network of sections.hnsNetworks) {
      if (network.Type !== 'Overlay') continue;
      network.Type = 'L2Bridge';
      network.Policies = [];
      for (const subnet of network.Subnets) subnet.Policies = [];
    }
    for (const endpoint of sections.hnsEndpoints) if (endpoint.Type === 'Overlay') endpoint.Type = 'L2Bridge';
    const own = sections.hnsEndpoints.find(({Name}: Raw) => Name === 'Calico_ep');
    Object.assign(own, {IsRemoteEndpoint: false, State: 2, CompartmentId: 1});
    const [adapter] = sections.netAdapters.filter(({Name}: Raw) => Name.startsWith('vEthernet'));
    const name = 'vEthernet (Calico_ep)';
    const its = {InterfaceAlias: name, InterfaceIndex: 41, AddressFamily: 'IPv4'};
    sections.netAdapters.push({...adapter, Name: name, InterfaceIndex: 41, MacAddress: own.MacAddress});
    sections.netIPAddresses.push({...its, IPAddress: own.IPAddress, PrefixLength: 26, PrefixOrigin: 'Manual'});
    sections.netIPInterfaces.push({...its, NlMtu: 1500, Forwarding: 'Enabled', Dhcp: 'Disabled'});
    for (const entry of sections.netIPInterfaces)
      if (entry.InterfaceAlias === adapter.Name && entry.AddressFamily === 'IPv4') entry.Forwarding = 'Enabled';
    for (const [node, {block, address}] of peers) {
      if (node === object.metadata.name) continue;
      sections.netRoutes.push({
        DestinationPrefix: block,
        NextHop: address,
        InterfaceAlias: adapter.Name,
        InterfaceIndex: adapter.InterfaceIndex,
        RouteMetric: 0,
        Store: 'ActiveStore',
      });
    }
    // On a bridge kube-proxy uses the node address.
    for (const list of sections.hnsPolicyLists) for (const policy of list.Policies ?? []) delete policy.SourceVIP;
  });
}

/** EKS: VPC addresses, assigned by its controller; the plugin names its bridge after a network interface. */
function awsVpc(): Reference {
  return read('win-bridge')
    .with('l2bridge', 'vpcbr0a1b2c3d4e5f')
    .with('win-bridge', 'vpc-bridge')
    .nodes(({files}) => {
      files.splice(0, files.length, ...files.filter(({Path}: Raw) => !/\\cni\\networks\\|host-local/.test(Path)));
      const conf = files.find(({Path}: Raw) => /\\net\.d\\/.test(Path));
      conf.Content = JSON.stringify({cniVersion: '0.3.1', name: 'vpc', type: 'vpc-bridge', capabilities: {}});
    });
}

/** An overlay that an administrator created: only the CNI program, no agent (containernetworking/plugins). */
function winOverlay(): Reference {
  return read('flannel-vxlan-0.26')
    .without(['DaemonSet', /flannel/], ['Pod', /flannel/], ['ConfigMap', /flannel/], ['Namespace', /^kube-flannel$/])
    .with('flannel.4096', 'overlay0')
    .with('10-flannel.conf', '10-overlay0.conf')
    .change(({cluster}) => {
      for (const {kind, metadata} of cluster.objects) {
        if (kind !== 'Node') continue;
        for (const key of Object.keys(metadata.annotations)) if (/flannel/.test(key)) delete metadata.annotations[key];
      }
    })
    .nodes((sections, {spec}) => {
      sections.files = sections.files.filter(({Path}: Raw) => !/flannel/i.test(Path) || /overlay0/.test(Path));
      for (const file of sections.files) {
        if (!/10-overlay0\.conf$/.test(file.Path)) continue;
        const {delegate, name, cniVersion, capabilities} = JSON.parse(file.Content);
        const ipam = {type: 'host-local', subnet: spec.podCIDR};
        file.Content = JSON.stringify({cniVersion, name, capabilities, ...delegate, ipam});
      }
      sections.processes = sections.processes.filter(({Name}: Raw) => !/flannel/i.test(Name));
      sections.logs = sections.logs.filter(({Path}: Raw) => !/flannel/i.test(Path));
    });
}

export const referenceNames: readonly string[] = [...files, ...Object.keys(variants)].sort();

/** A healthy cluster as a document that a test may change. */
export function reference(name: string): Raw {
  return JSON.parse((variants[name]?.() ?? read(name)).text);
}
