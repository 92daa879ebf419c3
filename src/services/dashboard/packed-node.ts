import {incompleteness} from '../../diagnose/completeness.js';
import {checkedNode, subjectOf} from '../../diagnose/engine.js';
import {suppress} from '../../diagnose/suppress.js';
import type {Suppression} from '../../diagnose/suppressions.js';
import {PackedText} from '../../lib/packed-text.js';
import {inOneLimit} from '../../lib/time-limit.js';
import type {CheckedNode, Result} from '../../model/result.js';
import {withPlannedRemedies} from '../../repair/plan/planned-remedies.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import type {NodeDump} from '../../snapshot/document.js';
import {nodeModelOf} from '../../snapshot/node.js';

/** A node's data, compressed: of a whole fleet only the node on screen is unpacked. */
export class PackedNode {
  readonly name: string;
  readonly readAt: number;
  /** Name, version and variant of its plugin. */
  readonly plugin: string;
  readonly failed: readonly Result[];
  /** Results for the whole cluster, which may explain results of the node. */
  readonly ofCluster: readonly Result[];
  /** Why it cannot be called healthy even if all checks passed; undefined: the core of its network was read. */
  readonly incomplete: string | undefined;
  readonly #packed: PackedText;
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
    this.#packed = new PackedText(JSON.stringify(dump));
    this.#cluster = cluster;
    this.#suppressions = suppressions;
    const {subject, results, ofCluster} = this.#check(dump);
    const {name: plugin, version, variant} = subject.plugin;
    this.plugin = [plugin, version, variant && `(${variant})`].filter(Boolean).join(' ');
    this.failed = results.filter(({outcome}) => outcome === 'fail');
    this.ofCluster = ofCluster;
    this.incomplete = incompleteness(subject, results);
  }

  /** The whole node, diagnosed as of the time when it was read. */
  unpacked(): CheckedNode {
    if (lastUnpacked?.node !== this)
      lastUnpacked = {node: this, checked: this.#check(JSON.parse(this.#packed.unpack()), true)};
    return lastUnpacked.checked;
  }

  #check(dump: NodeDump, plans = false): CheckedNode {
    const checked = inOneLimit(() => {
      const node = nodeModelOf(this.name, dump);
      const snapshot = {cluster: this.#cluster, nodes: new Map([[this.name, node]]), takenAt: this.readAt};
      return checkedNode(subjectOf(snapshot, this.name, this.readAt));
    });
    const {subject, results} = checked;
    const labels = subject.object?.metadata.labels ?? {};
    return {
      ...checked,
      results: suppress(plans ? withPlannedRemedies(subject, results) : results, this.#suppressions, labels),
      ofCluster: suppress(checked.ofCluster, this.#suppressions, undefined),
    };
  }
}

/** The dashboard shows one node at a time. */
let lastUnpacked: {readonly node: PackedNode; readonly checked: CheckedNode} | undefined;
