import type {Scenario} from '../../../checks/support.js';
import {configMap, node, workload} from '../build.js';
import {type Case, ofSection} from '../support.js';

const netConf = (conf: unknown) => (s: Scenario) =>
  s.object('ConfigMap', 'kube-flannel-cfg', its => {
    its.data['net-conf.json'] = JSON.stringify(conf);
  });

const windowsSet = (env: unknown[]) => (s: Scenario) =>
  s.addObject(
    workload('DaemonSet', 'kube-flannel', 'kube-flannel-ds-windows-amd64', '', {
      containers: [{name: 'kube-flannel', image: 'sigwindowstools/flannel:v0.26.1-hostprocess', env}],
      nodeSelector: {'kubernetes.io/os': 'windows'},
    }),
  );

export const flannelCases: Readonly<Record<string, Case>> = {
  version: {
    unmet: s =>
      s.object('DaemonSet', 'kube-flannel-ds', its => {
        its.spec.template.spec.containers[0].image = 'quay.io/coreos/flannel:v0.9.1';
      }),
    fix: 'kube-flannel.yml',
  },
  backend: {
    unmet: netConf({Network: '10.244.0.0/16', Backend: {Type: 'vxlan', VNI: 4096, Port: 4789, DirectRouting: true}}),
    fix: '\\"Backend\\":{\\"Type\\":\\"vxlan\\",\\"VNI\\":4096,\\"Port\\":4789}',
  },
  vni: {
    unmet: netConf({Network: '10.244.0.0/16', Backend: {Type: 'vxlan', Port: 4789}}),
    fix: 'kubectl -n kube-flannel patch configmap kube-flannel-cfg --type merge',
  },
  port: {
    unmet: netConf({Network: '10.244.0.0/16', Backend: {Type: 'vxlan', VNI: 4096, Port: 8472}}),
    fix: '\\"Port\\":4789',
  },
  'cluster-cidr': {
    unmet: netConf({Network: '10.32.0.0/12', Backend: {Type: 'vxlan', VNI: 4096, Port: 4789}}),
    fix: '\\"Network\\":\\"10.244.0.0/16\\"',
  },
  'network-name': {
    unmet: s =>
      s.object('ConfigMap', 'kube-flannel-cfg', its => {
        its.data['cni-conf.json'] = '{"name":"cbr0","plugins":[{"type":"flannel"}]}';
      }),
    fix: '\\"name\\":\\"vxlan0\\"',
  },
  'linux-selectors': {
    unmet: s =>
      s.object('DaemonSet', 'kube-flannel-ds', its => {
        its.spec.template.spec.nodeSelector = {};
      }),
    fix: 'kubectl -n kube-flannel patch daemonset kube-flannel-ds',
  },
  'api-server-override': {
    met: windowsSet([{name: 'KUBERNETES_SERVICE_HOST', value: '10.0.0.10'}]),
    unmet: windowsSet([]),
    fix: 'KUBERNETES_SERVICE_HOST=10.0.0.10 KUBERNETES_SERVICE_PORT=6443',
  },
  'bridge-nf': {unmet: s => s, fix: 'sudo sysctl net.bridge.bridge-nf-call-iptables=1', unseen: true},
  'container-runtime': {
    unmet: ofSection('services', services => {
      services.find((its: {Name: string}) => its.Name === 'containerd').State = 'Stopped';
    }),
    fix: "Start-Service 'containerd'",
  },
  interface: {
    unmet: ofSection('netAdapters', adapters => {
      adapters[0].Status = 'Down';
    }),
    fix: "Enable-NetAdapter -Name 'Ethernet0'",
  },
  'base-dir': {
    unmet: s =>
      s.node(({sections}) => {
        sections.files.pop();
        for (const service of sections.services) service.PathName = 'C:\\Windows\\System32\\svchost.exe';
      }),
    fix: 'mkdir C:\\k',
    unseen: true,
  },
  'same-subnet': {
    mode: 'host-gw',
    unmet: s => s.addObject(node('lx-2', '10.7.0.10', '10.244.7.0/24', undefined)),
    fix: '10.244.7.0/24 via 10.7.0.10',
  },
  'mac-spoofing': {
    mode: 'host-gw',
    unmet: ofSection('netAdapters', adapters => {
      adapters[0].InterfaceDescription = 'vmxnet3 Ethernet Adapter';
    }),
    fix: 'forged transmits',
    unseen: true,
  },
};

/** The same names have other requirements without an overlay. */
export const hostGatewayCases: Readonly<Record<string, Case>> = {
  backend: {
    mode: 'host-gw',
    unmet: netConf({Network: '10.244.0.0/16', Backend: {Type: 'vxlan', VNI: 4096, Port: 4789}}),
    fix: '\\"Backend\\":{\\"Type\\":\\"host-gw\\"}',
  },
  'network-name': {
    mode: 'host-gw',
    unmet: s =>
      s.addObject(
        configMap('kube-flannel', 'kube-flannel-windows-cfg', {'cni-conf.json': '{"name":"vxlan0","type":"flannel"}'}),
      ),
    fix: '\\"name\\":\\"cbr0\\"',
  },
};
