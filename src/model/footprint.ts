import type {ClusterModel} from '../snapshot/cluster.js';
import type {NodeModel} from '../snapshot/node.js';
import type {Remedy} from './remedies.js';

/** A file in which a plugin keeps its state on a node. */
export interface StateFile {
  readonly path: string;
  /**
   * `network`: describes the pod network. `lock`: stale once the node has restarted. `addresses`: addresses allocated
   * to pods.
   */
  readonly holds: 'network' | 'lock' | 'addresses';
  /** Whether the plugin regenerates it, so that a plan may remove it. */
  readonly removable: boolean;
}

export interface RegistryValue {
  readonly path: string;
  readonly name: string;
  /** Whether the plugin works without it, so that a plan may remove it. */
  readonly removable: boolean;
}

export interface FirewallRule {
  readonly name: string;
  readonly direction: 'Inbound' | 'Outbound';
}

/** A known error line and its cause. */
export interface KnownError {
  /** What to search for: an error code if there is one, because Windows localises its messages. */
  readonly pattern: RegExp;
  /** When the same line is harmless, for example a failure to remove what no longer exists. */
  readonly unless?: RegExp;
  /** Errors with the same meaning become one finding. */
  readonly means: string;
  readonly remedy: (node: {readonly name: string}) => Remedy;
  /** The meaning to report instead if other evidence on the node contradicts `means`. */
  readonly otherwise?: {
    readonly when: (node: NodeModel) => boolean;
    readonly means: string;
    readonly remedy: KnownError['remedy'];
  };
  /** Matches a whole family of codes: used only if no other known error matches the line. */
  readonly isFamily?: true;
  /** Checks that fail because of this error. The line is their cause, unless one of `measuredBy` fails. */
  readonly explains?: readonly string[];
  /** Checks that measure the same cause; they take precedence over the line. */
  readonly measuredBy?: readonly string[];
}

/** The names that a plugin uses in a cluster and on a node, whether it still runs there or not. */
export interface Footprint {
  /**
   * Namespaces its agents may run in: a pattern for their names, and the usual ones in case namespaces cannot be
   * listed.
   */
  readonly namespaces: {readonly like: RegExp | undefined; readonly usual: readonly string[]};
  /** Its custom resources, by API group. */
  readonly customResources: Readonly<Record<string, readonly string[]>>;
  /** Its image repositories (including the registry) that can be used for HostProcess pods. */
  readonly images: readonly string[];
  /** Name prefixes of DaemonSets for Linux nodes only. */
  readonly linuxAgents: readonly string[];
  /**
   * Display names of other plugins that Linux nodes may run alongside it. `any`: it has no Linux part, or it uses
   * routes that any plugin without an overlay can share.
   */
  readonly linuxPartners: 'any' | readonly string[];
  /** Derives the tunnel MAC address from the node name, if the plugin does so. */
  readonly derivedMac: ((node: string) => string) | undefined;
  /** What its nodes must reach in addition to the API server: `address:port`. */
  probes(cluster: ClusterModel): readonly string[];

  /** The default IPAM program, unless its CNI configuration names another one. */
  readonly ipam: string | undefined;
  /** HNS endpoints that it creates for the node itself. */
  readonly hostEndpoints: readonly string[];
  /** Firewall rules that its agent creates for pods. */
  readonly firewallRules: readonly FirewallRule[];
  /** Windows services, and process names without `.exe`. */
  readonly services: readonly string[];
  readonly processes: readonly string[];
  /** Files that identify it, with `*` as a wildcard within one path segment, and files that hold its state. */
  readonly files: readonly string[];
  readonly stateFiles: readonly StateFile[];
  readonly logs: readonly string[];
  /** Regular expressions for what follows "starting" in a log when one of its agents starts. */
  readonly starting: readonly string[];
  readonly registry: readonly RegistryValue[];
  /** Log lines that only this plugin writes. */
  readonly knownErrors: readonly KnownError[];
}
