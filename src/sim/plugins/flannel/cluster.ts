import type {ApiObject} from '../../api/object.js';
import {kubeProxyImage, kubeProxyWindows} from '../../cluster/kube-proxy.js';
import {namespaceObject as namespaceObjects} from '../../cluster/system.js';
import {configMap, daemonSet, object} from '../../cluster/workloads.js';
import type {ClusterPlan} from '../../plan.js';
import {minute, second} from '../../time.js';
import {nodeSelector, nodesOf, runsAsService} from '../plugin.js';
import {agentSet, version, windowsImage} from './names.js';

const namespace = 'kube-flannel';

/** Differences between the backends in the cluster. */
export interface Backend {
  plugin: string;
  network: string;
  netConf(cluster: ClusterPlan): string;
  /** The CNI configuration template. */
  cniTemplate: string;
}

const onlyOn = (labels: Record<string, string>) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        {matchExpressions: Object.entries(labels).map(([key, value]) => ({key, operator: 'In', values: [value]}))},
      ],
    },
  },
});

/** The cluster objects of Flannel: DaemonSets and configuration, and kube-proxy for Windows. */
export function flannelObjects(cluster: ClusterPlan, backend: Backend): ApiObject[] {
  const {plugin, network} = backend;
  return [
    ...namespaceObjects(cluster, namespace, {
      'k8s-app': 'flannel',
      'pod-security.kubernetes.io/enforce': 'privileged',
    }),
    object(cluster, 'v1', 'ServiceAccount', 'flannel', namespace),
    ...configuration(cluster, backend),
    ...linuxAgents(cluster, plugin),
    ...(runsAsService(cluster, plugin)
      ? []
      : [
          ...windowsAgents(cluster, plugin),
          ...kubeProxyWindows(cluster, plugin, network, kubeProxyImage(cluster, 'flannel')),
        ]),
  ];
}

function configuration(cluster: ClusterPlan, {netConf, cniTemplate}: Backend): ApiObject[] {
  const linuxCni = {
    name: 'cbr0',
    cniVersion: '0.3.1',
    plugins: [
      {type: 'flannel', delegate: {hairpinMode: true, isDefaultGateway: true}},
      {type: 'portmap', capabilities: {portMappings: true}},
    ],
  };
  return [
    configMap(
      cluster,
      'kube-flannel-cfg',
      namespace,
      {'cni-conf.json': JSON.stringify(linuxCni, undefined, 2), 'net-conf.json': netConf(cluster)},
      {app: 'flannel', 'k8s-app': 'flannel', tier: 'node'},
    ),
    configMap(
      cluster,
      'kube-flannel-windows-cfg',
      namespace,
      {'cni-conf-containerd.json': cniTemplate},
      {app: 'flannel', tier: 'node'},
    ),
  ];
}

function linuxAgents(cluster: ClusterPlan, plugin: string): ApiObject[] {
  return daemonSet(cluster, {
    name: 'kube-flannel-ds',
    namespace,
    labels: {app: 'flannel', 'k8s-app': 'flannel'},
    nodes: nodesOf(cluster, plugin).filter(node => node.os === 'linux'),
    spec: {
      affinity: onlyOn(nodeSelector(cluster, plugin, 'linux')),
      containers: [
        {
          name: 'kube-flannel',
          image: `ghcr.io/flannel-io/flannel:${version(cluster, plugin)}`,
          command: ['/opt/bin/flanneld'],
          args: ['--ip-masq', '--kube-subnet-mgr'],
        },
      ],
      hostNetwork: true,
      serviceAccountName: 'flannel',
      tolerations: [{operator: 'Exists'}],
    },
  });
}

function windowsAgents(cluster: ClusterPlan, plugin: string): ApiObject[] {
  return daemonSet(cluster, {
    name: agentSet,
    namespace,
    labels: {app: 'flannel', tier: 'node'},
    nodes: nodesOf(cluster, plugin).filter(node => node.os === 'windows'),
    startedAfterBoot: 2 * minute + 20 * second,
    spec: {
      affinity: onlyOn(nodeSelector(cluster, plugin, 'windows')),
      containers: [
        {
          name: 'kube-flannel',
          image: windowsImage(cluster, plugin),
          env: [
            {name: 'CNI_BIN_PATH', value: 'C:\\\\opt\\\\cni\\\\bin'},
            {name: 'CNI_CONFIG_PATH', value: 'C:\\\\etc\\\\cni\\\\net.d'},
            {name: 'SERVICE_SUBNET', value: cluster.serviceNetwork},
            // Until kube-proxy has programmed its rules, flanneld cannot reach the API server through its Service.
            {name: 'KUBERNETES_SERVICE_HOST', value: cluster.apiServer},
            {name: 'KUBERNETES_SERVICE_PORT', value: '6443'},
            {name: 'POD_NAME', valueFrom: {fieldRef: {apiVersion: 'v1', fieldPath: 'metadata.name'}}},
          ],
          volumeMounts: [
            {name: 'flannel-cfg', mountPath: '/mounts/kube-flannel/'},
            {name: 'flannel-windows-cfg', mountPath: '/mounts/kube-flannel-windows/'},
          ],
        },
      ],
      hostNetwork: true,
      securityContext: {windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM'}},
      serviceAccountName: 'flannel',
      tolerations: [{operator: 'Exists'}],
      volumes: [
        {name: 'flannel-cfg', configMap: {name: 'kube-flannel-cfg'}},
        {name: 'flannel-windows-cfg', configMap: {name: 'kube-flannel-windows-cfg'}},
      ],
    },
  });
}
