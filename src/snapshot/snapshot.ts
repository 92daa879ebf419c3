import {ClusterModel, isWindows} from './cluster.js';
import type {SnapshotDocument} from './document.js';
import {type NodeModel, nodeModelOf} from './node.js';

/** A snapshot as a typed model, the input of all checks. */
export interface Snapshot {
  /** Undefined if cluster objects were not collected. */
  readonly cluster: ClusterModel | undefined;
  readonly nodes: ReadonlyMap<string, NodeModel>;
  /** When it was taken; ages are computed from it. */
  readonly takenAt: number | undefined;
}

export function readSnapshot(document: SnapshotDocument): Snapshot {
  const takenAt = document.collectedAt === undefined ? Number.NaN : Date.parse(document.collectedAt);
  return {
    cluster: document.cluster && clusterOf(document.cluster),
    nodes: new Map(Object.entries(document.nodes).map(([name, dump]) => [name, nodeModelOf(name, dump)])),
    takenAt: Number.isNaN(takenAt) ? undefined : takenAt,
  };
}

function clusterOf({objects, version, lists}: NonNullable<SnapshotDocument['cluster']>): ClusterModel {
  return new ClusterModel(objects, version, lists);
}

/** The Windows nodes of a snapshot: those that were read, and those in the cluster's node list. */
export function windowsNodesOf(snapshot: Snapshot): string[] {
  const listed =
    snapshot.cluster
      ?.known('Node')
      .filter(isWindows)
      .map(({metadata}) => metadata.name) ?? [];
  return [...new Set([...snapshot.nodes.keys(), ...listed])].sort();
}
