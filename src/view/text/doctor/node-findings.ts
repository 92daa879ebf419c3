import type {NodeReport} from '../../../diagnose/report.js';
import type {Finding} from '../../../diagnose/root-causes.js';
import {plain} from '../../../lib/untrusted.js';
import type {Result} from '../../../model/result.js';
import {sectionNames} from '../../../snapshot/section-names.js';
import {count, type Page} from '../page.js';
import {shortened} from './evidence-facts.js';
import {renderFinding} from './finding.js';
import {isSevere} from './gathered-findings.js';

/** Worst first: errors, not inspected, not fully inspected, warnings, healthy. */
export function severityRank(node: NodeReport, findings: readonly Finding[]): number {
  if (findings.some(isSevere)) return 0;
  if (!node.inspected) return 1;
  if (node.incomplete !== undefined) return 2;
  return findings.length > 0 ? 3 : 4;
}

/** One node: its findings, and why checks are undetermined. `elsewhere` counts findings that are reported above. */
export function renderNode(page: Page, node: NodeReport, findings: readonly Finding[], elsewhere = 0): void {
  page.edged(0, heading(page, node, findings), page.paint('dim', tally(findings, elsewhere)), 2);
  page.gap();
  if (node.error !== undefined) page.wrapped(2, `${page.paint('yellow', '?')} Not inspected: ${plain(node.error)}`, 4);
  if (node.incomplete !== undefined) page.wrapped(2, `${page.paint('yellow', '?')} ${incompleteText(node)}`, 4);
  page.gap();
  for (const finding of findings) renderFinding(page, finding, node);
  renderRest(page, node.results);
  page.gap();
}

function heading(page: Page, node: NodeReport, findings: readonly Finding[]): string {
  const signs = [
    page.paint('red', '✗'),
    page.paint('yellow', '?'),
    page.paint('yellow', '?'),
    page.paint('yellow', '!'),
    page.paint('green', '✓'),
  ];
  return `${signs[severityRank(node, findings)]} ${page.paint('bold', plain(node.name))}  ${page.paint('dim', pluginText(node))}`;
}

function tally(findings: readonly Finding[], elsewhere: number): string {
  const consequences = findings.reduce((sum, {explains}) => sum + explains.length, 0);
  return [
    findings.length > 0 && count(findings.length, 'problem'),
    consequences > 0 && count(consequences, 'consequence'),
    elsewhere > 0 && `${elsewhere} more above`,
  ]
    .filter(part => part !== false)
    .join(', ');
}

export function pluginText({cni}: NodeReport): string {
  if (cni.name === 'unknown') return 'network plugin not recognised';
  const doubt = cni.confidence === 'certain' ? '' : `, ${cni.confidence}`;
  return plain([cni.name, cni.version, cni.variant && `(${cni.variant})`].filter(Boolean).join(' ') + doubt);
}

/** How many checks of a node are undetermined, and why. */
export function incompleteText({results, incomplete}: NodeReport): string {
  const asked = results.filter(({outcome}) => outcome !== 'skipped');
  const undetermined = asked.filter(({outcome}) => outcome === 'unknown');
  return `Not fully inspected: ${undetermined.length} of ${asked.length} checks undetermined (${plain(incomplete ?? '')})`;
}

/** Checks without findings: why some are undetermined, or each of them with `-o wide`. */
export function renderRest(page: Page, results: readonly Result[]): void {
  if (page.verbose) {
    for (const result of results.filter(({outcome}) => outcome === 'info'))
      oneLine(page, page.paint('blue', 'i'), result, shortened(plain(result.message)));
    for (const result of results.filter(({suppressed}) => suppressed !== undefined))
      oneLine(page, page.paint('dim', '-'), result, `suppressed: ${plain(result.suppressed ?? '')}`);
    for (const result of results.filter(({outcome}) => outcome === 'unknown'))
      oneLine(page, page.paint('yellow', '?'), result, reasonOf(result.message));
    for (const result of results.filter(({outcome}) => outcome === 'pass'))
      oneLine(page, page.paint('green', '✓'), result, '');
    return;
  }
  renderReasons(page, results);
}

function oneLine(page: Page, sign: string, {id, title}: Result, text: string): void {
  page.edged(2, `${sign} ${title}`, page.paint('dim', id), 4);
  if (text !== '') page.wrapped(4, text);
}

/** Why checks are undetermined; each reason is reported once. */
function renderReasons(page: Page, results: readonly Result[]): void {
  const unknown = results.filter(({outcome}) => outcome === 'unknown');
  if (unknown.length === 0) return;
  const reasons = [...new Set(unknown.flatMap(({message}) => reasonsOf(message)))];
  page.wrapped(
    2,
    `${page.paint('yellow', '?')} ${count(unknown.length, 'check')} undetermined: ${reasons.join('; ')}`,
    4,
  );
}

/** The reasons without their sections, so that `Access is denied.` is reported once for all sections. */
function reasonsOf(message: string): string[] {
  const text = shortened(plain(message));
  const told = /^Undetermined: (.+?)\.*$/s.exec(text)?.[1] ?? text.replace(/\.$/, '');
  return told.split('; ').map(part => part.replace(sectionPrefix, '').replace(/\.$/, ''));
}

function reasonOf(message: string): string {
  return `Undetermined: ${[...new Set(reasonsOf(message))].join('; ')}.`;
}

const sectionPrefix = new RegExp(`^(?:${sectionNames.join('|')}): `);

/** A healthy node gets one line, so that many of them do not hide an unhealthy one. */
export function healthyLine(page: Page, node: NodeReport, widths: {readonly name: number; readonly plugin: number}) {
  const of = (outcome: Result['outcome']) => node.results.filter(result => result.outcome === outcome).length;
  const suppressed = node.results.filter(result => result.suppressed !== undefined).length;
  const counts = [
    `${of('pass')} passed`,
    of('unknown') > 0 && `${of('unknown')} undetermined`,
    of('info') > 0 && count(of('info'), 'note'),
    suppressed > 0 && `${suppressed} suppressed`,
  ].filter(part => part !== false);
  const text = `${pluginText(node).padEnd(widths.plugin)}  ${counts.join(', ')}`;
  page.wrapped(0, `${page.paint('green', '✓')} ${plain(node.name).padEnd(widths.name)}  ${page.paint('dim', text)}`, 2);
}
