import {type ApiObject, timestamp} from '../../api/object.js';
import {configMap, daemonSet, deployment, object} from '../../cluster/workloads.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, minute, second} from '../../time.js';
import {nodeSelector, nodesOf, runsAsService} from '../plugin.js';
import {agentPodName, agentSet, cniConfig, hasOvsInPod, name, version, windowsImage} from './names.js';

const labels = {app: 'antrea', component: 'antrea-agent'};
const namespace = 'kube-system';

/** The cluster objects of Antrea: agents for both operating systems, the controller, and configuration. */
export function antreaObjects(cluster: ClusterPlan): ApiObject[] {
  const nodes = nodesOf(cluster, name);
  const linux = nodes.filter(node => node.os === 'linux');
  return [
    ...linuxAgents(cluster, linux),
    ...(runsAsService(cluster, name)
      ? []
      : windowsAgents(
          cluster,
          nodes.filter(node => node.os === 'windows'),
        )),
    ...controller(cluster, linux),
    ...configuration(cluster),
    ...nodes.map(node => agentInfo(cluster, node)),
  ];
}

function linuxAgents(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  const image = `antrea/antrea-agent-ubuntu:${version(cluster)}`;
  return daemonSet(cluster, {
    name: 'antrea-agent',
    namespace,
    labels,
    nodes,
    spec: {
      containers: [
        {name: 'antrea-agent', image},
        {name: 'antrea-ovs', image},
      ],
      hostNetwork: true,
      nodeSelector: nodeSelector(cluster, name, 'linux'),
      serviceAccountName: 'antrea-agent',
      tolerations: [{operator: 'Exists'}],
    },
  });
}

/** The second container of antrea-windows-with-ovs.yml. */
const ovsContainer = (image: string) => ({
  name: 'antrea-ovs',
  image,
  command: ['powershell'],
  args: ['-file', '$env:CONTAINER_SANDBOX_MOUNT_POINT/var/lib/antrea-windows/Run-AntreaOVS.ps1'],
});

function windowsAgents(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  const image = windowsImage(cluster);
  const withOvs = hasOvsInPod(cluster);
  return daemonSet(cluster, {
    name: agentSet,
    namespace,
    labels,
    podAnnotations: {'microsoft.com/hostprocess-inherit-user': 'true'},
    nodes,
    startedAfterBoot: 3 * minute + 12 * second,
    spec: {
      initContainers: [{name: 'install-cni', image}, ...(withOvs ? [{name: 'install-ovs-driver', image}] : [])],
      containers: [
        {
          name: 'antrea-agent',
          image,
          command: ['powershell'],
          args: ['-file', '$env:CONTAINER_SANDBOX_MOUNT_POINT/var/lib/antrea-windows/Run-AntreaAgent.ps1'],
          env: [{name: 'NODE_NAME', valueFrom: {fieldRef: {fieldPath: 'spec.nodeName'}}}],
          readinessProbe: {
            httpGet: {path: '/readyz', port: 10350, scheme: 'HTTPS'},
            initialDelaySeconds: 10,
            periodSeconds: 10,
            failureThreshold: 8,
          },
        },
        ...(withOvs ? [ovsContainer(image)] : []),
      ],
      hostNetwork: true,
      nodeSelector: nodeSelector(cluster, name, 'windows'),
      securityContext: {windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM'}},
      serviceAccountName: 'antrea-agent',
      tolerations: [{operator: 'Exists'}],
      volumes: [
        {name: 'antrea-windows-config', configMap: {name: 'antrea-windows-config'}},
        {name: 'antrea-agent-windows', configMap: {name: 'antrea-agent-windows', defaultMode: 420}},
        {name: 'var-log-antrea', hostPath: {path: '/var/log/antrea/', type: 'DirectoryOrCreate'}},
      ],
    },
  });
}

function controller(cluster: ClusterPlan, linux: readonly NodePlan[]): ApiObject[] {
  const [node] = linux;
  if (!node) return [];
  const random = cluster.random.for('antrea-controller');
  const replicaSet = `antrea-controller-${random.suffix(9)}`;
  return deployment(cluster, {
    name: 'antrea-controller',
    namespace,
    labels: {app: 'antrea', component: 'antrea-controller'},
    replicaSet,
    spec: {
      containers: [{name: 'antrea-controller', image: `antrea/antrea-controller-ubuntu:${version(cluster)}`}],
      hostNetwork: true,
      nodeSelector: {'kubernetes.io/os': 'linux'},
      serviceAccountName: 'antrea-controller',
      tolerations: [{effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane'}],
    },
    pods: [
      {
        name: `${replicaSet}-${random.suffix(5)}`,
        node,
        startedAt: after(node.joinedAt, 5 * minute),
        address: node.address,
      },
    ],
  });
}

function configuration(cluster: ClusterPlan): ApiObject[] {
  const own = {app: 'antrea'};
  const linuxAgent = `featureGates: {}
trafficEncapMode: encap
tunnelType: geneve
serviceCIDR: ""
antreaProxy:
  enable: true
  proxyAll: false
`;
  const windowsAgent = `featureGates: {}
#ovsBridge: br-int
#hostGateway: antrea-gw0
#tunnelType: geneve
#transportInterface:
kubeAPIServerOverride: "https://${cluster.apiServer}:6443"
antreaProxy:
  enable: true
  proxyAll: true
  serviceProxyName: ""
`;
  return [
    configMap(
      cluster,
      'antrea-config',
      namespace,
      {'antrea-agent.conf': linuxAgent, 'antrea-controller.conf': 'featureGates: {}\n'},
      own,
    ),
    configMap(
      cluster,
      'antrea-windows-config',
      namespace,
      {'antrea-agent.conf': windowsAgent, 'antrea-cni.conflist': cniConfig},
      own,
    ),
    configMap(
      cluster,
      'antrea-agent-windows',
      namespace,
      {
        'Install-WindowsCNI.ps1': "$ErrorActionPreference = 'Stop'\n",
        'Run-AntreaAgent.ps1': "$ErrorActionPreference = 'Stop'\n",
      },
      own,
    ),
    object(cluster, 'v1', 'ServiceAccount', 'antrea-agent', namespace),
    object(cluster, 'v1', 'ServiceAccount', 'antrea-controller', namespace),
  ];
}

function agentInfo(cluster: ClusterPlan, node: NodePlan): ApiObject {
  const heard = timestamp(before(cluster.now, node.random.for('agent-info').int(5, 55) * second));
  const conditions = ['AgentHealthy', 'ControllerConnectionUp', 'OVSDBConnectionUp', 'OpenflowConnectionUp'];
  return {
    ...object(cluster, 'crd.antrea.io/v1beta1', 'AntreaAgentInfo', node.name),
    version: version(cluster),
    podRef: {kind: 'Pod', namespace, name: agentPodName(node)},
    nodeRef: {kind: 'Node', name: node.name},
    nodeSubnets: [node.podCIDR],
    ovsInfo: {version: '3.0.5', bridgeName: 'br-int'},
    localPodNum: node.os === 'windows' ? node.pods.length : 2,
    apiPort: 10350,
    agentConditions: conditions.map(type => ({type, status: 'True', lastHeartbeatTime: heard})),
  };
}
