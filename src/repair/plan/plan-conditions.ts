import {settling} from '../../checks/still-starting.js';
import type {Need, NodeSubject} from '../../model/check.js';
import type {Level} from '../../model/level.js';
import {unfinishedStates} from '../../model/plan.js';
import {type NodeRepair, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {Result} from '../../model/result.js';
import {howToRead, NotRead} from '../../snapshot/not-read.js';
import {blockingProblems, type Repairable} from './repairable-findings.js';

// Preconditions for creating a plan.

/** A second plan must not start from the intermediate state of an unfinished one. */
export function unfinishedPlans({node}: NodeSubject, force: boolean): Refusal[] {
  const failure = node.errors.plans;
  if (failure)
    return [refusal(`The plans on ${node.name} could not be read, so one may be unfinished: ${failure.message}.`)];
  return (node.plans ?? []).flatMap(({id, title, state, steps, done}) => {
    const plan = `Plan ${id ?? 'of unknown id'}${title === undefined ? '' : ` (${title})`}`;
    if (state === 'running')
      return [
        refusal(`${plan} is running on ${node.name}.`, {
          next: `Show its progress: kubectl win cleanup ${node.name} --status`,
        }),
      ];
    if (force || (state !== undefined && !unfinishedStates.has(state))) return [];
    const far = steps === undefined ? '' : `, ${done ?? 0} of ${steps} steps done`;
    return [
      refusal(`${plan} was not finished on ${node.name}: it is ${state ?? 'in an unknown state'}${far}.`, {
        next: manually(node.name),
        forcible: true,
      }),
    ];
  });
}

const manually = (node: string) =>
  `Finish that plan with kubectl win cleanup ${node} --resume, or undo it with --rollback.`;

/** With traces of two plugins, objects that are leftovers of one may be in use by the other. */
export function onePlugin({plugin, node}: NodeSubject, chosenPlugin: string | undefined): Refusal[] {
  const others = plugin.others.filter(({recognition}) => recognition.found.length > 0);
  if (chosenPlugin !== undefined || (others.length === 0 && plugin.confidence !== 'guess')) return [];
  const all = [plugin.title, ...(others.length > 0 ? others : plugin.others).map(other => other.plugin.title)];
  return [
    refusal(`${node.name} has traces of ${all.join(' and ')}, and the intended one could not be determined.`, {
      next: `Select one with --cni (${[plugin.name, ...plugin.others.map(other => other.plugin.name)].join(', ')}).`,
    }),
  ];
}

export function settled(subject: NodeSubject, force: boolean): Refusal[] {
  const reason = force ? undefined : settling(subject);
  if (reason === undefined) return [];
  return [
    refusal(`${subject.node.name} is still settling (${reason}).`, {
      next: 'Try again in a few minutes, or use --force.',
      forcible: true,
    }),
  ];
}

/** Problems that need manual action first: an agent stopped now would not start again. */
export function noBlockingProblems(results: readonly Result[], subject: NodeSubject, force: boolean): Refusal[] {
  return (force ? [] : blockingProblems(results, subject)).map(({id, message}) =>
    refusal(`${id} must be repaired first: ${message}`, {next: `kubectl win explain ${id}`, forcible: true}),
  );
}

/** Problems caused by a cluster-wide setting recur until that setting is changed. */
export function clusterFirst(
  repaired: readonly Repairable[],
  results: readonly Result[],
  ofCluster: readonly Result[],
  force: boolean,
): Refusal[] {
  if (force || ofCluster.length === 0) return [];
  const causes = causesOf(results);
  const roots = repaired.map(({result}) => ofCluster.find(({id}) => causes(result.id).has(id)));
  if (roots.length === 0 || roots.includes(undefined)) return [];
  return [...new Set(roots.filter(root => root !== undefined))].map(({id, message}) =>
    refusal(`${id} concerns the whole cluster and must be repaired first: ${message}`, {
      next: `kubectl win explain ${id}`,
      forcible: true,
    }),
  );
}

/** All checks that explain a check, directly or indirectly. */
function causesOf(results: readonly Result[]): (id: string) => ReadonlySet<string> {
  const direct = Map.groupBy(results, ({id}) => id);
  const collect = (id: string, known: Set<string>): Set<string> => {
    for (const cause of (direct.get(id) ?? []).flatMap(({causedBy = []}) => causedBy)) {
      if (known.has(cause)) continue;
      known.add(cause);
      collect(cause, known);
    }
    return known;
  };
  return id => collect(id, new Set());
}

const needs: Record<Level, readonly Need[]> = {
  soft: ['cluster', 'services', 'hnsNetworks'],
  medium: ['cluster', 'services', 'hnsNetworks', 'hnsEndpoints', 'files', 'processes'],
  hard: [
    'cluster',
    'nodeObject',
    'services',
    'hnsNetworks',
    'hnsEndpoints',
    'files',
    'processes',
    'netAdapters',
    'netIPAddresses',
    'netRoutes',
  ],
};

/** The refusal of a plan that depends on a list that was not read. Rethrows other errors. */
export function refusedUnread(error: unknown): Refusal {
  if (!(error instanceof NotRead)) throw error;
  return refusal(`No safe plan is possible: ${error.message}.`, {
    next: howToRead,
  });
}

/** A plan must not guess what was not read. */
export function allRead(job: NodeRepair): Refusal[] {
  const {subject, level} = job;
  const next = job.failed('hns/responds') ? `HNS hangs: drain ${subject.node.name} and reboot it.` : undefined;
  const wanted = new Set([...needs[level], ...(subject.plugin.plugin?.cleanup?.needs?.(job) ?? [])]);
  const unread = [...wanted].flatMap(need => missing(need, subject) ?? []);
  if (unread.length === 0) return [];
  return [refusal(`A ${level} plan is not possible: ${unread.join('; ')}.`, next ? {next} : {})];
}

function missing(need: Need, {node, object, cluster}: NodeSubject): string | undefined {
  if (need === 'cluster') return cluster ? undefined : 'the cluster was not read';
  if (need === 'nodeObject') return object ? undefined : `Node object ${node.name} does not exist`;
  if (node[need] !== undefined) return undefined;
  const failure = node.errors[need];
  return failure ? `${need}: ${failure.message || failure.kind}` : `${need} was not collected`;
}
