import type {Raw, Scenario} from '../../checks/support.js';
import {conf, configMap, fresh, running, server2019, withKubeProxy, withOvs, workload} from './build.js';

const custom = (apiVersion: string, kind: string, name: string, spec: Raw): Raw => ({
  apiVersion,
  kind,
  metadata: {name},
  spec,
});

const windowsPod = {
  nodeSelector: {'kubernetes.io/os': 'windows'},
  securityContext: {windowsOptions: {hostProcess: true}},
};

function kubeOvn(): Scenario {
  const env = [{name: 'ENABLE_SSL', value: 'false'}];
  const containers = (name: string) => [{name, image: 'docker.io/kubeovn/kube-ovn:v1.14.4', env}];
  return withOvs(server2019(fresh()))
    .object('Node', 'win-1', its => {
      its.status.nodeInfo.containerRuntimeVersion = 'docker://19.3.14';
    })
    .section('services', services => services.push(running('docker')))
    .addObject(
      workload('Deployment', 'kube-system', 'kube-ovn-controller', '', {containers: containers('kube-ovn-controller')}),
    )
    .addObject(workload('Deployment', 'kube-system', 'ovn-central', '', {containers: containers('ovn-central')}))
    .addObject(custom('kubeovn.io/v1', 'Subnet', 'ovn-default', {cidrBlock: '10.16.0.0/16', provider: 'ovn'}))
    .addObject(custom('kubeovn.io/v1', 'Subnet', 'join', {cidrBlock: '100.64.0.0/16', provider: 'ovn'}))
    .addObject(custom('kubeovn.io/v1', 'ProviderNetwork', 'provider', {defaultInterface: 'Ethernet0'}));
}

function antrea(): Scenario {
  return fresh()
    .addObject(workload('DaemonSet', 'kube-system', 'antrea-agent', 'antrea/antrea-agent-ubuntu:v2.2.0'))
    .addObject(workload('Deployment', 'kube-system', 'antrea-controller', 'antrea/antrea-controller-ubuntu:v2.2.0'));
}

/** With the manifest for Windows applied. */
export function antreaApplied(scenario: Scenario): Scenario {
  return scenario
    .addObject(
      workload('DaemonSet', 'kube-system', 'antrea-agent-windows', 'antrea/antrea-windows:v2.2.0', {
        ...windowsPod,
        containers: [
          {name: 'antrea-agent', image: 'antrea/antrea-windows:v2.2.0'},
          {name: 'antrea-ovs', image: 'antrea/antrea-windows:v2.2.0'},
        ],
      }),
    )
    .addObject(
      configMap('kube-system', 'antrea-windows-config', {
        'antrea-agent.conf': 'kubeAPIServerOverride: "https://10.0.0.10:6443"\nantreaProxy:\n  proxyAll: true\n',
      }),
    );
}

function flannel(backend: Raw, name: string): Scenario {
  return withKubeProxy(fresh())
    .addObject(workload('DaemonSet', 'kube-flannel', 'kube-flannel-ds', 'ghcr.io/flannel-io/flannel:v0.26.1'))
    .addObject(
      configMap('kube-flannel', 'kube-flannel-cfg', {
        'net-conf.json': JSON.stringify({Network: '10.244.0.0/16', Backend: backend}),
        'cni-conf.json': JSON.stringify({name, plugins: [{type: 'flannel'}]}),
      }),
    );
}

function calico(calicoNetwork: Raw, modes: Raw): Scenario {
  return withKubeProxy(fresh())
    .addObject(workload('DaemonSet', 'calico-system', 'calico-node', 'docker.io/calico/node:v3.29.1'))
    .addObject(
      custom('operator.tigera.io/v1', 'Installation', 'default', {
        cni: {type: 'Calico', ipam: {type: 'Calico'}},
        serviceCIDRs: ['10.96.0.0/12'],
        calicoNetwork: {windowsDataplane: 'HNS', ...calicoNetwork},
      }),
    )
    .addObject(custom('crd.projectcalico.org/v1', 'FelixConfiguration', 'default', {vxlanVNI: 4096, vxlanPort: 4789}))
    .addObject(custom('crd.projectcalico.org/v1', 'IPAMConfig', 'default', {strictAffinity: true}))
    .addObject(custom('crd.projectcalico.org/v1', 'IPPool', 'default-ipv4-ippool', {cidr: '10.244.0.0/16', ...modes}))
    .addObject(
      configMap('tigera-operator', 'kubernetes-services-endpoint', {
        KUBERNETES_SERVICE_HOST: '10.0.0.10',
        KUBERNETES_SERVICE_PORT: '6443',
      }),
    );
}

const policies = [
  {Type: 'OutBoundNAT', ExceptionList: ['10.244.0.0/16', '10.96.0.0/12', '10.0.0.0/24']},
  {Type: 'ROUTE', DestinationPrefix: '10.96.0.0/12', NeedEncap: true},
  {Type: 'ROUTE', DestinationPrefix: '10.0.0.21/32', NeedEncap: true},
].map(Value => ({Name: 'EndpointPolicy', Value}));

const common = {
  cniVersion: '0.2.0',
  name: 'l2bridge',
  dns: {Nameservers: ['10.96.0.10'], Search: ['svc.cluster.local']},
};

/** What either of the two writes to its configuration. */
export const bridgeConf: Readonly<Record<'win-bridge' | 'wincni', Raw>> = {
  'win-bridge': {
    ...common,
    type: 'win-bridge',
    ipam: {type: 'host-local', subnet: '10.244.1.0/24', routes: [{GW: '10.244.1.2'}]},
    policies,
  },
  wincni: {
    ...common,
    type: 'wincni.exe',
    master: 'Ethernet0',
    ipam: {environment: 'azure', subnet: '10.244.1.0/24', routes: [{GW: '10.244.1.2'}]},
    AdditionalArgs: policies,
  },
};

