import type {ApiObject} from '../api/object.js';
import type {ClusterPlan} from '../plan.js';
import {nodeSelector, nodesOf} from '../plugins/plugin.js';
import {minute, second} from '../time.js';
import {daemonSet} from './workloads.js';

/** Seconds after boot at which kube-proxy starts on a Windows node. */
export const kubeProxyStart = 204;

export const kubeProxySet = 'kube-proxy-windows';

/** The kube-proxy images contain a start script for one kind of network. */
export const kubeProxyImage = (cluster: ClusterPlan, flavour: 'flannel' | 'calico') =>
  `sigwindowstools/kube-proxy:${cluster.version}-${flavour}-hostprocess`;

/** kube-proxy for the Windows nodes of a plugin, bound to the plugin's HNS network. */
export function kubeProxyWindows(cluster: ClusterPlan, plugin: string, network: string, image: string): ApiObject[] {
  return daemonSet(cluster, {
    name: kubeProxySet,
    namespace: 'kube-system',
    labels: {'k8s-app': 'kube-proxy'},
    podLabels: {'k8s-app': 'kube-proxy-windows'},
    nodes: nodesOf(cluster, plugin).filter(node => node.os === 'windows'),
    startedAfterBoot: 3 * minute + 16 * second,
    spec: {
      containers: [
        {
          name: 'kube-proxy',
          image,
          env: [
            {name: 'KUBE_NETWORK', value: network},
            {name: 'CNI_BIN_PATH', value: 'C:\\\\opt\\\\cni\\\\bin'},
            {name: 'NODE_NAME', valueFrom: {fieldRef: {apiVersion: 'v1', fieldPath: 'spec.nodeName'}}},
          ],
        },
      ],
      hostNetwork: true,
      nodeSelector: nodeSelector(cluster, plugin, 'windows'),
      securityContext: {windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM'}},
      tolerations: [{operator: 'Exists'}],
    },
  });
}
