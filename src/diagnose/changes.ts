import type {Result} from '../model/result.js';
import {problems} from './failures.js';
import {type DoctorReport, isoSeconds, type NodeReport} from './report.js';
import {byRootCause} from './root-causes.js';

/** One thing that is otherwise than at the last look, as `doctor --watch -o json` prints it. */
export interface DoctorChange {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'DoctorChange';
  readonly at: string;
  /**
   * `found`: a problem. `resolved`: its check no longer fails. `undetermined`: it was there, and now its check is undetermined.
   * `uninspected` and `inspected`, `added` and `removed`: a node. `failed`: the look itself.
   */
  readonly change: 'found' | 'resolved' | 'undetermined' | 'uninspected' | 'inspected' | 'added' | 'removed' | 'failed';
  /** Undefined: the whole cluster. */
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

/** Compares each look with those before it. A problem that can no longer be seen is not taken for resolved. */
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
      const added: Change[] = isNew ? [{change: 'added', node, message: 'The node is new.'}] : [];
      const old = before?.get(node);
      if (gap !== undefined && old === undefined) return [...added, {change: 'uninspected', node, message: gap}];
      if (gap === undefined && old !== undefined) return [{change: 'inspected', node, message: 'Inspected again.'}];
      return added;
    });
    const removed = [...(before?.keys() ?? [])].filter(node => !nodes.has(node));
    return [...seen, ...removed.map((node): Change => ({change: 'removed', node, message: 'The node is gone.'}))];
  }

  /** Root causes that are new. What they explain goes with them. */
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
      // The problems of a removed node are gone too: the node itself is reported.
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

/** A look that came to nothing: what was known stays known. */
export const failedLook = (at: Date, message: string): DoctorChange => ({
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

/** The same problem, although a count or a time in its words has moved on. */
const keyOf = (node: string | undefined, {id, message}: Result) =>
  JSON.stringify([node, id, message.replace(/\d+/g, '#')]);

const changeOf = (change: Change['change'], node: string | undefined, {id, severity, message}: Result): Change => ({
  change,
  ...(node !== undefined && {node}),
  check: id,
  severity,
  message,
});
