import type {Plugin} from '../model/plugin.js';
import {antreaCleanup} from './antrea/cleanup.js';
import {antrea} from './antrea/index.js';
import {awsVpcCleanup} from './aws-vpc/cleanup.js';
import {awsVpc} from './aws-vpc/index.js';
import {azureCleanup} from './azure/cleanup.js';
import {azure} from './azure/index.js';
import {calicoCleanup} from './calico/cleanup.js';
import {calico} from './calico/index.js';
import {flannelCleanup} from './flannel/cleanup.js';
import {flannel} from './flannel/index.js';
import {kubeOvnCleanup} from './kube-ovn/cleanup.js';
import {kubeOvn} from './kube-ovn/index.js';
import {ovnKubernetesCleanup} from './ovn-kubernetes/cleanup.js';
import {ovnKubernetes} from './ovn-kubernetes/index.js';
import {winBridgeCleanup} from './win-bridge/cleanup.js';
import {winBridge} from './win-bridge/index.js';
import {winOverlayCleanup} from './win-overlay/cleanup.js';
import {winOverlay} from './win-overlay/index.js';
import {wincniCleanup} from './wincni/cleanup.js';
import {wincni} from './wincni/index.js';

/** Every plugin that a Windows node can run. */
export const plugins: readonly Plugin[] = [
  {...antrea, cleanup: antreaCleanup},
  {...kubeOvn, cleanup: kubeOvnCleanup},
  {...flannel, cleanup: flannelCleanup},
  {...calico, cleanup: calicoCleanup},
  {...azure, cleanup: azureCleanup},
  {...ovnKubernetes, cleanup: ovnKubernetesCleanup},
  {...winBridge, cleanup: winBridgeCleanup},
  {...winOverlay, cleanup: winOverlayCleanup},
  {...wincni, cleanup: wincniCleanup},
  {...awsVpc, cleanup: awsVpcCleanup},
];
