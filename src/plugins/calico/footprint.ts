import type {Footprint} from '../../model/footprint.js';
import {noFootprint} from '../shared/footprint-parts.js';
import {derivedMac} from './tunnel-facts.js';

export const calicoFootprint: Footprint = {
  ...noFootprint,
  namespaces: {like: /calico|tigera/, usual: ['calico-system', 'tigera-operator']},
  customResources: {
    'crd.projectcalico.org': ['ippools', 'felixconfigurations', 'ipamconfigs', 'ipamblocks', 'blockaffinities'],
    'operator.tigera.io': ['installations'],
  },
  images: [
    'docker.io/calico/node-windows',
    'docker.io/calico/cni-windows',
    'quay.io/calico/node-windows',
    'quay.io/calico/cni-windows',
  ],
  linuxAgents: ['calico-node'],
  derivedMac,
  ipam: 'calico-ipam',
  hostEndpoints: ['Calico_ep'],
  services: ['CalicoNode', 'CalicoFelix', 'CalicoConfd', 'CalicoUpgrade'],
  processes: ['calico-node', 'calico'],
  files: ['C:\\CalicoWindows\\nodename'],
  logs: ['C:\\CalicoWindows\\logs\\*.log', 'C:\\var\\log\\pods\\*calico*\\*\\*.log'],
  starting: ['calico', 'felix'],
  // Its record of the last boot: without it, Calico sets up the node again.
  registry: [{path: 'HKLM:\\Software\\Tigera\\Calico', name: 'LastBootTime', removable: true}],
};
