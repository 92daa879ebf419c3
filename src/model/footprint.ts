import type {ClusterModel} from '../snapshot/cluster.js';
import type {NodeModel} from '../snapshot/node.js';
import type {Remedy} from './remedies.js';

/** A file in which a plugin keeps state of its own on a node. */
export interface StateFile {
  readonly path: string;
  /** `network`: tells of the pods' network. `lock`: held by nobody once the node has restarted. `addresses`: what pods have. */
  readonly holds: 'network' | 'lock' | 'addresses';
  /** Whether the plugin regenerates it, so that a plan may remove it. */
  readonly removable: boolean;
}

export interface RegistryValue {
  readonly path: string;
  readonly name: string;
  /** Whether the plugin does without it, so that a plan may remove it. */
  readonly removable: boolean;
}

export interface FirewallRule {
  readonly name: string;
  readonly direction: 'Inbound' | 'Outbound';
}

/** An error line that is known, and what is behind it. */
export interface KnownError {
  /** What is looked for: a code if there is one, because texts of Windows are localised. */
  readonly pattern: RegExp;
  /** Where the same line is nothing: what is gone already need not be removed. */
  readonly unless?: RegExp;
  /** Errors that mean the same are one finding. */
  readonly means: string;
  readonly remedy: (node: {readonly name: string}) => Remedy;
  /** What it means instead where something else on the node speaks against `means`. */
  readonly otherwise?: {
    readonly when: (node: NodeModel) => boolean;
    readonly means: string;
    readonly remedy: KnownError['remedy'];
  };
  /** For a whole family of codes: counts only where no other error knows the line. */
  readonly isFamily?: true;
  /** Checks that fail because of what the line tells: it is their cause, unless one of `measuredBy` fails. */
  readonly explains?: readonly string[];
  /** Checks that measure the same cause; they outrank the line. */
  readonly measuredBy?: readonly string[];
}

/** The names that a plugin has in a cluster and on a node, whether it runs there or did once. */
export interface Footprint {
  /** Namespaces that its agents may be in: by a part of their name, and the usual ones, for when namespaces cannot be listed. */
  readonly namespaces: {readonly like: RegExp | undefined; readonly usual: readonly string[]};
  /** Resources that it keeps in the API, by group. */
  readonly customResources: Readonly<Record<string, readonly string[]>>;
  /** Repositories, with registry, of images of its own that a HostProcess pod can run from. */
  readonly images: readonly string[];
  /** How the names begin of DaemonSets that are for Linux nodes alone. */
  readonly linuxAgents: readonly string[];
  /**
   * Other plugins, as people write them, that the Linux nodes may run beside it. `any`: it has no part on Linux, or
   * routes that any plugin without an overlay can share.
   */
  readonly linuxPartners: 'any' | readonly string[];
  /** The MAC address that it derives from the name of a node, where it does. */
  readonly derivedMac: ((node: string) => string) | undefined;
  /** What a node of it should reach besides the API server: `address:port`. */
  probes(cluster: ClusterModel): readonly string[];

  /** The program that gives addresses to pods, unless its CNI configuration names another one. */
  readonly ipam: string | undefined;
  /** HNS endpoints that it makes for the node itself. */
  readonly hostEndpoints: readonly string[];
  /** Firewall rules that its agent makes for pods. */
  readonly firewallRules: readonly FirewallRule[];
  /** Services of Windows, and processes without `.exe`. */
  readonly services: readonly string[];
  readonly processes: readonly string[];
  /** Files that tell of it, with `*` for one name or a part of it, and those that hold its state. */
  readonly files: readonly string[];
  readonly stateFiles: readonly StateFile[];
  readonly logs: readonly string[];
  /** What follows "starting" in a log where an agent of it begins, in the words of a regular expression. */
  readonly starting: readonly string[];
  readonly registry: readonly RegistryValue[];
  /** Lines in logs that only this plugin writes. */
  readonly knownErrors: readonly KnownError[];
}
