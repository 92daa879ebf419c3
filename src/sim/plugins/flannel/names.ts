import type {ClusterPlan} from '../../plan.js';
import {setting} from '../plugin.js';

// What both backends share.

export const agentSet = 'kube-flannel-ds-windows-amd64';
export const annotationPrefix = 'flannel.alpha.coreos.com';
export const agentLog = `C:\\var\\log\\pods\\kube-flannel_${agentSet}\\kube-flannel\\0.log`;
export const proxyLog = 'C:\\var\\log\\pods\\kube-system_kube-proxy-windows\\kube-proxy\\0.log';
export const subnetFile = 'C:\\run\\flannel\\subnet.env';

export const version = (cluster: ClusterPlan, plugin: string) => setting(cluster, plugin, 'version', 'v0.26.1');
export const windowsImage = (cluster: ClusterPlan, plugin: string) =>
  `sigwindowstools/flannel:${version(cluster, plugin)}-hostprocess`;
