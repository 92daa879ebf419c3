import {incompleteness} from '../../diagnose/completeness.js';
import {checkedNode, subjectOf} from '../../diagnose/engine.js';
import {suppress} from '../../diagnose/suppress.js';
import type {Suppression} from '../../diagnose/suppressions.js';
import {packText, unpackText} from '../../lib/packed-text.js';
import type {CheckedNode, Result} from '../../model/result.js';
import {withPlannedRemedies} from '../../repair/plan/planned-remedies.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import type {NodeDump} from '../../snapshot/document.js';
import {nodeModelOf} from '../../snapshot/node.js';

/** A node as it was read, packed: of a whole fleet only the node that is inspected takes room. */
export class PackedNode {
  readonly name: string;
  readonly readAt: number;
  /** Its plugin, in words. */
  readonly plugin: string;
  /** What is wrong with it. */
  readonly failed: readonly Result[];
  /** What is wrong with the whole cluster, and explains some of that. */
  readonly ofCluster: readonly Result[];
  /** Why it cannot be called healthy whatever passed; undefined: the core of its network was seen. */
  readonly incomplete: string | undefined;
  readonly #packed: Buffer;
  readonly #cluster: ClusterModel;
  readonly #suppressions: readonly Suppression[];

  constructor(
    name: string,
    dump: NodeDump,
    {
      cluster,
      suppressions,
      readAt = Date.now(),
    }: {
      readonly cluster: ClusterModel;
      readonly suppressions: readonly Suppression[];
      readonly readAt?: number | undefined;
    },
  ) {
    this.name = name;
    this.readAt = readAt;
    this.#packed = packText(JSON.stringify(dump));
    this.#cluster = cluster;
    this.#suppressions = suppressions;
    const {subject, results, ofCluster} = this.#check(dump);
    const {name: plugin, version, variant} = subject.plugin;
    this.plugin = [plugin, version, variant && `(${variant})`].filter(Boolean).join(' ');
    this.failed = results.filter(({outcome}) => outcome === 'fail');
    this.ofCluster = ofCluster;
    this.incomplete = incompleteness(subject, results);
  }

  /** All of it, diagnosed as it was when it was read. */
  unpacked(): CheckedNode {
    if (lastUnpacked?.node !== this)
      lastUnpacked = {node: this, checked: this.#check(JSON.parse(unpackText(this.#packed)), true)};
    return lastUnpacked.checked;
  }

  #check(dump: NodeDump, plans = false): CheckedNode {
    const node = nodeModelOf(this.name, dump);
    const snapshot = {cluster: this.#cluster, nodes: new Map([[this.name, node]]), takenAt: this.readAt};
    const checked = checkedNode(subjectOf(snapshot, this.name, this.readAt));
    const {subject, results} = checked;
    const labels = subject.object?.metadata.labels ?? {};
    return {
      ...checked,
      results: suppress(plans ? withPlannedRemedies(subject, results) : results, this.#suppressions, labels),
      ofCluster: suppress(checked.ofCluster, this.#suppressions, undefined),
    };
  }
}

/** One node is inspected at a time. */
let lastUnpacked: {readonly node: PackedNode; readonly checked: CheckedNode} | undefined;
