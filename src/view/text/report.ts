import {styleText} from 'node:util';
import {type DoctorReport, isFailure, isIncomplete, type NodeReport} from '../../diagnose/report.js';
import {byRootCause, type Finding} from '../../diagnose/root-causes.js';
import {plain, valueText} from '../../lib/untrusted.js';
import {type Remedy, remedySteps} from '../../model/remedies.js';
import type {Result} from '../../model/result.js';
import type {Evidence} from '../../model/verdict.js';
import {sectionNames} from '../../snapshot/section-names.js';
import type {TextOptions, View} from '../view.js';
import {wrap} from './wrap.js';

type Style = Parameters<typeof styleText>[0];

export const reportView: View<DoctorReport> = {
  text: renderText,
  wide: (report, options) => renderText(report, {...options, verbose: true}),
  short: renderShort,
  name: renderNames,
  // Formats for other programs load when they are asked for.
  markdown: async report => (await import('../report/markdown.js')).markdown(report),
  html: async report => (await import('../report/html.js')).html(report),
  junit: async report => (await import('../report/junit.js')).junit(report),
  sarif: async report => (await import('../report/sarif.js')).sarif(report),
  prometheus: async report => (await import('../report/prometheus.js')).prometheus(report),
};

/** The report as people read it: per node the root causes, what they explain, and what to do. */
function renderText(report: DoctorReport, options: TextOptions): string {
  const page = new Page(options);
  if (report.cluster.results.some(({outcome}) => outcome === 'fail' || outcome === 'info')) {
    page.line(0, page.paint('bold', 'Cluster'));
    renderResults(page, report.cluster.results);
    page.line(0, '');
  }
  renderUnread(page, report);
  const [quiet, telling] = [
    report.nodes.filter(hasNothingToTell),
    report.nodes.filter(node => !hasNothingToTell(node)),
  ];
  for (const node of page.verbose ? report.nodes : telling) {
    page.line(0, heading(page, node));
    if (node.error !== undefined) page.wrapped(2, `${page.paint('yellow', '?')} ${plain(node.error)}`, 4);
    if (node.incomplete !== undefined) page.wrapped(2, `${page.paint('yellow', '?')} ${incompleteText(node)}`, 4);
    renderResults(page, node.results, report.cluster.results);
    page.line(0, '');
  }
  if (quiet.length > 0 && !page.verbose) {
    const widest = Math.max(...quiet.map(({name}) => name.length));
    for (const node of quiet) page.line(0, `${page.paint('green', '✓')} ${healthyLine(page, node, widest)}`);
    page.line(0, '');
  }
  page.line(0, closing(page, report));
  return page.text();
}

/** A node that is well needs one line: a thousand of them must not hide the one that is not. */
function hasNothingToTell({inspected, incomplete, results}: NodeReport): boolean {
  return (
    inspected &&
    incomplete === undefined &&
    results.every(({outcome, suppressed}) => (outcome === 'pass' || outcome === 'skipped') && suppressed === undefined)
  );
}

/** How much of a node was not seen, and why. */
function incompleteText({results, incomplete}: NodeReport): string {
  const asked = results.filter(({outcome}) => outcome !== 'skipped');
  const undetermined = asked.filter(({outcome}) => outcome === 'unknown');
  return `not fully inspected: ${undetermined.length} of ${asked.length} checks undetermined (${plain(incomplete ?? '')})`;
}

/** Lists of the cluster that are missing from the whole report. */
function renderUnread(page: Page, {cluster}: DoctorReport): void {
  for (const list of cluster.unread ?? [])
    page.wrapped(0, `${page.paint('yellow', '?')} not read from the cluster: ${plain(list)}`, 2);
  if (cluster.unread) page.line(0, '');
}

function healthyLine(page: Page, node: NodeReport, widest: number): string {
  const passed = node.results.filter(({outcome}) => outcome === 'pass').length;
  return `${plain(node.name).padEnd(widest)}  ${page.paint('dim', `${pluginText(node)}, ${count(passed, 'check')} passed`)}`;
}

