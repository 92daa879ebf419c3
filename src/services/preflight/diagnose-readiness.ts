import {osText, osVersion} from '../../checks/platform/os-version.js';
import {checkCluster, checkNode, subjectOf} from '../../diagnose/engine.js';
import type {Check, NodeSubject} from '../../model/check.js';
import type {Result} from '../../model/result.js';
import type {Snapshot} from '../../snapshot/snapshot.js';
import {type InstallablePlugin, prerequisitesOf} from './installable.js';
import {planned} from './planned.js';
import {
  type NodeReadiness,
  type PluginInUse,
  type PreflightReport,
  readiness,
  summarise,
  worst,
} from './preflight-report.js';

export interface PreflightInput {
  readonly snapshot: Snapshot;
  readonly names: readonly string[];
  /** Why a node could not be inspected, by its name. */
  readonly failures: ReadonlyMap<string, string>;
  readonly plugin: InstallablePlugin;
  readonly mode?: string | undefined;
  readonly context?: string | undefined;
  readonly now: Date;
}

/** Whether nodes and cluster are ready for a plugin. */
export function diagnoseReadiness(input: PreflightInput): PreflightReport {
  const {snapshot, failures, plugin, context, now} = input;
  const mode = input.mode ?? plugin.preflight.modeIn(snapshot.cluster);
  const prerequisites = prerequisitesOf(plugin, mode);
  const found = [...input.names].sort().map(name => subjectOf(snapshot, name, now.getTime()));
  const subjects = found.map(subject => planned(subject, plugin.plugin, plugin.preflight.variantOf(mode)));
  const runs = otherPlugins(found, plugin.name);
  const told = (results: readonly Result[]) => (runs.length > 0 ? results.map(withoutRemedy) : results);
  const clusterResults = inListOrder(checkCluster(snapshot.cluster, subjects, prerequisites), prerequisites);
  const clusterReady = readiness(clusterResults, prerequisites);
  const nodes = subjects.map((subject): NodeReadiness => {
    const {name} = subject.node;
    const error = failures.get(name);
    const results = inListOrder(checkNode(subject, prerequisites), prerequisites);
    const install = runs.length > 0 ? [] : plugin.preflight.install(subject, mode);
    return {
      name,
      system: systemOf(subject),
      inspected: error === undefined,
      ...(error !== undefined && {error}),
      ready: worst(clusterReady, readiness(results, prerequisites)),
      results: told(results),
      ...(install.length > 0 && {install}),
    };
  });
  const version = snapshot.cluster?.version;
  return {
    apiVersion: 'kubectl-win/v1',
    kind: 'PreflightReport',
    generatedAt: now.toISOString().replace(/\.\d{3}Z$/, 'Z'),
    plugin: {name: plugin.name, title: plugin.title, ...(mode !== undefined && {mode})},
    cluster: {
      ...(version !== undefined && {version}),
      ...(context !== undefined && {context}),
      ready: clusterReady,
      ...(runs.length > 0 && {runs}),
      results: told(clusterResults),
    },
    nodes,
    summary: summarise(nodes),
  };
}

/** Other plugins that the nodes run now. Leftovers of a removed plugin do not count. */
function otherPlugins(subjects: readonly NodeSubject[], wanted: string): PluginInUse[] {
  const others = subjects.filter(({plugin}) => plugin.confidence === 'certain' && plugin.name !== wanted);
  return [...Map.groupBy(others, ({plugin}) => plugin.name)].map(([name, its]) => ({
    name,
    title: its[0]?.plugin.title ?? name,
    nodes: its.map(({node}) => node.name),
  }));
}

/** A remedy that installs one plugin or removes another would break a cluster that runs the other. */
function withoutRemedy({remedy: _, ...result}: Result): Result {
  return result;
}

/** Prerequisites are listed in the order in which the installation guide covers them. */
function inListOrder(results: readonly Result[], prerequisites: readonly Check[]): Result[] {
  const place = new Map(prerequisites.map(({id}, i) => [id as string, i]));
  return [...results].sort((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0));
}

function systemOf(subject: NodeSubject): string[] {
  const {containerRuntimeVersion, kubeletVersion} = subject.object?.status?.nodeInfo ?? {};
  const version = osVersion(subject);
  return [
    ...(version ? [`Windows ${osText(version)}`] : []),
    ...(containerRuntimeVersion ? [containerRuntimeVersion.replace('://', ' ')] : []),
    ...(kubeletVersion ? [`kubelet ${kubeletVersion}`] : []),
  ];
}
