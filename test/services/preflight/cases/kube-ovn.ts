import {type Case, ofNode, ofSection} from '../support.js';

const adapter = (Name: string, InterfaceIndex: number) => ({
  Name,
  InterfaceIndex,
  Status: 'Up',
  Virtual: false,
  HardwareInterface: true,
  ComponentID: 'pci\\ven_8086&dev_1572',
});

export const kubeOvnCases: Readonly<Record<string, Case>> = {
  'kubernetes-version': {
    unmet: s => {
      s.document.cluster.version = 'v1.16.9';
      return s;
    },
    fix: 'kubeadm upgrade apply v1.17.0',
  },
  version: {
    unmet: s =>
      s.object('Deployment', 'kube-ovn-controller', its => {
        its.spec.template.spec.containers[0].image = 'docker.io/kubeovn/kube-ovn:v1.15.0';
      }),
    fix: '--version v1.14',
  },
  'ssl-off': {
    unmet: s =>
      s.object('Deployment', 'ovn-central', its => {
        its.spec.template.spec.containers[0].env[0].value = 'true';
      }),
    fix: '--set networking.ENABLE_SSL=false',
  },
  'ipv4-only': {
    unmet: s =>
      s.object('Subnet', 'ovn-default', its => {
        its.spec.cidrBlock = '10.16.0.0/16,fd00:10:16::/112';
      }),
    fix: 'IPv4',
  },
  'provider-network': {
    unmet: s =>
      s.object('ProviderNetwork', 'provider', its => {
        its.metadata.name = 'net1';
      }),
    fix: 'kubectl patch provider-networks.kubeovn.io net1 --type=merge',
  },
  subnets: {
    unmet: s => s.removeObjects(({metadata}) => metadata.name === 'ovn-default'),
    fix: 'rollout restart deployment/kube-ovn-controller',
  },
  'no-qos': {
    unmet: s =>
      s.addObject({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {namespace: 'apps', name: 'web', annotations: {'ovn.kubernetes.io/ingress_rate': '10'}},
        spec: {nodeName: 'win-1', containers: []},
      }),
    fix: 'annotations',
  },
  'windows-version': {
    unmet: ofSection('os', os => {
      os.BuildNumber = '20348';
    }),
    fix: 'Windows Server 2019',
  },
  architecture: {
    unmet: ofNode(node => {
      node.status.nodeInfo.architecture = 'arm64';
    }),
    fix: 'x86_64',
  },
  'container-runtime': {
    unmet: ofNode(node => {
      node.status.nodeInfo.containerRuntimeVersion = 'containerd://1.7.23';
    }),
    fix: 'cri-dockerd',
  },
  'ovs-driver': {
    unmet: ofSection('drivers', drivers => {
      drivers.ovsext = {Installed: false, Inf: [], Signed: null};
    }),
    fix: 'msiexec.exe /i OpenvSwitch.msi',
  },
  'ovs-services': {
    unmet: ofSection('services', services => {
      services.find((its: {Name: string}) => its.Name === 'ovs-vswitchd').State = 'Stopped';
    }),
    fix: "Start-Service 'ovs-vswitchd'",
  },
  'tunnel-annotation': {
    unmet: ofNode(node => {
      node.metadata.annotations['ovn.kubernetes.io/tunnel_interface'] = 'Ethernet7';
    }),
    fix: 'kubectl win annotate-tunnel win-1',
  },
  'tunnel-unchanged': {
    unmet: s =>
      s
        .object('Node', 'win-1', node => {
          node.metadata.annotations['ovn.kubernetes.io/tunnel_interface'] = 'Ethernet1';
        })
        .node(({sections}) => {
          sections.netAdapters.push(adapter('Ethernet1', 7));
          sections.hnsNetworks.push({
            ID: '4647F077-E3A2-419E-AC35-D5D14343A7B9',
            Name: 'kube-ovn',
            Type: 'Transparent',
            NetworkAdapterName: 'Ethernet0',
            Subnets: [],
          });
        }),
    fix: 'kubectl win annotate-tunnel win-1 Ethernet0 --overwrite',
  },
  'provider-interface': {
    unmet: s =>
      s.object('ProviderNetwork', 'provider', its => {
        its.spec.defaultInterface = 'eth1';
      }),
    fix: '{"interface":"Ethernet0","nodes":["win-1"]}',
  },
  'node-name': {
    unmet: ofSection('os', os => {
      os.CSName = 'WIN-A7F3';
    }),
    fix: ".\\install.ps1 -KubeConfig C:\\k\\admin.conf -ApiServer 'https://10.0.0.10:6443' -ServiceCIDR '10.96.0.0/12' -NodeName 'win-1'",
  },
};
