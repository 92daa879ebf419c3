import {problems} from '../../diagnose/failures.js';
import type {DoctorReport, NodeReport} from '../../diagnose/report.js';
import {plain} from '../../lib/untrusted.js';
import {placesOf, reportedState} from './places.js';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** The Prometheus text format, for node_exporter's textfile collector or a Pushgateway. */
export function prometheus(report: DoctorReport): string {
  const {nodes, cluster} = report;
  return [
    metric('kubectl_win_report_timestamp_seconds', 'Time of the report, in seconds since 1970.', [
      {labels: {}, value: Math.floor(Date.parse(report.generatedAt) / 1000)},
    ]),
    metric('kubectl_win_cluster_lists_unread', 'Lists of the cluster that could not be read.', [
      {labels: {}, value: cluster.unread?.length ?? 0},
    ]),
    metric(
      'kubectl_win_node_inspected',
      '1 if the node was fully inspected, otherwise 0.',
      nodes.map(node => ({
        labels: labelsOf(node),
        value: Number(['healthy', 'unhealthy'].includes(reportedState(node))),
      })),
    ),
    metric(
      'kubectl_win_node_healthy',
      '1 if the node was fully inspected and is healthy, otherwise 0.',
      nodes.map(node => ({labels: labelsOf(node), value: Number(reportedState(node) === 'healthy')})),
    ),
    metric(
      'kubectl_win_node_checks_undetermined',
      'Checks of the node whose outcome is unknown.',
      nodes.map(node => ({
        labels: labelsOf(node),
        value: node.results.filter(({outcome}) => outcome === 'unknown').length,
      })),
    ),
    metric(
      'kubectl_win_findings',
      'Findings by node, check and severity; an empty node is the cluster.',
      findings(report),
    ),
  ].join('');
}

function findings(report: DoctorReport): Sample[] {
  return placesOf(report).flatMap(({node, results}) => {
    const groups = Map.groupBy(problems(results), ({id, severity}) => `${id} ${severity}`);
    return Array.from(groups.values(), ([first, ...others]) => ({
      labels: {node: node?.name ?? '', check: first?.id ?? '', severity: first?.severity ?? ''},
      value: 1 + others.length,
    }));
  });
}

const labelsOf = ({name, cni}: NodeReport): Labels => ({node: name, plugin: cni.name});

function metric(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({labels, value}) => `${name}${labelText(labels)} ${value}\n`);
  return [`# HELP ${name} ${help}\n`, `# TYPE ${name} gauge\n`, ...lines].join('');
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

const escaped = (value: string) => plain(value).toWellFormed().replace(/["\\]/g, '\\$&');
