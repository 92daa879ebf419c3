import type {Release} from './node/release.js';
import type {Random} from './random.js';
import type {Scenario, ScenarioNode} from './scenario.js';

/** A pod of a workload, as it was while its node was healthy. */
export interface PodPlan {
  name: string;
  namespace: string;
  app: string;
  replicaSet: string;
  /** Index among the pods of its node, and of the cluster. */
  number: number;
  overall: number;
  /** Assigned by the plugin. */
  address: string;
  sandbox: string;
  startedAt: Date;
  targetPort: number;
  random: Random;
}

export interface AdapterPlan {
  name: string;
  address: string;
  prefix: number;
}

export interface NodePlan {
  name: string;
  /** Index in the cluster. */
  number: number;
  os: 'linux' | 'windows';
  controlPlane: boolean;
  address: string;
  prefix: number;
  gateway: string;
  nameServer: string;
  podCIDR: string;
  release: Release;
  plugin: string;
  dhcp: boolean;
  adapter: string | undefined;
  otherAdapters: readonly AdapterPlan[];
  bootedAt: Date;
  joinedAt: Date;
  pods: PodPlan[];
  entry: ScenarioNode;
  random: Random;
}

export interface WorkloadPlan {
  name: string;
  namespace: string;
  port: number;
  targetPort: number;
  service: boolean;
  clusterIP: string;
  replicaSet: string;
  nodes: readonly NodePlan[];
}

/** A scenario with everything it leaves open filled in: addresses, names, times. */
export interface ClusterPlan {
  scenario: Scenario;
  now: Date;
  createdAt: Date;
  random: Random;
  version: string;
  /** The address at which nodes reach the control plane. */
  apiServer: string;
  podNetwork: string;
  serviceNetwork: string;
  dnsService: string;
  nodes: readonly NodePlan[];
  workloads: readonly WorkloadPlan[];
}
