import {node} from '../build.js';
import {type Case, ofNode, ofSection} from '../support.js';

export const calicoCases: Readonly<Record<string, Case>> = {
  version: {
    unmet: s =>
      s.object('DaemonSet', 'calico-node', its => {
        its.spec.template.spec.containers[0].image = 'docker.io/calico/node:v3.26.4';
      }),
    fix: 'tigera-operator.yaml',
  },
  'strict-affinity': {
    unmet: s =>
      s.object('IPAMConfig', 'default', its => {
        its.spec.strictAffinity = false;
      }),
    fix: `kubectl patch ipamconfigurations default --type merge -p '{"spec":{"strictAffinity":true}}'`,
  },
  encapsulation: {
    unmet: s =>
      s.object('IPPool', 'default-ipv4-ippool', its =>
        Object.assign(its.spec, {ipipMode: 'Always', vxlanMode: 'Never'}),
      ),
    fix: `kubectl patch ippool default-ipv4-ippool --type merge -p '{"spec":{"ipipMode":"Never","vxlanMode":"Always"}}'`,
  },
  'one-pool-type': {
    unmet: s =>
      s.addObject({
        apiVersion: 'crd.projectcalico.org/v1',
        kind: 'IPPool',
        metadata: {name: 'second'},
        spec: {cidr: '10.245.0.0/16', ipipMode: 'CrossSubnet', nodeSelector: 'kubernetes.io/os == "linux"'},
      }),
    fix: 'kubectl patch ippool second',
  },
  'bgp-off': {
    mode: 'vxlan',
    unmet: s =>
      s.object('Installation', 'default', its => {
        its.spec.calicoNetwork.bgp = 'Enabled';
      }),
    fix: '{"spec":{"calicoNetwork":{"bgp":"Disabled"}}}',
  },
  vni: {
    unmet: s =>
      s.object('FelixConfiguration', 'default', its => {
        its.spec.vxlanVNI = 100;
      }),
    fix: '{"spec":{"vxlanVNI":4096}}',
  },
  port: {
    unmet: s =>
      s.object('FelixConfiguration', 'default', its => {
        its.spec.vxlanPort = 8472;
      }),
    fix: '{"spec":{"vxlanPort":4789}}',
  },
  'services-endpoint': {
    unmet: s => s.removeObjects(({metadata}) => metadata.name === 'kubernetes-services-endpoint'),
    fix: '--from-literal=KUBERNETES_SERVICE_HOST=10.0.0.10 --from-literal=KUBERNETES_SERVICE_PORT=6443',
  },
  'service-cidrs': {
    unmet: s =>
      s.object('Installation', 'default', its => {
        delete its.spec.serviceCIDRs;
      }),
    fix: '{"spec":{"serviceCIDRs":["10.96.0.0/12"],"calicoNetwork":{"windowsDataplane":"HNS"}}}',
  },
  'windows-version': {
    unmet: ofSection('os', os => Object.assign(os, {BuildNumber: '17763', UBR: 1339})),
    fix: 'Install-WindowsUpdate -AcceptAll',
  },
  'kubernetes-version': {
    unmet: s => {
      s.document.cluster.version = 'v1.21.4';
      return ofNode(its => {
        its.status.nodeInfo.kubeletVersion = 'v1.21.4';
      })(s);
    },
    fix: 'Upgrade the cluster',
  },
  'remote-access': {
    mode: 'bgp',
    unmet: ofSection('services', services => services.pop()),
    fix: 'Install-WindowsFeature RemoteAccess, RSAT-RemoteAccess-PowerShell, Routing',
  },
  'same-subnet': {
    mode: 'bgp',
    unmet: s => s.addObject(node('lx-2', '10.7.0.10', '10.244.7.0/24', undefined)),
    fix: '10.244.7.0/24 via 10.7.0.10',
  },
};

/** The same names have other requirements with BGP. */
export const bgpCases: Readonly<Record<string, Case>> = {
  encapsulation: {
    mode: 'bgp',
    unmet: s =>
      s.object('IPPool', 'default-ipv4-ippool', its => {
        its.spec.ipipMode = 'Always';
      }),
    fix: `kubectl patch ippool default-ipv4-ippool --type merge -p '{"spec":{"ipipMode":"Never","vxlanMode":"Never"}}'`,
  },
  firewall: {
    mode: 'bgp',
    unmet: ofSection('firewall', firewall => {
      firewall.Profiles[0].Enabled = true;
    }),
    fix: '-Protocol TCP -LocalPort 179',
  },
};
