import type {Raw} from '../../../checks/support.js';
import {server2019} from '../build.js';
import {type Case, ofNode, ofSection} from '../support.js';

export const ovnKubernetesCases: Readonly<Record<string, Case>> = {
  'kubernetes-version': {
    unmet: s => {
      s.document.cluster.version = 'v1.13.12';
      return s;
    },
    fix: 'kubeadm upgrade apply v1.14.0',
  },
  'on-linux': {
    unmet: s => s.removeObjects(({metadata}) => metadata.name === 'ovnkube-node' || metadata.name === 'cluster'),
    fix: '--enable-hybrid-overlay',
  },
  'container-runtime': {
    unmet: ofSection('services', services => {
      services.find((its: Raw) => its.Name === 'containerd').State = 'Stopped';
    }),
    fix: "Start-Service 'containerd'",
  },
  'hybrid-overlay': {
    unmet: s =>
      s
        .object('Network', 'cluster', its => {
          its.spec.defaultNetwork.ovnKubernetesConfig.hybridOverlayConfig = {hybridClusterNetwork: []};
        })
        .object('Node', 'win-1', its => {
          its.metadata.annotations = {};
        }),
    fix: 'hybridOverlayConfig',
  },
  'vxlan-port': {
    unmet: s =>
      server2019(s).object('Network', 'cluster', its => {
        its.spec.defaultNetwork.ovnKubernetesConfig.hybridOverlayConfig.hybridOverlayVXLANPort = 9898;
      }),
    fix: 'Windows Server 2022',
  },
  'node-subnet': {
    unmet: ofNode(node => {
      node.metadata.annotations = {};
    }),
    fix: 'ovnkube-control-plane',
  },
};
