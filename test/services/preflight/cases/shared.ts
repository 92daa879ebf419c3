import {conf, running, staleOvs, workload} from '../build.js';
import {type Case, ofNode, ofSection} from '../support.js';

const noService = (name: string) =>
  ofSection('services', services => {
    services.splice(
      services.findIndex((its: {Name: string}) => its.Name === name),
      1,
    );
  });

const feature = (name: string) =>
  ofSection('windowsFeatures', features => {
    features.find((its: {Name: string}) => its.Name === name).InstallState = 'Disabled';
  });

/** Prerequisites that several plugins share under the same name. */
export const sharedCases: Readonly<Record<string, Case>> = {
  'linux-nodes': {unmet: s => s.removeObjects(its => its.metadata.name === 'lx-1'), fix: 'kubeadm token create'},
  'on-linux': {
    unmet: s =>
      s
        .removeObjects(
          ({kind, metadata}) =>
            /^(DaemonSet|Deployment|Installation|Subnet|IPPool)$/.test(kind) && metadata.name !== 'kube-proxy',
        )
        .addObject(workload('DaemonSet', 'kube-system', 'weave-net', 'weaveworks/weave-kube:2.8.1')),
    fix: /kubectl (apply|create) -f|helm upgrade --install/,
  },
  'windows-server': {
    unmet: ofSection('os', os => {
      os.Caption = 'Microsoft Windows 11 Enterprise';
    }),
    fix: 'kubectl drain win-1',
  },
  'windows-version': {
    unmet: ofSection('os', os => {
      os.BuildNumber = '14393';
    }),
    fix: 'kubectl drain win-1',
  },
  'windows-updates': {
    unmet: ofSection('hotfixes', hotfixes => {
      hotfixes[0].InstalledOn = '2025-06-10T00:00:00+00:00';
    }),
    fix: 'Install-WindowsUpdate -AcceptAll',
  },
  kb4489899: {
    unmet: ofSection('os', os => Object.assign(os, {BuildNumber: '17763', UBR: 316})),
    fix: 'kb4489899',
  },
  'containers-feature': {unmet: feature('Containers'), fix: 'Install-WindowsFeature -Name Containers'},
  'hyper-v': {unmet: feature('Microsoft-Hyper-V'), fix: 'dism /online /enable-feature /featurename:Microsoft-Hyper-V'},
  'container-runtime': {
    unmet: ofNode(node => {
      node.status.nodeInfo.containerRuntimeVersion = 'containerd://1.5.9';
    }),
    fix: '.\\Install-Containerd.ps1 -ContainerDVersion',
  },
  'kubernetes-version': {
    unmet: s => {
      s.document.cluster.version = 'v1.8.15';
      return ofNode(node => {
        node.status.nodeInfo.kubeletVersion = 'v1.8.15';
      })(s);
    },
    fix: /kubeadm upgrade apply v1\.9\.0|Upgrade the cluster/,
  },
  kubelet: {
    unmet: ofSection('services', services => {
      services.find((its: {Name: string}) => its.Name === 'kubelet').State = 'Stopped';
    }),
    fix: "Start-Service 'kubelet'",
  },
  'api-server': {
    unmet: ofSection('probes', probes => {
      probes[0].Ok = false;
    }),
    fix: "Test-NetConnection -ComputerName '10.0.0.10' -Port 6443",
  },
  'pod-cidr': {
    unmet: ofNode(node => {
      delete node.spec.podCIDR;
      delete node.spec.podCIDRs;
    }),
    fix: '--cluster-cidr=10.244.0.0/16',
  },
  ipv4: {
    unmet: ofNode(node => {
      node.status.addresses = [{type: 'InternalIP', address: 'fd00::21'}];
    }),
    fix: '--node-ip=10.0.0.21',
  },
  'node-name': {
    unmet: ofSection('os', os => {
      os.CSName = 'WIN-A7F3';
    }),
    fix: "'win-1'",
  },
  'test-signing': {
    unmet: ofSection('bootOptions', options => {
      options.TestSigning = false;
    }),
    fix: 'bcdedit.exe /set TESTSIGNING ON',
  },
  'no-stale-bridge': {
    met: s =>
      s.node(({sections, errors}) => {
        sections.ovs ??= {Version: '3.0.5', Tables: {}};
        delete errors.ovs;
      }),
    unmet: s =>
      s.node(({sections, errors}) => {
        sections.ovs = staleOvs('br-int');
        delete errors.ovs;
      }),
    fix: "ovs-vsctl.exe --no-wait --if-exists del-br 'br-int'",
  },
  uplink: {
    unmet: s =>
      s.node(({sections}) => {
        sections.netAdapters.push({
          Name: 'vEthernet (Ethernet0)',
          InterfaceIndex: 16,
          Status: 'Up',
          MacAddress: '00-50-56-A7-10-2B',
          Virtual: true,
          ComponentID: 'vms_mp',
        });
        Object.assign(sections.netIPAddresses[0], {InterfaceAlias: 'vEthernet (Ethernet0)', InterfaceIndex: 16});
        sections.hnsNetworks.push({
          ID: '1647F077-E3A2-419E-AC35-D5D14343A7B9',
          Name: 'External',
          Type: 'L2Bridge',
          NetworkAdapterName: 'Ethernet0',
          ManagementIP: '10.0.0.21',
          Subnets: [],
        });
      }),
    fix: "Get-HnsNetwork | Where-Object Name -eq 'External' | Remove-HnsNetwork",
  },
  'no-other-plugin': {
    unmet: s =>
      s.node(({sections}) => {
        sections.services.push(running('CalicoNode'), running('kube-ovn'));
        sections.hnsNetworks.push(
          {ID: '2647F077-E3A2-419E-AC35-D5D14343A7B9', Name: 'kube-ovn', Type: 'Transparent', Subnets: []},
          {ID: '3647F077-E3A2-419E-AC35-D5D14343A7B9', Name: 'Calico', Type: 'Overlay', Subnets: []},
        );
      }),
    fix: /Stop-Service '(kube-ovn|CalicoNode)'; sc\.exe delete[\s\S]*Where-Object Name -eq '(kube-ovn|Calico)' \| Remove-HnsNetwork/,
  },
  'cni-conf': {
    unmet: ofSection('files', files =>
      files.push(conf('C:\\etc\\cni\\net.d\\00-nat.conf', {name: 'nat', type: 'nat'})),
    ),
    fix: "Rename-Item -LiteralPath 'C:\\etc\\cni\\net.d\\00-nat.conf' -NewName '00-nat.conf.off'",
  },
  firewall: {
    unmet: ofSection('firewall', firewall => {
      firewall.Profiles[0].Enabled = true;
    }),
    fix: /New-NetFirewallRule .*-Direction Inbound -Action Allow -Protocol (UDP|TCP) -LocalPort (4789|6081|179|10250)/,
  },
  'kube-proxy': {
    unmet: s => {
      s.section('processes', processes => processes.splice(1));
      return noService('kube-proxy')(s);
    },
    fix: 'kube-proxy',
  },
  'no-kube-proxy': {
    unmet: ofSection('services', services => services.push(running('kube-proxy'))),
    fix: "Stop-Service 'kube-proxy'; Set-Service 'kube-proxy' -StartupType Disabled",
  },
  images: {
    unmet: s =>
      s.addObject({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {namespace: 'apps', name: 'web'},
        spec: {nodeName: 'win-1', containers: [{name: 'web', image: 'web:ltsc2019'}]},
        status: {
          phase: 'Pending',
          containerStatuses: [
            {
              name: 'web',
              ready: false,
              state: {
                waiting: {
                  reason: 'ErrImagePull',
                  message: 'The container operating system does not match the host operating system.',
                },
              },
            },
          ],
        },
      }),
    fix: 'ltsc2022',
  },
  'mac-spoofing': {
    unmet: ofSection('netAdapters', adapters => {
      adapters[0].InterfaceDescription = 'Microsoft Hyper-V Network Adapter';
    }),
    fix: "Set-VMNetworkAdapter -VMName 'WIN-1' -MacAddressSpoofing On",
    unseen: true,
  },
};
