import {host, parseSubnet} from '../addresses.js';
import {servicesOf} from '../cluster/service-table.js';
import type {JsonObject} from '../json.js';
import {addRows} from '../node/edit.js';
import {HostNetwork} from '../node/host-network.js';
import {type NodeState, rows} from '../node/state.js';
import {countEndpoints} from '../node/switch.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../plan.js';
import type {Starting, WaitingPod} from './plugin.js';

/**
 * A pod in a CNI ADD: with a new sandbox, and its previous address if it had one. A new pod gets a free address;
 * undefined if there is none.
 */
export function sandboxOf(
  {node, now, random}: Pick<Starting, 'node' | 'now' | 'random'>,
  {name, namespace}: WaitingPod,
  freeAddress: () => string | undefined,
): PodPlan | undefined {
  const number = node.pods.findIndex(pod => pod.name === name && pod.namespace === namespace);
  const known = node.pods[number];
  const address = known?.address ?? freeAddress();
  if (address === undefined) return undefined;
  return {
    name,
    namespace,
    app: known?.app ?? name,
    replicaSet: known?.replicaSet ?? '',
    number: known?.number ?? node.pods.length,
    overall: known?.overall ?? 0,
    address,
    sandbox: random.for(`sandbox/${namespace}/${name}`).hex(64),
    startedAt: now,
    targetPort: known?.targetPort ?? 80,
    random: known?.random ?? node.random.for(`pod/${namespace}/${name}`),
  };
}

/** Adds the endpoint of a pod, with a vNIC in the compartment of the pod. */
export function attach({state, random}: Starting, endpoint: JsonObject, mtu: number): void {
  addRows(state, 'hnsEndpoints', endpoint);
  const network = new HostNetwork(random.for(String(endpoint.Name)), state);
  const mac = String(endpoint.MacAddress).replaceAll('-', ':').toLowerCase();
  network.adapter({
    name: `vEthernet (${endpoint.Name})`,
    description: '',
    index: network.nextIndex(),
    mac,
    mtu,
    elsewhere: true,
  });
  Object.assign(state.sections, network.sections());
  countEndpoints(state);
}

/** The first address of a subnet, starting at `first`, that is not in use on the node. */
export function freeOf(
  state: NodeState,
  {pods}: NodePlan,
  subnet: string,
  first: number,
  leased: Iterable<string> = [],
): string | undefined {
  const used = new Set([
    ...leased,
    ...pods.map(pod => pod.address),
    ...rows(state, 'hnsEndpoints').map(endpoint => String(endpoint.IPAddress)),
  ]);
  const last = 2 ** (32 - parseSubnet(subnet).prefix) - 2;
  const count = Math.max(0, last - first + 1);
  return Array.from({length: count}, (_, index) => host(subnet, first + index)).find(address => !used.has(address));
}

export const hasAddress = (state: NodeState, address: string): boolean =>
  rows(state, 'netIPAddresses').some(row => row.IPAddress === address);

/** The input of a start after a reboot, if the cluster has not changed since it was planned. */
export const startingAfterBoot = (cluster: ClusterPlan, node: NodePlan, state: NodeState, now: Date): Starting => ({
  cluster,
  node,
  state,
  now,
  random: node.random.for('after boot'),
  services: servicesOf(cluster),
  annotations: new Map(),
});

/** The pods of a node after the kubelet restarts them. */
export const podsAfterBoot = (node: NodePlan, now: Date): PodPlan[] =>
  node.pods.flatMap(pod => sandboxOf({node, now, random: node.random.for('after boot')}, pod, () => undefined) ?? []);
