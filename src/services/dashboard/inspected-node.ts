import {deflateSync, inflateSync} from 'node:zlib';
import {allChecks, checkNode, subjectOf} from '../../diagnose/engine.js';
import {suppress} from '../../diagnose/suppress.js';
import type {Suppression} from '../../diagnose/suppressions.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import type {NodeDump} from '../../snapshot/document.js';
import {readNode} from '../../snapshot/node.js';
import type {Looked} from '../../view/ink/dashboard/tabs/all.js';

/** A node as it was read, packed: of a whole fleet only the node that is looked at takes room. */
export class KeptNode {
  readonly name: string;
  readonly seenAt: number;
  readonly #packed: Buffer;
  readonly #cluster: ClusterModel;
  readonly #suppressions: readonly Suppression[];

  constructor(name: string, dump: NodeDump, cluster: ClusterModel, suppressions: readonly Suppression[]) {
    this.name = name;
    this.seenAt = Date.now();
    this.#packed = deflateSync(JSON.stringify(dump), {level: 1});
    this.#cluster = cluster;
    this.#suppressions = suppressions;
  }

  /** Judges it as it was when it was read. */
  judge(dump: NodeDump = JSON.parse(inflateSync(this.#packed).toString())): Looked {
    const node = readNode(this.name, dump);
    const snapshot = {cluster: this.#cluster, nodes: new Map([[this.name, node]]), takenAt: this.seenAt};
    const subject = subjectOf(snapshot, this.name, this.seenAt);
    const labels = subject.object?.metadata.labels ?? {};
    return {subject, results: suppress(checkNode(subject, allChecks), this.#suppressions, labels)};
  }

  look(): Looked {
    if (lastLook?.node !== this) lastLook = {node: this, looked: this.judge()};
    return lastLook.looked;
  }
}

/** One node is looked at at a time. */
let lastLook: {readonly node: KeptNode; readonly looked: Looked} | undefined;
