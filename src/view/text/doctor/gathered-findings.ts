import type {DoctorReport, NodeReport} from '../../../diagnose/report.js';
import {byRootCause, type Finding} from '../../../diagnose/root-causes.js';
import type {Result} from '../../../model/result.js';

/** A finding as it is on one node. */
interface Place {
  readonly node: NodeReport;
  readonly finding: Finding;
}

/** A finding with all nodes that have it. */
export interface Shared {
  readonly first: Finding;
  readonly places: readonly Place[];
}

/** The findings of a report: those of the cluster and of several nodes, reported once, and those of one node alone. */
export interface Gathered {
  /** What findings of the cluster explain on nodes. */
  readonly ofCluster: ReadonlyMap<Result, readonly Result[]>;
  readonly shared: readonly Shared[];
  readonly own: ReadonlyMap<NodeReport, readonly Finding[]>;
  /** How many findings of a node are reported before it. */
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

/** Findings are the same where the same check failed and the same kind of action repairs it. */
function sameness({root}: Finding, several: ReadonlySet<string>): string {
  const {id, severity, message, remedy} = root;
  // A check that finds several things on one node tells them apart by its words, names and numbers aside.
  const words = several.has(id) ? message.replace(/\S*[^\p{L}\s.,:;'-]\S*/gu, '') : '';
  return JSON.stringify([id, severity, remedy?.kind, remedy?.cutsNetwork, words]);
}

function repeated(ids: readonly string[]): string[] {
  return ids.filter((id, i) => ids.indexOf(id) !== i);
}

function rank({places}: Shared): number {
  return places.some(({finding}) => isGrave(finding)) ? 0 : 1;
}

/** A root cause is as grave as the worst that it explains. */
export function isGrave({root, explains}: Finding): boolean {
  return [root, ...explains].some(({severity}) => severity === 'error');
}
