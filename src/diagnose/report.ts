import {ExitCode} from '../lib/errors.js';
import {naturally} from '../lib/natural-order.js';
import type {Detection} from '../model/plugin.js';
import type {Result} from '../model/result.js';
import {isFailure, problems} from './failures.js';
import {byRootCause} from './root-causes.js';

/** The report of `doctor`, as printed by `-o json`. An incompatible change requires a new apiVersion. */
export interface DoctorReport {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'DoctorReport';
  readonly generatedAt: string;
  readonly cluster: {
    readonly version?: string;
    readonly context?: string;
    readonly results: readonly Result[];
    /** Lists of the cluster that could not be read: checks that need them are undetermined. */
    readonly unread?: readonly string[];
  };
  readonly nodes: readonly NodeReport[];
  readonly summary: Summary;
}

export interface NodeReport {
  readonly name: string;
  readonly cni: {
    readonly name: string;
    readonly variant?: string;
    readonly version?: string;
    readonly confidence: string;
    readonly evidence: readonly string[];
  };
  /** False: the helper could not run; `error` says why. */
  readonly inspected: boolean;
  readonly error?: string;
  /** When the data was read, if it comes from an installed helper's cache and predates this run. */
  readonly readAt?: string;
  /** Why it cannot be reported as healthy although the helper ran: essential data was not read. */
  readonly incomplete?: string;
  readonly results: readonly Result[];
}

export interface Summary {
  readonly nodes: number;
  readonly healthy: number;
  readonly errors: number;
  readonly warnings: number;
  /** Root causes: failures that no other failure explains. */
  readonly problems: number;
  /** Failures that problems explain. */
  readonly consequences: number;
  readonly unknown: number;
  readonly uninspected: number;
  /** Nodes that were not fully inspected. */
  readonly incomplete: number;
}

export interface ReportInput {
  readonly generatedAt: Date;
  readonly version?: string | undefined;
  readonly context?: string | undefined;
  readonly clusterResults: readonly Result[];
  readonly unread?: readonly string[] | undefined;
  readonly nodes: readonly NodeReport[];
}

export function buildReport(input: ReportInput): DoctorReport {
  const {generatedAt, version, context, clusterResults, unread = [], nodes} = input;
  const inOrder = [...nodes].sort((one, other) => naturally(one.name, other.name));
  return {
    apiVersion: 'kubectl-win/v1',
    kind: 'DoctorReport',
    generatedAt: isoSeconds(generatedAt),
    cluster: {
      ...(version !== undefined && {version}),
      ...(context !== undefined && {context}),
      results: clusterResults,
      ...(unread.length > 0 && {unread}),
    },
    nodes: inOrder,
    summary: summarise(clusterResults, inOrder),
  };
}

export const isoSeconds = (time: Date) => time.toISOString().replace(/\.\d{3}Z$/, 'Z');

export function cniOf({name, variant, version, confidence, evidence}: Detection): NodeReport['cni'] {
  return {
    name,
    ...(variant !== undefined && {variant}),
    ...(version !== undefined && {version}),
    confidence,
    evidence,
  };
}

function summarise(clusterResults: readonly Result[], nodes: readonly NodeReport[]): Summary {
  const parts = [{results: clusterResults}, ...nodes];
  // Counted part by part: the results of a fleet in one list would take as much memory as everything else at the end.
  const count = (counted: (result: Result) => boolean) =>
    parts.reduce((sum, {results}) => sum + results.filter(counted).length, 0);
  const roots = parts
    .flatMap(({results}) => byRootCause(results, clusterResults))
    .filter(({ofCluster}) => !ofCluster).length;
  const errors = count(result => isFailure(result, 'error'));
  const warnings = count(result => isFailure(result, 'warning'));
  return {
    nodes: nodes.length,
    healthy: nodes.filter(isNodeHealthy).length,
    errors,
    warnings,
    problems: roots,
    consequences: errors + warnings - roots,
    unknown: count(({outcome}) => outcome === 'unknown'),
    uninspected: nodes.filter(({inspected}) => !inspected).length,
    incomplete: nodes.filter(isIncomplete).length,
  };
}

/** Fully inspected, without problems. */
export function isNodeHealthy(node: NodeReport): boolean {
  return node.inspected && !isIncomplete(node) && problems(node.results).length === 0;
}

export function isIncomplete({inspected, incomplete}: NodeReport): boolean {
  return inspected && incomplete !== undefined;
}

export const failOnLevels = ['error', 'warning', 'never'] as const;
export type FailOn = (typeof failOnLevels)[number];

/**
 * Like `kubectl diff`: an incomplete report takes precedence over findings. With `--no-helper`, which is incomplete by
 * design, the findings decide.
 */
export function doctorExitCode(
  {cluster, summary}: DoctorReport,
  {failOn, helper: whole}: {readonly failOn: FailOn; readonly helper: boolean},
): ExitCode {
  if (cluster.unread !== undefined) return ExitCode.uninspected;
  if (whole && summary.uninspected + summary.incomplete > 0) return ExitCode.uninspected;
  if (failOn === 'never') return ExitCode.ok;
  const found = summary.errors + (failOn === 'warning' ? summary.warnings : 0);
  return found > 0 ? ExitCode.problems : ExitCode.ok;
}
