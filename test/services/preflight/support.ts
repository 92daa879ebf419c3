import type {Result} from '../../../src/model/result.js';
import {diagnoseReadiness} from '../../../src/services/preflight/diagnose-readiness.js';
import {allPrerequisites, installablePlugin, installablePlugins} from '../../../src/services/preflight/installable.js';
import type {PreflightReport} from '../../../src/services/preflight/preflight-report.js';
import {snapshotDocument} from '../../../src/snapshot/document.js';
import {readSnapshot} from '../../../src/snapshot/snapshot.js';
import {demandWords, type Raw, type Scenario} from '../../checks/support.js';

export type Change = (scenario: Scenario) => Scenario;

/** How one prerequisite is made unmet on a ready node, and what then repairs it. */
export interface Case {
  readonly mode?: string;
  /** If the prerequisite does not apply to a ready node: what makes it apply. */
  readonly met?: Change;
  readonly unmet: Change;
  /** A part of the command below it. */
  readonly fix: string | RegExp;
  /** What can never be seen from here is unknown at best. */
  readonly unseen?: true;
}

const installable = await installablePlugins();

export const prerequisites = allPrerequisites(installable);
export const pluginNamed = (name: string | undefined) => installablePlugin(name, installable);

export const now = new Date('2026-03-04T10:00:00Z');

export function preflight(scenario: Scenario, plugin: string, mode?: string): PreflightReport {
  const snapshot = readSnapshot(snapshotDocument.parse(scenario.document));
  return diagnoseReadiness({
    snapshot,
    names: [...snapshot.nodes.keys()],
    failures: new Map(),
    plugin: pluginNamed(plugin),
    mode,
    context: 'test',
    now,
  });
}

/** The results of one prerequisite, for the cluster and every node. */
export function resultsOf(report: PreflightReport, name: string): Result[] {
  const id = `preflight/${report.plugin.name}/${name}`;
  const all = [...report.cluster.results, ...report.nodes.flatMap(({results}) => results)];
  for (const result of all) demandWords(result);
  return all.filter(result => result.id === id);
}

export function stepsOf({remedy}: Result): string {
  if (!remedy) return '';
  return remedy.kind === 'command' ? remedy.command : remedy.steps.join('\n');
}

/** Everything that keeps a snapshot from being ready, for a test's message. */
export function complaints(report: PreflightReport): string[] {
  return [...report.cluster.results, ...report.nodes.flatMap(({results}) => results)]
    .filter(({outcome}) => outcome === 'fail' || outcome === 'unknown')
    .map(({id, outcome, message}) => `${id} (${outcome}): ${message}`);
}

/** Changes the object of the Windows node. */
export const ofNode =
  (change: (node: Raw) => void): Change =>
  scenario =>
    scenario.object('Node', 'win-1', change);

/** Changes one section of the Windows node. */
export const ofSection =
  (section: string, change: (data: Raw) => void): Change =>
  scenario =>
    scenario.section(section, change);
