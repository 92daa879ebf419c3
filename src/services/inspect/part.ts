/** A part of a node's network, with what is built on it. */
export interface Part {
  readonly kind: PartKind;
  readonly name: string;
  /** What a person wants to know of it at a glance. */
  readonly details: readonly string[];
  /** It should be there and is not. */
  readonly missing: boolean;
  /** What is wrong with it: findings name it as broken, or it stands in the drawing as it never should. */
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
  /** Findings about the whole cluster that explain some of what is wrong here. */
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
