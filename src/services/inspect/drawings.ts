import type {NodeSubject} from '../../model/check.js';
import type {Result} from '../../model/result.js';
import type {Topology} from './part.js';
import {topologyOf} from './topology.js';

/** Drawings of more nodes would make a page that nobody can open. */
const most = 50;

/** The networks of the first nodes that are diagnosed, for a report with pictures. */
export class Drawings {
  readonly topologies = new Map<string, Topology>();

  readonly take = (subject: NodeSubject, results: readonly Result[]): void => {
    if (this.topologies.size >= most) return;
    this.topologies.set(subject.node.name, topologyOf({subject, results, ofCluster: []}));
  };
}
