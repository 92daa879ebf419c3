import {type DoctorReport, isIncomplete, isNodeHealthy, type NodeReport} from '../../diagnose/report.js';
import {byRootCause, type Finding} from '../../diagnose/root-causes.js';
import type {Result} from '../../model/result.js';
import type {Evidence} from '../../model/verdict.js';

/** The cluster or a node of a report, with its findings. */
export interface Place {
  readonly name: string;
  readonly node?: NodeReport;
  readonly results: readonly Result[];
  readonly findings: readonly Finding[];
}

/** The cluster, then its nodes. */
export function placesOf({cluster, nodes}: DoctorReport): Place[] {
  return [
    {name: 'cluster', results: cluster.results, findings: byRootCause(cluster.results)},
    ...nodes.map(node => ({
      name: node.name,
      node,
      results: node.results,
      findings: byRootCause(node.results, cluster.results),
    })),
  ];
}

export type ReportedState = 'healthy' | 'unhealthy' | 'not inspected' | 'not fully inspected';

export function reportedState(node: NodeReport): ReportedState {
  if (!node.inspected) return 'not inspected';
  if (isIncomplete(node)) return 'not fully inspected';
  return isNodeHealthy(node) ? 'healthy' : 'unhealthy';
}

/** Why a node was not, or not fully, inspected. */
export const gapOf = ({error, incomplete}: NodeReport): string | undefined => error ?? incomplete;

export function pluginName({cni}: NodeReport): string {
  if (cni.name === 'unknown') return 'not recognised';
  return [cni.name, cni.version, cni.variant && `(${cni.variant})`].filter(Boolean).join(' ');
}

/** The object and field of a piece of evidence. */
export const objectOf = ({object, field}: Evidence): string => [object, field].filter(Boolean).join(' ');
