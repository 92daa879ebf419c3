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
  /** Ways to run the plugin that need different things; the first is taken where neither the user nor the cluster says. */
  readonly modes: readonly string[];
  /** The mode that the cluster's own settings ask for. */
  modeIn(cluster: ClusterModel | undefined): string | undefined;
  /** The variant that the plugin itself calls the mode, if it has one. */
  variantOf(mode: string | undefined): string | undefined;
  prerequisites(target: Installation, mode: string | undefined): readonly Check[];
  /** How it is then installed on a node, as far as commands can be filled in; empty: see its guide. */
  install(subject: NodeSubject, mode: string | undefined): readonly string[];
}
