import type {ClusterPlan} from '../../plan.js';
import {runsAsService, setting} from '../plugin.js';

// Shared by both backends.

export const agentSet = 'kube-flannel-ds-windows-amd64';
export const annotationPrefix = 'flannel.alpha.coreos.com';
/** The services that setup_windowsnode.ps1 installs. */
export const agentService = 'flanneld';
export const proxyService = 'kubeproxy';
/** klog writes its own files for services; the kubelet writes the logs of pods. */
const klogFile = (folder: string, program: string) =>
  `C:\\k\\logs\\${folder}\\${program}.exe.WIN.SYSTEM.log.INFO.20260301-101500.4912`;
export const agentLog = (cluster: ClusterPlan) =>
  runsAsService(cluster, 'flannel')
    ? klogFile('flanneld', 'flanneld')
    : `C:\\var\\log\\pods\\kube-flannel_${agentSet}\\kube-flannel\\0.log`;
export const proxyLog = (cluster: ClusterPlan) =>
  runsAsService(cluster, 'flannel')
    ? klogFile('kubeproxy', 'kube-proxy')
    : 'C:\\var\\log\\pods\\kube-system_kube-proxy-windows\\kube-proxy\\0.log';
export const subnetFile = 'C:\\run\\flannel\\subnet.env';

export const version = (cluster: ClusterPlan, plugin: string) => setting(cluster, plugin, 'version', 'v0.26.1');
export const windowsImage = (cluster: ClusterPlan, plugin: string) =>
  `sigwindowstools/flannel:${version(cluster, plugin)}-hostprocess`;
