import {host, offset, parseSubnet} from './addresses.js';
import {releases} from './node/release.js';
import type {ClusterPlan, NodePlan, WorkloadPlan} from './plan.js';
import {pluginNamed} from './plugins/registry.js';
import {Random} from './random.js';
import type {Scenario, ScenarioNode} from './scenario.js';
import {before, day, hour, minute} from './time.js';

export function planCluster(scenario: Scenario, seed: string, now: Date): ClusterPlan {
  const random = new Random(`${scenario.name}/${seed}`);
  const createdAt = before(now, 118 * day + 20 * hour);
  const nodes = scenario.nodes.flatMap(expand).map((entry, number) => planNode(scenario, entry, number, random, now));
  const control = nodes.find(node => node.controlPlane) ?? nodes[0];
  const workloads = scenario.workloads.map((workload, index): WorkloadPlan => {
    const {name, namespace, port, targetPort, service} = workload;
    const own = random.for(`workload/${namespace}/${name}`);
    const on = nodes
      .filter(node => node.os === 'windows' && (workload.nodes?.includes(node.name) ?? true))
      .slice(0, workload.replicas);
    const clusterIP = offset(parseSubnet(scenario.serviceNetwork).network, 2_000 + 317 * (index + 1));
    return {name, namespace, port, targetPort, service, clusterIP, replicaSet: `${name}-${own.suffix(9)}`, nodes: on};
  });
  placePods(workloads);
  const cluster: ClusterPlan = {
    scenario,
    now,
    createdAt,
    random,
    version: scenario.kubernetes,
    apiServer: scenario.apiServer ?? control?.address ?? '127.0.0.1',
    podNetwork: scenario.podNetwork,
    serviceNetwork: scenario.serviceNetwork,
    dnsService: host(scenario.serviceNetwork, 10),
    nodes,
    workloads,
  };
  for (const node of nodes) {
    for (const pod of node.pods) pod.address = pluginNamed(node.plugin).podAddress(cluster, node, pod);
  }
  return cluster;
}

/** An entry with `replicas` becomes several nodes with consecutive addresses on each adapter. */
function expand(entry: ScenarioNode): ScenarioNode[] {
  const {replicas} = entry;
  if (replicas === undefined) return [entry];
  const [address = '', prefix] = entry.address.split('/');
  const {network, prefix: podPrefix} = parseSubnet(entry.podCIDR);
  return Array.from({length: replicas}, (_, index) => ({
    ...entry,
    name: entry.name.replaceAll('{i}', String(index + 1)),
    address: `${offset(address, index)}/${prefix}`,
    podCIDR: `${offset(network, index * 2 ** (32 - podPrefix))}/${podPrefix}`,
    otherAdapters: entry.otherAdapters.map(other => {
      const [first = '', length] = other.address.split('/');
      return {...other, address: `${offset(first, index)}/${length}`};
    }),
  }));
}

function planNode(scenario: Scenario, entry: ScenarioNode, number: number, random: Random, now: Date): NodePlan {
  const own = random.for(`node/${entry.name}`);
  const {address, prefix} = adapterOf(entry.address);
  return {
    name: entry.name,
    number,
    os: entry.os,
    controlPlane: entry.controlPlane,
    address,
    prefix,
    gateway: host(entry.address, 1),
    nameServer: host(entry.address, 5),
    podCIDR: entry.podCIDR,
    release: releases[entry.windows === 2019 ? '2019' : '2022'],
    plugin: entry.plugin ?? Object.keys(scenario.plugins)[0] ?? '',
    dhcp: entry.dhcp,
    adapter: entry.adapter,
    otherAdapters: entry.otherAdapters.map(({name, address}) => ({name, ...adapterOf(address)})),
    bootedAt: before(now, own.int(3, 9) * day + own.int(1, 20) * hour + own.int(1, 59) * minute),
    joinedAt: before(now, 118 * day + own.int(1, 19) * hour),
    pods: [],
    entry,
    random: own,
  };
}

function adapterOf(text: string) {
  const [address = '', prefix = '24'] = text.split('/');
  return {address, prefix: Number(prefix)};
}

function placePods(workloads: readonly WorkloadPlan[]): void {
  let overall = 0;
  for (const [index, workload] of workloads.entries()) {
    for (const node of workload.nodes) {
      const random = node.random.for(`pod/${workload.namespace}/${workload.name}`);
      node.pods.push({
        name: `${workload.replicaSet}-${random.suffix(5)}`,
        namespace: workload.namespace,
        app: workload.name,
        replicaSet: workload.replicaSet,
        number: node.pods.length,
        overall: overall++,
        address: '',
        sandbox: random.hex(64),
        startedAt: new Date(node.bootedAt.getTime() + (index + 1) * hour),
        targetPort: workload.targetPort,
        random,
      });
    }
  }
}
