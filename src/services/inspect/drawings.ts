import type {NodeSubject} from '../../model/check.js';
import type {Result} from '../../model/result.js';
import type {Topology} from './part.js';
import {topologyOf} from './topology.js';

/** With more drawings the page would be too large to open. */
const most = 50;

/** Collects the networks of the first diagnosed nodes, for a report with drawings. */
export class Drawings {
  readonly topologies = new Map<string, Topology>();

  readonly take = (subject: NodeSubject, results: readonly Result[]): void => {
    if (this.topologies.size >= most) return;
    this.topologies.set(subject.node.name, topologyOf({subject, results, ofCluster: []}));
  };
}
