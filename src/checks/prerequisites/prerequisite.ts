import {
  type Check,
  type ClusterCheck,
  check,
  clusterCheck,
  type Explanation,
  type Fleet,
  type Need,
  type NodeCheck,
  type NodeSubject,
} from '../../model/check.js';
import type {Installation} from '../../model/plugin-preflight.js';
import type {Remedy} from '../../model/remedies.js';
import {Verdict} from '../../model/verdict.js';
import {commonChecks} from '../common.js';

// A prerequisite is a check whose subject is a node as it would be with the plugin. The engine runs it like any other
// check.

type Words = Omit<Explanation, 'sources'> & {readonly sources?: readonly string[]};
type Verdicts = Verdict | readonly Verdict[] | undefined;

interface Naming {
  /** The requirement, shown after ✓ or ✗. */
  readonly title: string;
  /** The plugin works without it, with limitations: a failure does not make the node unready. */
  readonly advised?: boolean;
}

interface OnNode<Needs extends Need> extends Naming {
  readonly needs: readonly Needs[];
  run(subject: NodeSubject<Needs>): Verdicts;
  readonly explain: Words;
}

interface OnCluster extends Naming {
  run(fleet: Fleet): Verdicts;
  readonly explain: Words;
}

/** A prerequisite of a node. */
export function prerequisite<const Needs extends Need>(
  target: Installation,
  name: string,
  input: OnNode<Needs>,
): NodeCheck {
  const {needs, run} = input;
  return check({...common(target, name, input), needs, run});
}

/** A prerequisite of the cluster as a whole. */
export function clusterPrerequisite(target: Installation, name: string, input: OnCluster): ClusterCheck {
  return clusterCheck({...common(target, name, input), run: input.run});
}

interface Reuse extends Naming {
  /** The remedy before the plugin is installed, if it differs from the one afterwards. */
  remedy?(subject: NodeSubject, verdict: Verdict): Remedy;
  readonly explain?: Partial<Words>;
}

/** Reuses the logic and the explanation of a check of doctor under another name. */
export function sameAs(
  target: Installation,
  name: string,
  id: string,
  own: Reuse,
  among: readonly Check[] = commonChecks,
): NodeCheck {
  const original = among.find((candidate): candidate is NodeCheck => isOf(candidate, id, 'node'));
  if (!original) throw new Error(`node check ${id} does not exist`);
  const {remedy} = own;
  return {
    ...original,
    ...common(target, name, {...own, explain: {...original.explain, ...own.explain}}),
    run(subject) {
      const verdicts = listOf(original.run(subject));
      if (!remedy) return verdicts;
      return verdicts.map(verdict =>
        verdict.outcome === 'fail' ? verdict.fixedBy(remedy(subject, verdict)) : verdict,
      );
    },
  };
}

function isOf(candidate: Check, id: string, scope: Check['scope']): boolean {
  return candidate.id === id && candidate.scope === scope;
}

export function listOf(verdicts: Verdicts): readonly Verdict[] {
  if (verdicts === undefined) return [];
  return verdicts instanceof Verdict ? [verdicts] : verdicts;
}

function common(target: Installation, name: string, {title, advised, explain}: Naming & {explain: Words}) {
  return {
    id: `preflight/${target.name}/${name}`,
    title,
    // A list of requirements shows the same title whether it is met or not.
    failure: title,
    plugins: target.title,
    severity: advised ? 'warning' : 'error',
    explain: {...explain, sources: [...new Set([target.guide, ...(explain.sources ?? [])])]},
  } as const;
}
