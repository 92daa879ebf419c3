import type {DoctorReport, NodeReport} from '../../../diagnose/report.js';
import {byRootCause, type Finding} from '../../../diagnose/root-causes.js';
import type {Result} from '../../../model/result.js';

/** A finding on one node. */
interface Place {
  readonly node: NodeReport;
  readonly finding: Finding;
}

/** A finding with all nodes that have it. */
export interface Shared {
  readonly first: Finding;
  readonly places: readonly Place[];
}

/** The findings of a report: those of the cluster and of several nodes, reported once, and those of single nodes. */
export interface Gathered {
  /** The results on nodes that findings of the cluster explain. */
  readonly ofCluster: ReadonlyMap<Result, readonly Result[]>;
  readonly shared: readonly Shared[];
  readonly own: ReadonlyMap<NodeReport, readonly Finding[]>;
  /** How many findings of a node are reported above it. */
  readonly above: ReadonlyMap<NodeReport, number>;
}

export function gathered({nodes, cluster}: DoctorReport, by: 'finding' | 'node'): Gathered {
  const found = nodes.map(node => ({node, findings: byRootCause(node.results, cluster.results)}));
  if (by === 'node')
    return {
      ofCluster: new Map(),
      shared: [],
      own: new Map(found.map(its => [its.node, its.findings])),
      above: new Map(),
    };
  const places = found.flatMap(({node, findings}) => findings.map(finding => ({node, finding})));
  const [ofCluster, ofNodes] = [
    places.filter(({finding}) => finding.ofCluster),
    places.filter(({finding}) => !finding.ofCluster),
  ];
  const several = new Set(found.flatMap(({findings}) => repeated(findings.map(({root}) => root.id))));
  const shared = [...Map.groupBy(ofNodes, ({finding}) => sameness(finding, several)).values()].filter(
    group => new Set(group.map(({node}) => node)).size > 1,
  );
  const once = new Set([...ofCluster, ...shared.flat()].map(({finding}) => finding));
  return {
    ofCluster: new Map(
      [...Map.groupBy(ofCluster, ({finding}) => finding.root)].map(([root, its]) => [
        root,
        its.flatMap(({finding}) => finding.explains),
      ]),
    ),
    shared: shared
      .flatMap(group => (group[0] ? [{first: group[0].finding, places: group}] : []))
      .sort((one, other) => rank(one) - rank(other) || other.places.length - one.places.length),
    own: new Map(found.map(({node, findings}) => [node, findings.filter(finding => !once.has(finding))])),
    above: new Map(found.map(({node, findings}) => [node, findings.filter(finding => once.has(finding)).length])),
  };
}

/** Findings are the same if the same check failed and the same kind of action repairs it. */
function sameness({root}: Finding, several: ReadonlySet<string>): string {
  const {id, severity, message, remedy} = root;
  // If a check has several findings on one node, they are distinguished by their text, without names and numbers.
  const words = several.has(id) ? message.replace(/\S*[^\p{L}\s.,:;'-]\S*/gu, '') : '';
  return JSON.stringify([id, severity, remedy?.kind, remedy?.cutsNetwork, words]);
}

function repeated(ids: readonly string[]): string[] {
  return ids.filter((id, i) => ids.indexOf(id) !== i);
}

function rank({places}: Shared): number {
  return places.some(({finding}) => isSevere(finding)) ? 0 : 1;
}

/** A root cause has the highest severity of its consequences. */
export function isSevere({root, explains}: Finding): boolean {
  return [root, ...explains].some(({severity}) => severity === 'error');
}
