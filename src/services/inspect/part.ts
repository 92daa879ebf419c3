/** A part of a node's network, with the parts on top of it. */
export interface Part {
  readonly kind: PartKind;
  readonly name: string;
  /** The most important facts, for display. */
  readonly details: readonly string[];
  /** True: it is expected, but does not exist. */
  readonly missing: boolean;
  /** Set if findings name it, or if its place in the drawing shows a fault. */
  readonly trouble?: Trouble;
  readonly parts: readonly Part[];
}

export type PartKind = 'adapter' | 'switch' | 'extension' | 'network' | 'bridge' | 'port' | 'endpoint' | 'pod';

export interface Trouble {
  readonly severity: 'error' | 'warning';
  /** Ids of the checks that name it. */
  readonly findings: readonly string[];
}

/** The network of one node from its physical adapters up to its pods. */
export interface Topology {
  readonly node: string;
  readonly address?: string;
  readonly plugin: string;
  readonly parts: readonly Part[];
  /** Findings about the whole cluster that explain findings of this node. */
  readonly ofCluster?: readonly ClusterFinding[];
  /** What could not be read, and so is not drawn. */
  readonly unread: readonly string[];
}

export interface ClusterFinding {
  /** Id of the check. */
  readonly id: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export const kindTitles: Readonly<Record<PartKind, string>> = {
  adapter: 'adapter',
  switch: 'switch',
  extension: 'extension',
  network: 'HNS network',
  bridge: 'OVS bridge',
  port: 'OVS port',
  endpoint: 'HNS endpoint',
  pod: 'pod',
};
