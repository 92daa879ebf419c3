import {names} from '../../lib/names.js';
import {plain} from '../../lib/untrusted.js';
import type {Result} from '../../model/result.js';
import type {PreflightReport} from '../../services/preflight/preflight-report.js';
import type {TextOptions, View} from '../view.js';
import {renderEvidence, renderRemedy} from './doctor/finding.js';
import {count, Page} from './page.js';

export const preflightView: View<PreflightReport> = {text: renderText, short: renderShort};

/** The requirements per node: met or not, and how to meet them. */
function renderText(report: PreflightReport, options: TextOptions): string {
  const page = new Page(options);
  for (const line of inUse(report)) page.wrapped(0, page.paint('bold', line));
  if (report.cluster.runs) page.line(0, '');
  if (report.cluster.results.length > 0) {
    page.line(0, page.paint('bold', 'Cluster'));
    for (const result of report.cluster.results) renderResult(page, result);
    page.line(0, '');
  }
  for (const {name, system, inspected, error, results, ready, install = []} of report.nodes) {
    page.wrapped(0, `${page.paint('bold', plain(name))}  ${page.paint('dim', plain(system.join(', ')))}`.trimEnd(), 2);
    if (error !== undefined) page.wrapped(2, `${page.paint('yellow', '?')} not inspected: ${plain(error)}`, 4);
    // On a node that was not inspected, most results are undetermined for the same reason, which is already reported.
    const told = results.filter(({outcome}) => inspected || outcome !== 'unknown');
    for (const result of told) renderResult(page, result);
    if (told.length < results.length)
      page.line(2, `${page.paint('yellow', '?')} ${results.length - told.length} more undetermined`);
    if (install.length > 0)
      page.line(2, ready === 'yes' ? 'Then, on the node:' : 'Once these requirements are met, on the node:');
    for (const step of install) page.wrapped(4, plain(step), 6);
    page.line(0, '');
  }
  if (report.summary.ready < report.summary.nodes)
    page.wrapped(
      0,
      page.paint('dim', `More about a requirement: kubectl win explain preflight/${report.plugin.name}/NAME`),
    );
  page.wrapped(0, closing(page, report));
  return page.text();
}

/** The most important obstacle: the cluster already runs another plugin. */
function inUse({cluster, plugin}: PreflightReport): string[] {
  if (!cluster.runs) return [];
  const others = cluster.runs.map(({title, nodes}) => `${plain(title)} (${names(nodes.map(plain))})`);
  return [
    `This cluster runs another network plugin: ${others.join(', ')}.`,
    `Nodes cannot run ${plugin.title} beside it. Changing the plugin requires a migration of all nodes, so no commands are shown.`,
  ];
}

/** Only unmet requirements, one line each, for a ticket. */
function renderShort(report: PreflightReport, options: TextOptions): string {
  const page = new Page(options);
  for (const line of inUse(report).slice(0, 1)) page.line(0, line);
  for (const {name, inspected, results} of [{name: 'cluster', inspected: true, ...report.cluster}, ...report.nodes]) {
    for (const result of results.filter(({outcome}) => outcome === 'fail' || (inspected && outcome === 'unknown')))
      page.line(0, `${plain(name)}: ${sign(page, result)} ${result.id}: ${plain(result.message)}`);
  }
  for (const {name, error} of report.nodes.filter(({inspected}) => !inspected))
    page.line(0, `${plain(name)}: ${page.paint('yellow', '?')} not inspected: ${plain(error ?? 'no reason given')}`);
  page.line(0, closing(page, report));
  return page.text();
}

function renderResult(page: Page, result: Result): void {
  const {id, outcome, title, message, evidence, remedy} = result;
  if (outcome === 'skipped' && !page.verbose) return;
  const name = id.split('/').at(-1) ?? id;
  const head = outcome === 'fail' ? page.paint('bold', title) : title;
  page.edged(2, `${sign(page, result)} ${head}`, page.paint('dim', name), 4);
  if (outcome === 'pass' && (!page.verbose || message === 'OK.')) return;
  page.wrapped(4, plain(message));
  if (remedy) renderRemedy(page, remedy);
  if (page.verbose) renderEvidence(page, evidence);
}

function sign(page: Page, {outcome, severity}: Result): string {
  switch (outcome) {
    case 'pass':
      return page.paint('green', '✓');
    case 'fail':
      return severity === 'error' ? page.paint('red', '✗') : page.paint('yellow', '!');
    case 'unknown':
      return page.paint('yellow', '?');
    case 'info':
      return page.paint('blue', 'i');
    case 'skipped':
      return page.paint('dim', '-');
  }
}

function closing(page: Page, {plugin, cluster, nodes: all, summary}: PreflightReport): string {
  const {nodes, ready, uninspected} = summary;
  const undecided = all.filter(node => node.inspected && node.ready === 'unknown').length;
  const what = plugin.mode === undefined ? plugin.title : `${plugin.title} (${plugin.mode})`;
  const notes = [
    cluster.ready === 'no' && 'the cluster is not ready',
    undecided > 0 && `${undecided} undetermined`,
    uninspected > 0 && `${uninspected} not inspected`,
  ].filter(note => note !== false);
  const line = `Ready for ${what}: ${ready} of ${count(nodes, 'node')}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
  return page.paint(ready === nodes ? 'green' : 'red', line);
}
