import {inSharedLimits} from '../lib/time-limit.js';
import {ClusterModel, isWindows} from './cluster.js';
import type {SnapshotDocument} from './document.js';
import {kept} from './kept-objects.js';
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
    nodes: new Map(
      inSharedLimits(Object.entries(document.nodes), ([name, dump]) => [name, nodeModelOf(name, dump)] as const),
    ),
    takenAt: Number.isNaN(takenAt) ? undefined : takenAt,
  };
}

function clusterOf({objects, version, lists}: NonNullable<SnapshotDocument['cluster']>): ClusterModel {
  // A file may have been written by something else than `collect`. Checks see the same data in both.
  const asKept = objects.map(object => kept(object).object);
  return new ClusterModel(asKept, version, lists);
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
