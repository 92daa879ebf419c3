import {type ApiObject, timestamp} from '../api/object.js';
import type {JsonObject} from '../json.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import type {NodeMarks} from '../plugins/plugin.js';
import {after, before, minute, second} from '../time.js';
import {minor} from '../version.js';
import {imageDigest} from './pod-status.js';
import {object} from './workloads.js';

const kinds = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;

function conditions(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const since = after(node.os === 'windows' ? node.bootedAt : node.joinedAt, 2 * minute);
  const heartbeat = before(cluster.now, node.random.for('heartbeat').int(10, 150) * second);
  return kinds.map(([type, status, reason, message]) => ({
    type,
    status,
    lastHeartbeatTime: timestamp(heartbeat),
    lastTransitionTime: timestamp(since),
    reason,
    message,
  }));
}

export const hostProcessImage = 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0';

/** A Node and its lease. */
export function node(cluster: ClusterPlan, plan: NodePlan, marks: NodeMarks, images: readonly string[]): ApiObject[] {
  const {name, os, entry, random} = plan;
  const windows = os === 'windows';
  const base = object(cluster, 'v1', 'Node', name);
  const runtime = entry.faults.docker ? 'docker://20.10.9' : 'containerd://1.7.23';
  const memory = random.for('memory').int(15_800, 16_600);
  const made: ApiObject = {
    ...base,
    metadata: {
      ...base.metadata,
      creationTimestamp: timestamp(plan.joinedAt),
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': os,
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': os,
        ...(plan.controlPlane && {'node-role.kubernetes.io/control-plane': ''}),
        ...(windows && {'node.kubernetes.io/windows-build': plan.release.version}),
        ...marks.labels,
        ...entry.labels,
      },
      annotations: {
        'kubeadm.alpha.kubernetes.io/cri-socket': windows
          ? 'npipe:////./pipe/containerd-containerd'
          : 'unix:///var/run/containerd/containerd.sock',
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
        ...marks.annotations,
        ...entry.annotations,
      },
    },
    spec: {
      ...(marks.spec ?? {podCIDR: plan.podCIDR, podCIDRs: [plan.podCIDR]}),
      ...(plan.controlPlane && {taints: [{effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane'}]}),
    },
    status: {
      addresses: [
        {type: 'InternalIP', address: plan.address},
        {type: 'Hostname', address: name},
      ],
      allocatable: {cpu: '4', memory: `${memory - 100}Mi`, pods: '110'},
      capacity: {cpu: '4', memory: `${memory}Mi`, pods: '110'},
      conditions: conditions(cluster, plan),
      daemonEndpoints: {kubeletEndpoint: {Port: 10250}},
      ...(minor(cluster.version) >= 36 && {declaredFeatures: ['ExtendWebSocketsToKubelet']}),
      images: images.map(image => ({
        // The kubelet lists the digest before the tag.
        names: [imageDigest(image), image],
        sizeBytes: image === hostProcessImage ? 8400 : random.for(image).int(60_000_000, 230_000_000),
      })),
      nodeInfo: {
        architecture: 'amd64',
        bootID: windows ? String(random.for('boot').int(5, 60)) : random.for('boot').uuid(),
        containerRuntimeVersion: runtime,
        kernelVersion: windows ? `${plan.release.version}.${plan.release.revision}` : '5.15.0-126-generic',
        kubeProxyVersion: cluster.version,
        kubeletVersion: cluster.version,
        machineID: windows ? name.toUpperCase() : random.for('machine').hex(32),
        operatingSystem: os,
        osImage: windows ? plan.release.osImage : 'Ubuntu 22.04.5 LTS',
        systemUUID: windows ? random.for('system').guid() : random.for('system').uuid(),
      },
    },
  };
  return [made, lease(cluster, plan)];
}

function lease(cluster: ClusterPlan, {name, random}: NodePlan): ApiObject {
  const base = object(cluster, 'coordination.k8s.io/v1', 'Lease', name, 'kube-node-lease');
  const renewed = before(cluster.now, random.for('lease').int(1, 9) * second);
  const renewTime = `${timestamp(renewed).slice(0, -1)}.000000Z`;
  return {...base, spec: {holderIdentity: name, leaseDurationSeconds: 40, renewTime}};
}