export const confPath = 'C:\\etc\\cni\\net.d\\10-l2bridge.conf';

function bridge(name: 'win-bridge' | 'wincni'): Scenario {
  return withKubeProxy(fresh()).node(({sections}) => {
    sections.files.push(
      conf(confPath, bridgeConf[name]),
      {Path: `C:\\opt\\cni\\bin\\${name}.exe`, Exists: true},
      {Path: 'C:\\opt\\cni\\bin\\host-local.exe', Exists: true},
    );
    sections.hnsNetworks.push({
      ID: 'ABF596C9-72FD-4A0D-BB06-5EA2D13889C7',
      Name: 'l2bridge',
      Type: 'L2Bridge',
      Subnets: [{AddressPrefix: '10.244.1.0/24', GatewayAddress: '10.244.1.1'}],
      ManagementIP: '10.0.0.21',
    });
    sections.netIPAddresses.push({
      InterfaceAlias: 'vEthernet (cbr0)',
      InterfaceIndex: 19,
      IPAddress: '10.244.1.2',
      PrefixLength: 24,
      AddressFamily: 'IPv4',
    });
    sections.netIPInterfaces.push({
      InterfaceAlias: 'vEthernet (cbr0)',
      InterfaceIndex: 19,
      AddressFamily: 'IPv4',
      Forwarding: 'Enabled',
    });
    sections.netRoutes.push({
      DestinationPrefix: '10.244.0.0/24',
      NextHop: '10.0.0.10',
      InterfaceAlias: 'Ethernet0',
      Store: 'ActiveStore',
    });
  });
}

function winOverlay(): Scenario {
  const ownPolicies = [
    {Type: 'OutBoundNAT', ExceptionList: ['10.244.0.0/16', '10.96.0.0/12']},
    {Type: 'ROUTE', DestinationPrefix: '10.96.0.0/12', NeedEncap: true},
  ].map(Value => ({Name: 'EndpointPolicy', Value}));
  return withKubeProxy(fresh()).node(({sections}) => {
    sections.files.push(
      conf('C:\\etc\\cni\\net.d\\10-overlay.conf', {
        ...common,
        name: 'vxlan0',
        type: 'win-overlay',
        ipam: {type: 'host-local', subnet: '10.244.1.0/24'},
        policies: ownPolicies,
      }),
      {Path: 'C:\\opt\\cni\\bin\\win-overlay.exe', Exists: true},
    );
    sections.hnsNetworks.push({
      ID: 'ABF596C9-72FD-4A0D-BB06-5EA2D13889C8',
      Name: 'vxlan0',
      Type: 'Overlay',
      Subnets: [{AddressPrefix: '10.244.1.0/24', GatewayAddress: '10.244.1.1'}],
      ManagementIP: '10.0.0.21',
    });
  });
}

function azure(): Scenario {
  return withKubeProxy(fresh()).node(({sections}) => {
    sections.files.push(
      conf('C:\\etc\\cni\\net.d\\10-azure.conflist', {name: 'azure', plugins: [{type: 'azure-vnet'}]}),
      {Path: 'C:\\k\\azurecni\\bin\\azure-vnet.exe', Exists: true},
    );
    sections.hnsNetworks.push({
      ID: 'ABF596C9-72FD-4A0D-BB06-5EA2D13889C9',
      Name: 'ext',
      Type: 'L2Bridge',
      Subnets: [{AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1'}],
      ManagementIP: '10.0.0.21',
    });
  });
}

function hybridOverlay(): Scenario {
  return withKubeProxy(fresh())
    .addObject(workload('DaemonSet', 'openshift-ovn-kubernetes', 'ovnkube-node', 'quay.io/ovn-kube:4.16'))
    .addObject(
      custom('operator.openshift.io/v1', 'Network', 'cluster', {
        defaultNetwork: {
          ovnKubernetesConfig: {
            hybridOverlayConfig: {hybridClusterNetwork: [{cidr: '10.132.0.0/14', hostPrefix: 23}]},
          },
        },
      }),
    )
    .object('Node', 'win-1', its => {
      its.metadata.annotations['k8s.ovn.org/hybrid-overlay-node-subnet'] = '10.132.1.0/24';
    });
}

/** A snapshot in which every visible prerequisite of a plugin is met. */
export function readyFor(plugin: string, mode?: string): Scenario {
  switch (`${plugin} ${mode ?? ''}`.trim()) {
    case 'kube-ovn':
      return kubeOvn();
    case 'antrea service':
      return withOvs(antrea());
    case 'flannel host-gw':
      return flannel({Type: 'host-gw'}, 'cbr0');
    case 'calico bgp':
      return calico({bgp: 'Enabled'}, {ipipMode: 'Never', vxlanMode: 'Never'}).section('services', services =>
        services.push(running('RemoteAccess')),
      );
  }
  switch (plugin) {
    case 'antrea':
      return antrea();
    case 'flannel':
      return flannel({Type: 'vxlan', VNI: 4096, Port: 4789}, 'vxlan0');
    case 'calico':
      return calico({bgp: 'Disabled'}, {ipipMode: 'Never', vxlanMode: 'Always'});
    case 'win-bridge':
    case 'wincni':
      return bridge(plugin);
    case 'win-overlay':
      return winOverlay();
    case 'azure':
      return azure();
    case 'ovn-kubernetes':
      return hybridOverlay();
    default:
      throw new Error(`there is no ready snapshot for ${plugin}`);
  }
}
