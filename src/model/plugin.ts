import type {ClusterModel, KubeNode} from '../snapshot/cluster.js';
import type {NodeModel} from '../snapshot/node.js';
import {normalPath} from '../snapshot/paths.js';
import type {AcrossNodes} from './across-nodes.js';
import type {Check, NodeSubject} from './check.js';
import type {Footprint, StateFile} from './footprint.js';
import type {Cleanup} from './plugin-cleanup.js';
import type {Preflight} from './plugin-preflight.js';
import type {TunnelSetting} from './tunnel-setting.js';

export type Confidence = 'certain' | 'likely' | 'guess';

/** The data a plugin is recognised by. Cluster or node data may be missing. */
export interface DetectionInput {
  readonly cluster: ClusterModel | undefined;
  readonly object: KubeNode | undefined;
  readonly node: NodeModel;
}

/** Evidence that a plugin runs on a node. */
export interface Recognition {
  readonly variant?: string | undefined;
  readonly version?: string | undefined;
  /** From cluster objects: what should run here. */
  readonly meant: readonly string[];
  /** From the node: what is present. */
  readonly found: readonly string[];
}

/** The HNS network that carries the pods. */
export interface PodNetwork {
  /** Its expected name on this node. */
  readonly name: string;
  /** Other names it may have instead: `vxlan0` for `flannel.4096`. */
  readonly alsoNamed?: RegExp;
  /** Types it may have. */
  readonly types: readonly string[];
  /** What updates the network when the node's subnet changes; undefined: it does not have to use the node's subnet. */
  readonly subnetFollows?: 'restart of the agent' | 'removal of the network';
  /** Why it may be missing on a healthy node at the moment. */
  readonly absentBecause?: string | undefined;
}

/** How the plugin runs on a node. Any one of these is sufficient. */
export interface Agent {
  readonly name: string;
  readonly daemonSets: readonly {readonly namespace: string; readonly name: string}[];
  readonly services: readonly string[];
  readonly processes: readonly string[];
}

/** Another node that this one must reach through a route or a remote subnet of the overlay. */
export interface Peer {
  readonly node: string;
  readonly windows: boolean;
  /** Its pod subnet. */
  readonly prefix: string;
  /** Next hop for its pods. */
  readonly address: string | undefined;
  /** MAC address of its tunnel endpoint, if the plugin has one per node. */
  readonly mac: string | undefined;
  readonly vni: number | undefined;
}

export interface OvsProfile {
  /** Whether the OVS daemons run as processes of the agent pod instead of as services. */
  readonly inPod: boolean;
  /** The port through which the node reaches its pods, and the expected address. */
  readonly gateway: {readonly port: string; readonly address: string | undefined};
  /** NAT objects that the agent creates; a prefix that cannot be determined is undefined. */
  readonly nats: readonly {readonly name: string; readonly prefix: string | undefined}[];
}

