import {podType} from '../../src/sim/api/resource-types.js';
import {textAt} from '../../src/sim/json.js';
import {rows} from '../../src/sim/node/state.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {parseScenario} from '../../src/sim/scenarios.js';
import type {SimulationOptions} from '../../src/sim/simulation.js';
import {type Cluster, startClusterOf} from './support.js';

/** Antrea nodes with a disabled OVS extension and running pods: a hard plan removes the network that they use. */
const withoutExtension = (nodes: number) => `description: Antrea nodes whose OVS extension is off
kubernetes: v1.31.4
podNetwork: 10.124.0.0/16
plugins: { antrea: { version: v2.2.0 } }
nodes:
  - { name: lx-ctl-1, os: linux, controlPlane: true, address: 10.21.40.11/24, podCIDR: 10.124.0.0/24 }
  - name: "win-{i}"
    replicas: ${nodes}
    address: 10.21.40.61/24
    podCIDR: 10.124.1.0/24
    events: [ovs-extension-off]
workloads:
  - { name: storefront, namespace: shop }
`;

/** Antrea nodes that were all rebooted at the same time, without running pods. */
const rebooted = (nodes: number) =>
  withoutExtension(nodes).replace('ovs-extension-off', 'reboot').split('workloads')[0];

type FleetKind = 'without-extension' | 'rebooted';

export const fleet = (kind: FleetKind, nodes: number): Scenario =>
  parseScenario(kind, (kind === 'rebooted' ? rebooted : withoutExtension)(nodes) ?? '');

export async function startFleet(
  kind: FleetKind,
  nodes: number,
  options: Partial<SimulationOptions> = {},
): Promise<Cluster> {
  const pace = {stepMs: 60, timeScale: 0.01, cutMs: 300, retryMs: 200};
  return startClusterOf(fleet(kind, nodes), {pace, ...options});
}

interface Alive {
  node: string;
  pod: string;
  uid: string;
  address: string;
  endpoint: unknown;
}

/** Pods that run on Windows nodes and have their own endpoint. */
export function alivePods({simulation}: Cluster): Alive[] {
  return [...simulation.store.all(podType)].flatMap(pod => {
    const node = simulation.nodes.get(textAt(pod, 'spec', 'nodeName'));
    const address = textAt(pod, 'status', 'podIP');
    if (node?.os !== 'windows') return [];
    const endpoint = rows(node.state, 'hnsEndpoints').find(
      ({IPAddress, IsRemoteEndpoint}) => IPAddress === address && IsRemoteEndpoint !== true,
    );
    if (!endpoint) return [];
    const {name, namespace, uid = ''} = pod.metadata;
    return [{node: node.name, pod: `${namespace}/${name}`, uid, address, endpoint: endpoint.ID}];
  });
}

interface PlanDocument {
  node: string;
  loses: {namespace: string; pod: string}[];
  items?: PlanDocument[];
}

/** The pods that lose their network according to a plan. */
export async function toldLosses(cluster: Cluster, ...args: string[]): Promise<string[]> {
  const {stdout} = await cluster.win('cleanup', ...args, '--dry-run=client', '-o', 'json');
  const document = JSON.parse(stdout) as PlanDocument;
  return (document.items ?? [document]).flatMap(({loses}) => loses.map(({namespace, pod}) => `${namespace}/${pod}`));
}

/** Pods that lost their endpoint without being listed. */
export function lostUntold(cluster: Cluster, before: readonly Alive[], told: readonly string[]): string[] {
  const now = alivePods(cluster);
  return before
    .filter(({pod}) => !told.includes(pod))
    .filter(({uid, endpoint}) => !now.some(pod => pod.uid === uid && pod.endpoint === endpoint))
    .map(({pod}) => pod);
}

/** The nodes' plans as shown by `--status`. */
export async function statusOf(cluster: Cluster, ...nodes: string[]) {
  const {stdout} = await cluster.win('cleanup', ...nodes, '--status', '-o', 'json');
  const {items} = JSON.parse(stdout) as {
    items: {node: string; error?: string; plans: {id: string; state: string; done: number; steps: number}[]}[];
  };
  return items;
}
