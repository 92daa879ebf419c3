import type {Plugin} from '../model/plugin.js';
import {antrea} from './antrea/index.js';
import {awsVpc} from './aws-vpc/index.js';
import {azure} from './azure/index.js';
import {calico} from './calico/index.js';
import {flannel} from './flannel/index.js';
import {kubeOvn} from './kube-ovn/index.js';
import {ovnKubernetes} from './ovn-kubernetes/index.js';
import {winBridge} from './win-bridge/index.js';
import {winOverlay} from './win-overlay/index.js';
import {wincni} from './wincni/index.js';

/** Every plugin that a Windows node can run. */
export const plugins: readonly Plugin[] = [
  antrea,
  kubeOvn,
  flannel,
  calico,
  azure,
  ovnKubernetes,
  winBridge,
  winOverlay,
  wincni,
  awsVpc,
];
