import {podNetwork} from '../../checks/pod-network.js';
import type {NodeSubject} from '../../model/check.js';
import type {Level} from '../../model/level.js';
import type {NodeRepair} from '../../model/plugin-cleanup.js';
import type {Result} from '../../model/result.js';
import {isProblem, type Repairable} from './repairable-findings.js';

export interface NodeRepairOptions {
  readonly level: Level;
  readonly force: boolean;
  readonly drain: boolean;
  /** The problems that the plan repairs; empty: the repair was requested without a problem. */
  readonly repaired: readonly Repairable[];
}

export function nodeRepairOf(
  subject: NodeSubject,
  results: readonly Result[],
  {level, force, drain, repaired}: NodeRepairOptions,
): NodeRepair {
  const network = podNetwork(subject.node, subject.plugin.profile.network);
  const wants = (what: 'agent' | 'kube-proxy') => repaired.some(({repair}) => repair.restarts === what);
  const agent = wants('agent') || level === 'hard' || repaired.length === 0;
  return {
    subject,
    level,
    force,
    drain,
    network,
    // Load balancers are lost with their network. Without an agent, kube-proxy is all that can be restarted.
    restart: {
      agent,
      kubeProxy: wants('kube-proxy') || level === 'hard' || (agent && (!network || !subject.plugin.profile.agent)),
    },
    failed: id => results.some(result => result.id === id && isProblem(result)),
    passed: id => results.some(result => result.id === id && result.outcome === 'pass'),
    seen: (id, section) =>
      results
        .filter(result => result.id === id && isProblem(result))
        .flatMap(({evidence}) => evidence.filter(its => its.section === section).map(its => its.object)),
  };
}

/** The same node, treated as running the plugin that the user named. */
export function asRunning(subject: NodeSubject, name: string | undefined): NodeSubject | undefined {
  const {plugin} = subject;
  if (name === undefined || plugin.name === name) return subject;
  const other = plugin.others.find(candidate => candidate.plugin.name === name);
  if (!other || !plugin.plugin) return undefined;
  const {recognition} = other;
  return {
    ...subject,
    plugin: {
      plugin: other.plugin,
      name: other.plugin.name,
      title: other.plugin.title,
      variant: recognition.variant,
      version: recognition.version,
      confidence: 'likely',
      evidence: [...recognition.meant, ...recognition.found],
      profile: other.plugin.profile(subject, recognition),
      others: plugin.others.filter(candidate => candidate !== other),
      known: plugin.known,
    },
  };
}
