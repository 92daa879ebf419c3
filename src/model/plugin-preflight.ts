import type {ClusterModel} from '../snapshot/cluster.js';
import type {Check, NodeSubject} from './check.js';

/** The plugin of a prerequisite, and the document that names it. */
export interface Installation {
  readonly name: string;
  readonly title: string;
  readonly guide: string;
}

/** What nodes and cluster need before a plugin is installed. */
export interface Preflight {
  /** The document that names the prerequisites. */
  readonly guide: string;
  /**
   * Modes of the plugin with different prerequisites. The first is the default if neither the user nor the cluster
   * names one.
   */
  readonly modes: readonly string[];
  /** The mode that the cluster's settings select. */
  modeIn(cluster: ClusterModel | undefined): string | undefined;
  /** The plugin variant that corresponds to the mode, if any. */
  variantOf(mode: string | undefined): string | undefined;
  prerequisites(target: Installation, mode: string | undefined): readonly Check[];
  /** Installation commands for a node, as far as they can be filled in; empty: see the guide. */
  install(subject: NodeSubject, mode: string | undefined): readonly string[];
}