/** Only problems, one line each: to paste into a ticket. */
function renderShort(report: DoctorReport, options: TextOptions): string {
  const page = new Page(options);
  const {results: clusterResults} = report.cluster;
  const places = [
    {name: 'cluster', results: clusterResults, elsewhere: []},
    ...report.nodes.map(({name, results}) => ({name, results, elsewhere: clusterResults})),
  ];
  for (const {name, results, elsewhere} of places) {
    for (const {root, explains} of byRootCause(results, elsewhere)) {
      const also = explains.length > 0 ? ` (explains ${explains.length} more)` : '';
      page.line(0, `${name}: ${sign(page, root)} ${root.id}: ${plain(root.message)}${also}`);
    }
  }
  for (const node of report.nodes.filter(({inspected}) => !inspected)) {
    page.line(0, `${node.name}: ${page.paint('yellow', '?')} not inspected: ${plain(node.error ?? 'no reason given')}`);
  }
  for (const node of report.nodes.filter(isIncomplete)) {
    page.line(0, `${node.name}: ${page.paint('yellow', '?')} ${incompleteText(node)}`);
  }
  renderUnread(page, report);
  page.line(0, closing(page, report));
  return page.text();
}

/** The nodes that have problems, for `xargs`. */
function renderNames(report: DoctorReport): string {
  return report.nodes
    .filter(({results}) => results.some(result => isFailure(result, 'error') || isFailure(result, 'warning')))
    .map(({name}) => `node/${name}\n`)
    .join('');
}

/** The last line of a report, alone. */
export function summaryLine(report: DoctorReport): string {
  return closing(new Page({colour: false}), report);
}

export class Page {
  readonly #lines: string[] = [];
  readonly #options: TextOptions;

  constructor(options: TextOptions) {
    this.#options = options;
  }

  get verbose(): boolean {
    return this.#options.verbose ?? false;
  }

  paint(style: Style, text: string): string {
    return this.#options.colour ? styleText(style, text, {validateStream: false}) : text;
  }

  line(indent: number, text: string): void {
    this.#lines.push(text === '' ? '' : `${' '.repeat(indent)}${text}`);
  }

