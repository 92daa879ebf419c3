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

/** The two sides a plugin can be told by. Either may be missing. */
export interface Sight {
  readonly cluster: ClusterModel | undefined;
  readonly object: KubeNode | undefined;
  readonly node: NodeModel;
}

/** What a plugin sees of itself on a node. */
export interface Recognition {
  readonly variant?: string | undefined;
  readonly version?: string | undefined;
  /** From the cluster's objects: what is meant to run here. */
  readonly meant: readonly string[];
  /** From the node: what is really there. */
  readonly found: readonly string[];
}

/** The HNS network that carries the pods. */
export interface PodNetwork {
  /** The name it has, or should get, on this node. */
  readonly name: string;
  /** Other names it may have instead: `vxlan0` for `flannel.4096`. */
  readonly alsoNamed?: RegExp;
  /** Types it may have. */
  readonly types: readonly string[];
  /** When it gets the subnet of the node, where that one changes; undefined: it need not carry it. */
  readonly subnetFollows?: 'restart of the agent' | 'removal of the network';
  /** Why it may be missing on a healthy node now. */
  readonly absentBecause?: string | undefined;
}

/** How the plugin runs on a node. Any one of these that is there counts. */
export interface Agent {
  readonly name: string;
  readonly daemonSets: readonly {readonly namespace: string; readonly name: string}[];
  readonly services: readonly string[];
  readonly processes: readonly string[];
}

/** Another node as this one must know it: a route, or a remote subnet of the overlay. */
export interface Peer {
  readonly node: string;
  readonly windows: boolean;
  /** Where its pods are. */
  readonly prefix: string;
  /** Where to send what is for them. */
  readonly address: string | undefined;
  /** MAC of its tunnel end, where the plugin has one a node. */
  readonly mac: string | undefined;
  readonly vni: number | undefined;
}

export interface OvsProfile {
  /** Whether the daemons of OVS are processes of the agent's pod: then there are no services. */
  readonly inPod: boolean;
  /** The port through which the node itself talks to pods, and the address it should have. */
  readonly gateway: {readonly port: string; readonly address: string | undefined};
  /** Address translations that the agent makes; a prefix that cannot be determined is undefined. */
  readonly nats: readonly {readonly name: string; readonly prefix: string | undefined}[];
}

/** What healthy looks like, on one node. */
export interface Profile {
  readonly network: PodNetwork | undefined;
  readonly agent: Agent | undefined;
  /** The network that only keeps the switch while the agent recreates its own, where the plugin needs one. */
  readonly switchKeeper?: 'External';
  /** OVS bridges, where the plugin runs on OVS. */
  readonly bridges: readonly string[];
  /** The adapter that holds the node's address once the network is up; undefined: `vEthernet (<NIC>)`. */
  readonly managementAdapter: string | undefined;
  readonly tunnel:
    | {readonly protocol: 'vxlan' | 'geneve' | 'stt'; readonly port: number; readonly overhead: number}
    | undefined;
  /** Whether kube-proxy belongs on the node. */
  readonly kubeProxy: 'needed' | 'unwanted' | 'either';
  /** Why no Service of the cluster can be reached from or through this node, whatever runs on it. */
  readonly servicesUnsupported?: string;
  /** The container runtime that the plugin's guide requires, where it names one alone. */
  readonly onlyRuntime?: 'docker';
  /** The subnet that the network should carry here, where the plugin has one a node. */
  readonly podSubnet: string | undefined;
  /** The other nodes that this one needs a way to; undefined: not known, or not the plugin's business. */
  readonly peers?: readonly Peer[] | undefined;
  /** Who makes the plain routes to the pods of other nodes; undefined: they are not reached by such routes. */
  readonly routes?: 'agent' | 'bgp' | 'person';
  /** Adapters of the agent's own that must forward packets. */
  readonly forwarders?: readonly string[];
  /** Where the CNI configuration sets how pods reach other networks. */
  readonly outboundNat?: {
    /** Ranges that the CNI program excepts by itself. */
    readonly excepted: readonly string[];
    /** Whether pods need a policy for the address of their own node too. */
    readonly routesToNode: boolean;
  };
  /** The oldest Kubernetes that it runs with, where that is older than HostProcess pods. */
  readonly oldestKubernetes?: string;
  /** Whether it needs the updates of Windows that overlays need, though its network is none. */
  readonly needsOverlayUpdates?: true;
  /** Addresses that traffic between nodes may leave from, and the network sit on; undefined: cannot be determined. */
  readonly transport?: readonly string[] | undefined;
  /** Why there are none to name, where another check reports the reason. */
  readonly noTransport?: string | undefined;
  /** What a plugin on OVS keeps beside its bridges. */
  readonly ovs?: OvsProfile;
  /** Where flows come from OVN's southbound database, through ovn-controller. */
  readonly ovn?: {
    /** False: the plugin does not support SSL to it on Windows. */
    readonly ssl: boolean;
    /** Where the start script keeps the id of the chassis. */
    readonly systemIdFile: string | undefined;
  };
  /** The endpoint that the plugin makes for the host itself; `attached` where it is also an adapter of the host. */
  readonly hostEndpoint?: {readonly name: string; readonly attached: boolean};
  /** Where the node tells its peers the MAC of its tunnel end: the annotation, and what is in it. */
  readonly tunnelMac?: {readonly annotation: string; readonly value: string | undefined};
}

/**
 * A network plugin: one folder under src/plugins exports one of these, and src/plugins/all.ts lists it.
 * Every member is mandatory, so that the compiler names what a new plugin lacks.
 */
export interface Plugin {
  /** As reports and flags have it. */
  readonly name: string;
  /** As people write it: "Kube-OVN". */
  readonly title: string;
  /** Names of HNS networks that only this plugin makes. */
  readonly ownNetworks: RegExp | undefined;
  /** The `type` of its CNI configuration. */
  readonly confType: RegExp;
  /** Its names in a cluster and on a node. */
  readonly footprint: Footprint;
  recognise(sight: Sight): Recognition | undefined;
  profile(sight: Sight, recognition: Recognition): Profile;
  /** Checks that concern this plugin alone. */
  readonly checks: readonly Check[];
  /** How its network is repaired. */
  readonly cleanup: Cleanup;
  /** What a node needs before it is installed, loaded where it is asked for; undefined: no document says. */
  readonly preflight: (() => Promise<Preflight>) | undefined;
  /** What only the plugin can say where a check looks across nodes. */
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
  /** Why it could not be determined, if something that identifies it was not read: `plugin`, `profile` and `others` throw then. */
  readonly undetermined?: string;
  readonly profile: Profile;
  /** Other plugins that left their mark on this node, with what was seen of them. */
  readonly others: readonly {readonly plugin: Plugin; readonly recognition: Recognition}[];
  /** Every plugin there is, for questions about what is not this node's own. */
  readonly known: readonly Plugin[];
}

/** Narrows a check to plugins: `appliesTo: runs('antrea', 'kube-ovn')`. */
export function runs(...names: string[]): (subject: NodeSubject) => boolean {
  return ({plugin}) => plugin.plugin !== undefined && names.includes(plugin.plugin.name);
}

/** What a file is to the plugin that keeps it, whether that one runs here or not; undefined: no plugin's state. */
export function stateFile({known}: Detection, path: string): StateFile | undefined {
  const its = normalPath(path);
  return known.flatMap(({footprint}) => footprint.stateFiles).find(file => normalPath(file.path) === its);
}

export function usesOvs({plugin}: NodeSubject): boolean {
  return plugin.profile.bridges.length > 0;
}
