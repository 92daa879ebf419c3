import {ExitCode} from '../../lib/errors.js';
import type {Check} from '../../model/check.js';
import type {Result} from '../../model/result.js';

/** Whether a plugin can be installed; `unknown` if no prerequisite failed, but a required one could not be determined. */
export type Readiness = 'yes' | 'no' | 'unknown';

/** The report of `preflight`, as `-o json` prints it. A change of shape is a new apiVersion. */
export interface PreflightReport {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'PreflightReport';
  readonly generatedAt: string;
  readonly plugin: {readonly name: string; readonly title: string; readonly mode?: string};
  readonly cluster: {
    readonly version?: string;
    readonly context?: string;
    readonly ready: Readiness;
    /** Other plugins that nodes run now. The results then have no remedies: installing one plugin breaks the other. */
    readonly runs?: readonly PluginInUse[];
    readonly results: readonly Result[];
  };
  readonly nodes: readonly NodeReadiness[];
  readonly summary: {
    readonly nodes: number;
    readonly ready: number;
    readonly notReady: number;
    readonly undecided: number;
    readonly uninspected: number;
  };
}

export interface PluginInUse {
  readonly name: string;
  readonly title: string;
  readonly nodes: readonly string[];
}

export interface NodeReadiness {
  readonly name: string;
  /** What it runs now: Windows, container runtime, kubelet. */
  readonly system: readonly string[];
  readonly inspected: boolean;
  readonly error?: string;
  /** Includes the cluster's prerequisites. */
  readonly ready: Readiness;
  readonly results: readonly Result[];
  /** The commands that install the plugin on the node. */
  readonly install?: readonly string[];
}

/** Warnings do not affect readiness. */
export function readiness(results: readonly Result[], prerequisites: readonly Check[]): Readiness {
  const required = new Set(prerequisites.filter(({severity}) => severity === 'error').map(({id}) => id as string));
  if (results.some(({outcome, severity}) => outcome === 'fail' && severity === 'error')) return 'no';
  return results.some(({id, outcome}) => outcome === 'unknown' && required.has(id)) ? 'unknown' : 'yes';
}

export function worst(...all: Readiness[]): Readiness {
  return all.find(ready => ready === 'no') ?? all.find(ready => ready === 'unknown') ?? 'yes';
}

export function summarise(nodes: readonly NodeReadiness[]): PreflightReport['summary'] {
  const count = (ready: Readiness) => nodes.filter(node => node.ready === ready).length;
  return {
    nodes: nodes.length,
    ready: count('yes'),
    notReady: count('no'),
    undecided: count('unknown'),
    uninspected: nodes.filter(({inspected}) => !inspected).length,
  };
}

/** As in doctor, uninspected nodes take precedence over problems. Undetermined prerequisites are not a success either. */
export function preflightExitCode({summary}: PreflightReport): ExitCode {
  if (summary.uninspected > 0) return ExitCode.uninspected;
  if (summary.notReady > 0) return ExitCode.problems;
  return summary.undecided > 0 ? ExitCode.uninspected : ExitCode.ok;
}