/** The expected state of a healthy node. */
export interface Profile {
  readonly network: PodNetwork | undefined;
  readonly agent: Agent | undefined;
  /**
   * The placeholder network that keeps the switch while the agent recreates its own network, if the plugin needs one.
   */
  readonly switchKeeper?: 'External';
  /** OVS bridges, if the plugin uses OVS. */
  readonly bridges: readonly string[];
  /** The adapter that has the node's address once the network is up; undefined: `vEthernet (<NIC>)`. */
  readonly managementAdapter: string | undefined;
  readonly tunnel:
    | {readonly protocol: 'vxlan' | 'geneve' | 'stt'; readonly port: number; readonly overhead: number}
    | undefined;
  /** Whether kube-proxy must run on the node. */
  readonly kubeProxy: 'needed' | 'unwanted' | 'either';
  /** Why Services cannot be reached from or through this node at all. */
  readonly servicesUnsupported?: string;
  /** The only container runtime that the plugin's guide supports. */
  readonly onlyRuntime?: 'docker';
  /** The expected subnet of the network here, if the plugin has one per node. */
  readonly podSubnet: string | undefined;
  /** The other nodes that this one must reach; undefined: unknown, or not handled by the plugin. */
  readonly peers?: readonly Peer[] | undefined;
  /** What creates the routes to the pods of other nodes; undefined: the plugin does not use such routes. */
  readonly routes?: 'agent' | 'bgp' | 'person';
  /** Adapters created by the agent that must forward packets. */
  readonly forwarders?: readonly string[];
  /** Set if the CNI configuration controls outbound NAT. */
  readonly outboundNat?: {
    /** Ranges that the CNI program excludes automatically. */
    readonly excepted: readonly string[];
    /** Whether pods also need a route policy for the address of their own node. */
    readonly routesToNode: boolean;
  };
  /** The oldest supported Kubernetes version, if it predates HostProcess pods. */
  readonly oldestKubernetes?: string;
  /** Whether it needs the Windows updates that overlays need, although its network is not an overlay. */
  readonly needsOverlayUpdates?: true;
  /** Addresses that may carry traffic between nodes and the network; undefined: cannot be determined. */
  readonly transport?: readonly string[] | undefined;
  /** Why `transport` is undefined, if another check reports the reason. */
  readonly noTransport?: string | undefined;
  /** What a plugin on OVS keeps in addition to its bridges. */
  readonly ovs?: OvsProfile;
  /** Set if ovn-controller programs the flows from OVN's southbound database. */
  readonly ovn?: {
    /** False: the plugin does not support SSL to it on Windows. */
    readonly ssl: boolean;
    /** File in which the start script stores the chassis id. */
    readonly systemIdFile: string | undefined;
  };
  /** The endpoint that the plugin creates for the host; `attached` if it is also an adapter of the host. */
  readonly hostEndpoint?: {readonly name: string; readonly attached: boolean};
  /** The annotation through which the node publishes the MAC address of its tunnel endpoint, and its value. */
  readonly tunnelMac?: {readonly annotation: string; readonly value: string | undefined};
}

/**
 * A network plugin: one folder under src/plugins exports one of these, and src/plugins/all.ts lists it. Every member is
 * mandatory, so that the compiler reports what a new plugin lacks.
 */
export interface Plugin {
  /** As used in reports and flags. */
  readonly name: string;
  /** Display name: "Kube-OVN". */
  readonly title: string;
  /** Names of HNS networks that only this plugin creates. */
  readonly ownNetworks: RegExp | undefined;
  /** The `type` of its CNI configuration. */
  readonly confType: RegExp;
  /** Its names in a cluster and on a node. */
  readonly footprint: Footprint;
  recognise(input: DetectionInput): Recognition | undefined;
  profile(input: DetectionInput, recognition: Recognition): Profile;
  /** Checks only for this plugin. */
  readonly checks: readonly Check[];
  /** How its network is repaired. */
  readonly cleanup: Cleanup;
  /** Prerequisites of an installation, loaded on demand; undefined: undocumented. */
  readonly preflight: (() => Promise<Preflight>) | undefined;
  /** Plugin-specific parts of checks that compare nodes. */
  readonly acrossNodes: AcrossNodes;
  /** What decides which adapter its tunnels use. */
  readonly tunnelSetting: TunnelSetting;
}

/** The plugin of a node, if known. */
export interface Detection {
  readonly plugin: Plugin | undefined;
  /** The name of the plugin, or `unknown`. */
  readonly name: string;
  readonly title: string;
  readonly variant: string | undefined;
  readonly version: string | undefined;
  readonly confidence: Confidence;
  readonly evidence: readonly string[];
  /** Why it could not be determined. If set, access to `plugin`, `profile` and `others` throws. */
  readonly undetermined?: string;
  readonly profile: Profile;
  /** Other plugins that left traces on this node, with the evidence. */
  readonly others: readonly {readonly plugin: Plugin; readonly recognition: Recognition}[];
  /** All registered plugins, to recognise what belongs to another plugin. */
  readonly known: readonly Plugin[];
}

/** Narrows a check to plugins: `appliesTo: runs('antrea', 'kube-ovn')`. */
export function runs(...names: string[]): (subject: NodeSubject) => boolean {
  return ({plugin}) => plugin.plugin !== undefined && names.includes(plugin.plugin.name);
}

/** The state file at a path, of whichever plugin; undefined: not a state file. */
export function stateFile({known}: Detection, path: string): StateFile | undefined {
  const its = normalPath(path);
  return known.flatMap(({footprint}) => footprint.stateFiles).find(file => normalPath(file.path) === its);
}

export function usesOvs({plugin}: NodeSubject): boolean {
  return plugin.profile.bridges.length > 0;
}
