import {isFailure} from '../../diagnose/failures.js';
import {type DoctorReport, isIncomplete, isNodeHealthy, type NodeReport} from '../../diagnose/report.js';
import {byRootCause, type Finding} from '../../diagnose/root-causes.js';
import {plain} from '../../lib/untrusted.js';
import type {Topology} from '../../services/inspect/part.js';
import type {TextOptions, View} from '../view.js';
import {shortened} from './doctor/evidence-facts.js';
import {renderFinding, renderShared} from './doctor/finding.js';
import {type Gathered, gathered, isSevere} from './doctor/gathered-findings.js';
import {healthyLine, incompleteText, pluginText, renderNode, renderRest, severityRank} from './doctor/node-findings.js';
import {nodeStates, renderClosing} from './doctor/summary-lines.js';
import {count, Page} from './page.js';

/** The report with each finding reported once, or node by node. */
export function reportView(
  by: 'finding' | 'node' = 'finding',
  drawings: ReadonlyMap<string, Topology> = new Map(),
): View<DoctorReport> {
  return {
    text: (report, options) => renderText(report, options, by),
    wide: (report, options) => renderText(report, {...options, verbose: true}, by),
    short: renderShort,
    name: renderNames,
    // Formats for other programs are loaded on demand.
    markdown: async report => (await import('../report/markdown.js')).markdown(report),
    html: async report => (await import('../report/html.js')).html(report, drawings),
    junit: async report => (await import('../report/junit.js')).junit(report),
    sarif: async report => (await import('../report/sarif.js')).sarif(report),
    prometheus: async report => (await import('../report/prometheus.js')).prometheus(report),
  };
}

/** More healthy nodes are not listed, but counted. */
const mostHealthy = 10;

/** The report as text: root causes, worst first, each with its fix, evidence and consequences. */
function renderText(report: DoctorReport, options: TextOptions, by: 'finding' | 'node'): string {
  const page = new Page(options);
  const found = gathered(report, by);
  renderCluster(page, report, found);
  if (found.shared.length > 0) {
    page.gap();
    page.line(0, page.paint('bold', 'Several nodes'));
    page.gap();
    for (const shared of found.shared) renderShared(page, shared);
  }
  const own = (node: NodeReport): readonly Finding[] => found.own.get(node) ?? [];
  const toldAbove = (node: NodeReport) => found.above.get(node) ?? 0;
  const telling = report.nodes.filter(
    node => page.verbose || (!isNodeHealthy(node) && (own(node).length > 0 || toldAbove(node) === 0)),
  );
  for (const node of worstFirst(telling, own)) {
    page.gap();
    renderNode(page, node, own(node), toldAbove(node));
  }
  renderHealthy(page, page.verbose ? [] : report.nodes.filter(isNodeHealthy));
  page.gap();
  renderClosing(page, report);
  return page.text();
}

function worstFirst(nodes: readonly NodeReport[], own: (node: NodeReport) => readonly Finding[]): NodeReport[] {
  return [...nodes].sort((one, other) => severityRank(one, own(one)) - severityRank(other, own(other)));
}

/** Findings about the whole cluster, and lists that could not be read. */
function renderCluster(page: Page, {cluster}: DoctorReport, {ofCluster}: Gathered): void {
  const findings = byRootCause(cluster.results).map(finding => ({
    ...finding,
    explains: [...finding.explains, ...(ofCluster.get(finding.root) ?? [])],
  }));
  if (findings.length > 0 || (page.verbose && cluster.results.length > 0)) {
    page.line(0, page.paint('bold', 'Cluster'));
    page.gap();
    for (const finding of findings) renderFinding(page, finding);
    renderRest(page, cluster.results);
    page.gap();
  }
  for (const list of cluster.unread ?? [])
    page.wrapped(0, `${page.paint('yellow', '?')} Not read from the cluster: ${plain(list)}`, 2);
  page.gap();
}

function renderHealthy(page: Page, nodes: readonly NodeReport[]): void {
  if (nodes.length === 0) return;
  page.gap();
  if (nodes.length > mostHealthy) {
    const plugins = [...Map.groupBy(nodes, pluginText)].map(([plugin, same]) => `${same.length} ${plugin}`);
    page.wrapped(0, `${page.paint('green', '✓')} ${count(nodes.length, 'healthy node')}: ${plugins.join('; ')}`, 2);
    return;
  }
  const widths = {
    name: Math.max(...nodes.map(({name}) => plain(name).length)),
    plugin: Math.max(...nodes.map(node => pluginText(node).length)),
  };
  for (const node of nodes) healthyLine(page, node, widths);
}

/** Only problems, one line each, for a ticket. */
function renderShort(report: DoctorReport, options: TextOptions): string {
  const page = new Page(options);
  const {results: clusterResults} = report.cluster;
  const places = [
    {name: 'cluster', results: clusterResults, elsewhere: []},
    ...report.nodes.map(({name, results}) => ({name, results, elsewhere: clusterResults})),
  ];
  for (const {name, results, elsewhere} of places) {
    for (const finding of byRootCause(results, elsewhere)) {
      const {root, explains} = finding;
      const also = explains.length > 0 ? ` (explains ${explains.length} more)` : '';
      const sign = isSevere(finding) ? page.paint('red', '✗') : page.paint('yellow', '!');
      page.line(0, `${plain(name)}: ${sign} ${root.id}: ${shortened(plain(root.message))}${also}`);
    }
  }
  for (const node of report.nodes.filter(({inspected}) => !inspected))
    page.line(
      0,
      `${plain(node.name)}: ${page.paint('yellow', '?')} not inspected: ${plain(node.error ?? 'no reason given')}`,
    );
  for (const node of report.nodes.filter(isIncomplete))
    page.line(0, `${plain(node.name)}: ${page.paint('yellow', '?')} ${incompleteText(node)}`);
  for (const list of report.cluster.unread ?? [])
    page.line(0, `cluster: ${page.paint('yellow', '?')} not read: ${plain(list)}`);
  page.line(0, nodeStates(page, report));
  return page.text();
}

/** The nodes that have problems, for `xargs`. */
function renderNames(report: DoctorReport): string {
  return report.nodes
    .filter(({results}) => results.some(result => isFailure(result, 'error') || isFailure(result, 'warning')))
    .map(({name}) => `node/${name}\n`)
    .join('');
}

/** Only the states of the nodes. */
export function summaryLine(report: DoctorReport): string {
  return nodeStates(new Page({colour: false}), report);
}