  /** A line that goes on under its own text, `hang` columns in, where it is longer than the terminal. */
  wrapped(indent: number, text: string, hang = indent): void {
    this.#lines.push(...wrap(text, {indent, hang, width: this.#options.width}));
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

function heading(page: Page, node: NodeReport): string {
  return `${page.paint('bold', plain(node.name))}  ${page.paint('dim', pluginText(node))}`;
}

function pluginText({cni}: NodeReport): string {
  if (cni.name === 'unknown') return 'network plugin not recognised';
  const doubt = cni.confidence === 'certain' ? '' : `, ${cni.confidence}`;
  return plain([cni.name, cni.version, cni.variant && `(${cni.variant})`].filter(Boolean).join(' ') + doubt);
}

function renderResults(page: Page, results: readonly Result[], elsewhere: readonly Result[] = []): void {
  for (const finding of byRootCause(results, elsewhere)) renderFinding(page, finding);
  for (const result of results.filter(({outcome}) => outcome === 'info')) {
    page.wrapped(2, `${page.paint('blue', 'i')} ${result.id}  ${plain(result.message)}`, 4);
  }
  for (const {id, suppressed} of results.filter(result => result.suppressed !== undefined)) {
    page.wrapped(
      2,
      `${page.paint('dim', '-')} ${id}  ${page.paint('dim', `suppressed: ${plain(suppressed ?? '')}`)}`,
      4,
    );
  }
  renderUnknown(page, results);
  const passed = results.filter(({outcome}) => outcome === 'pass');
  if (page.verbose) {
    for (const {id, title} of passed) page.line(2, `${page.paint('green', '✓')} ${id}  ${page.paint('dim', title)}`);
  } else if (passed.length > 0) {
    page.line(2, `${page.paint('green', '✓')} ${count(passed.length, 'check')} passed`);
  }
}

function renderFinding(page: Page, {root, explains, ofCluster}: Finding): void {
  const scope = ofCluster ? ` ${page.paint('dim', '(whole cluster)')}` : '';
  page.line(2, `${sign(page, root)} ${page.paint('bold', root.id)}  ${root.title}${scope}`);
  page.wrapped(4, `${plain(root.message)}${alone(root)}`);
  for (const evidence of root.evidence) renderEvidence(page, evidence);
  if (root.remedy) renderRemedy(page, root.remedy);
  if (explains.length > 0) {
    page.line(4, page.paint('dim', `explains ${count(explains.length, 'other finding')}:`));
    for (const other of explains) page.wrapped(6, `${sign(page, other)} ${other.id}  ${plain(other.message)}`, 8);
  }
}

export function renderEvidence(page: Page, {section, object, field, seen, expected}: Evidence): void {
  const where = [section, plain(object), field].filter(Boolean).join(' ');
  const wanted = expected === undefined ? '' : `; expected ${valueText(expected)}`;
  page.wrapped(4, `${page.paint('dim', 'seen')}  ${where}: ${valueText(seen)}${wanted}`, 10);
}

export function renderRemedy(page: Page, remedy: Remedy): void {
  const steps = remedySteps(remedy);
  for (const [i, step] of steps.entries()) {
    const label = i === 0 ? page.paint('cyan', 'fix ') : '    ';
    page.wrapped(4, `${label}  ${plain(step)}`, 10);
  }
  if (!remedy.cutsNetwork) return;
  const warning = remedy.kind === 'command' ? 'it asks first, and undoes itself' : 'have a console of the node at hand';
  page.wrapped(10, page.paint('bold', `cuts the node's network for a moment: ${warning}`));
}

/** A fault that no peer has is more likely to be of the node itself. */
function alone({peers}: Result): string {
  return peers && peers.failing === 1 && peers.of > 2 ? ` Of ${peers.of} such nodes only this one has it.` : '';
}

/** Checks that could not be told are grouped by their reason: one missing section costs many. */
function renderUnknown(page: Page, results: readonly Result[]): void {
  const byReason = new Map<string, string[]>();
  for (const {id, message} of results.filter(({outcome}) => outcome === 'unknown')) {
    const reason = plain(reasonOf(message));
    byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
  }
  for (const [reason, ids] of byReason) {
    page.wrapped(2, `${page.paint('yellow', '?')} ${ids.join(', ')}  ${page.paint('dim', reason)}`, 4);
  }
}

/** What is behind an undetermined check, whichever sections it cost: `hnsNetworks: Access is denied.` is as good as another. */
function reasonOf(message: string): string {
  const told = /^Undetermined: (.+?)\.*$/s.exec(message)?.[1];
  if (told === undefined) return message;
  const reasons = told.split('; ').map(part => part.replace(sectionPrefix, '').replace(/\.$/, ''));
  return `Undetermined: ${[...new Set(reasons)].join('; ')}.`;
}

const sectionPrefix = new RegExp(`^(?:${sectionNames.join('|')}): `);

function sign(page: Page, result: Result): string {
  return isFailure(result, 'error') ? page.paint('red', '✗') : page.paint('yellow', '!');
}

function closing(page: Page, {cluster, summary}: DoctorReport): string {
  const {nodes, healthy, errors, warnings, uninspected, incomplete} = summary;
  const found = [
    errors > 0 && page.paint('red', count(errors, 'error')),
    // Yellow words are hard to read on a light ground: yellow is for signs.
    warnings > 0 && page.paint('bold', count(warnings, 'warning')),
    uninspected > 0 && page.paint('bold', `${count(uninspected, 'node')} not inspected`),
    incomplete > 0 && page.paint('bold', `${count(incomplete, 'node')} not fully inspected`),
    cluster.unread && page.paint('bold', `${count(cluster.unread.length, 'list')} of the cluster not read`),
  ].filter(part => typeof part === 'string');
  const verdict = found.length > 0 ? found.join(', ') : page.paint('green', 'nothing wrong found');
  return `${count(nodes, 'Windows node')}, ${healthy} healthy: ${verdict}`;
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
