import type {NodeSubject} from '../model/check.js';
import type {Result} from '../model/result.js';
import {NotRead} from '../snapshot/not-read.js';
import type {SectionName} from '../snapshot/section-names.js';

/** Checks whose failure explains why a section could not be read: the report is then complete without it. */
const explains: Partial<Record<SectionName, readonly string[]>> = {
  hnsNetworks: ['hns/responds', 'hns/service'],
  ovs: ['ovs/services', 'ovs/driver'],
  vmSwitchExtensions: ['platform/hyper-v'],
};

/**
 * Why a node cannot be reported as healthy even if all other checks pass: the plugin, its networks, its switch or its
 * agent could not be read. Undefined: all of it was read.
 */
export function incompleteness(subject: NodeSubject, results: readonly Result[]): string | undefined {
  const {node, plugin} = subject;
  if (plugin.undetermined !== undefined) return plugin.undetermined;
  const missing = (section: SectionName) => {
    const failure = node.errors[section];
    if (node[section] !== undefined) return undefined;
    if (results.some(({id, outcome}) => outcome === 'fail' && explains[section]?.includes(id))) return undefined;
    return failure ? `${section}: ${failure.message || failure.kind}` : `${section} was not collected`;
  };
  const networks = missing('hnsNetworks');
  if (networks !== undefined) return networks;
  if (plugin.plugin === undefined) return 'the network plugin was not recognised';
  const overOvs = plugin.profile.bridges.length > 0;
  return (overOvs ? (missing('ovs') ?? missing('vmSwitchExtensions')) : undefined) ?? unseenAgent(subject);
}

/** An agent runs as a pod, a service or a process; reading one of the three is sufficient. */
function unseenAgent({node, cluster, plugin}: NodeSubject): string | undefined {
  const {agent} = plugin.profile;
  if (!agent || node.services || node.processes) return undefined;
  try {
    if (cluster && agent.daemonSets.length > 0) return void cluster.podsOn(node.name);
  } catch (error) {
    if (error instanceof NotRead) return error.message;
    throw error;
  }
  return `the state of ${agent.name} was not read`;
}
