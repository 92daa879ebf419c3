import type {Result} from '../model/result.js';
import {problems} from './failures.js';
import {type DoctorReport, isoSeconds, type NodeReport} from './report.js';
import {byRootCause} from './root-causes.js';

/** One change since the previous run, as printed by `doctor --watch -o json`. */
export interface DoctorChange {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'DoctorChange';
  readonly at: string;
  /**
   * `found`: a problem. `resolved`: its check no longer fails. `undetermined`: its check failed before and is now
   * undetermined. `uninspected`, `inspected`, `added` and `removed`: a node. `failed`: the run itself.
   */
  readonly change: 'found' | 'resolved' | 'undetermined' | 'uninspected' | 'inspected' | 'added' | 'removed' | 'failed';
  /** Undefined: a finding of the cluster, or the run itself. */
  readonly node?: string;
  readonly check?: string;
  readonly severity?: Result['severity'];
  readonly message: string;
}

interface Announced {
  readonly node: string | undefined;
  readonly result: Result;
  undetermined: boolean;
}

/** Compares each run with the previous ones. A problem whose check became undetermined does not count as resolved. */
export class DoctorChanges {
  /** Problems that were reported and are not resolved. */
  readonly #announced = new Map<string, Announced>();
  /** Why a node was not fully inspected; undefined: it was. */
  #nodes: ReadonlyMap<string, string | undefined> | undefined;

  next(report: DoctorReport): DoctorChange[] {
    const at = report.generatedAt;
    const nodes = new Map(report.nodes.map(node => [node.name, gapOf(node)]));
    const changes = [
      ...this.#ofNodes(nodes),
      ...report.nodes.flatMap(({name, results}) => this.#found(name, results, report.cluster.results)),
      ...this.#found(undefined, report.cluster.results),
      ...this.#gone(report, nodes),
    ];
    this.#nodes = nodes;
    return changes.map(change => ({apiVersion: 'kubectl-win/v1', kind: 'DoctorChange', at, ...change}));
  }

  #ofNodes(nodes: ReadonlyMap<string, string | undefined>): Change[] {
    const before = this.#nodes;
    const seen = [...nodes].flatMap(([node, gap]): Change[] => {
      const isNew = before !== undefined && !before.has(node);
      const added: Change[] = isNew ? [{change: 'added', node, message: 'The node was added.'}] : [];
      const old = before?.get(node);
      if (gap !== undefined && old === undefined) return [...added, {change: 'uninspected', node, message: gap}];
      if (gap === undefined && old !== undefined) return [{change: 'inspected', node, message: 'Inspected again.'}];
      return added;
    });
    const removed = [...(before?.keys() ?? [])].filter(node => !nodes.has(node));
    return [...seen, ...removed.map((node): Change => ({change: 'removed', node, message: 'The node was removed.'}))];
  }

  /** New root causes. Their consequences are not reported separately. */
  #found(node: string | undefined, results: readonly Result[], ofCluster: readonly Result[] = []): Change[] {
    return byRootCause(results, ofCluster)
      .filter(finding => !finding.ofCluster)
      .flatMap(({root}) => {
        const key = keyOf(node, root);
        const known = this.#announced.get(key);
        this.#announced.set(key, {node, result: root, undetermined: false});
        return known && !known.undetermined ? [] : [changeOf('found', node, root)];
      });
  }

  #gone(report: DoctorReport, nodes: ReadonlyMap<string, string | undefined>): Change[] {
    return [...this.#announced].flatMap(([key, known]) => {
      const {node, result} = known;
      const results = resultsOf(report, node);
      if (problems(results).some(problem => keyOf(node, problem) === key)) return [];
      // Problems of a removed node are not reported as resolved: the removal itself is reported.
      if (node !== undefined && !nodes.has(node)) {
        this.#announced.delete(key);
        return [];
      }
      const isUnseen = results.every(({id}) => id !== result.id);
      if (isUnseen || results.some(({id, outcome}) => id === result.id && outcome === 'unknown')) {
        if (known.undetermined) return [];
        known.undetermined = true;
        return [changeOf('undetermined', node, result)];
      }
      this.#announced.delete(key);
      return [changeOf('resolved', node, result)];
    });
  }
}

type Change = Omit<DoctorChange, 'apiVersion' | 'kind' | 'at'>;

/** A failed run. Known problems stay known. */
export const failedRun = (at: Date, message: string): DoctorChange => ({
  apiVersion: 'kubectl-win/v1',
  kind: 'DoctorChange',
  at: isoSeconds(at),
  change: 'failed',
  message,
});

const gapOf = ({inspected, error, incomplete}: NodeReport): string | undefined =>
  inspected ? incomplete : (error ?? 'not inspected.');

const resultsOf = ({cluster, nodes}: DoctorReport, node: string | undefined): readonly Result[] =>
  node === undefined ? cluster.results : (nodes.find(({name}) => name === node)?.results ?? []);

/** Ignores numbers in the message, so that a changed count or time is still the same problem. */
const keyOf = (node: string | undefined, {id, message}: Result) =>
  JSON.stringify([node, id, message.replace(/\d+/g, '#')]);

const changeOf = (change: Change['change'], node: string | undefined, {id, severity, message}: Result): Change => ({
  change,
  ...(node !== undefined && {node}),
  check: id,
  severity,
  message,
});
