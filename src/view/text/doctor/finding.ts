import {isFailure} from '../../../diagnose/failures.js';
import type {NodeReport} from '../../../diagnose/report.js';
import type {Finding} from '../../../diagnose/root-causes.js';
import {shellText} from '../../../lib/quote.js';
import {plain} from '../../../lib/untrusted.js';
import {stringWidth} from '../../../lib/width.js';
import {type Remedy, remedySteps} from '../../../model/remedies.js';
import type {Result} from '../../../model/result.js';
import type {Evidence} from '../../../model/verdict.js';
import {count, type Page} from '../page.js';
import {type Fact, facts, shortened} from './evidence-facts.js';
import {isSevere, type Shared} from './gathered-findings.js';

/** Limits without `-o wide`. */
const mostFacts = 5;
const mostNodes = 8;
const mostExamples = 3;

/** A finding of one node, or of the cluster. */
export function renderFinding(page: Page, finding: Finding, node?: NodeReport): void {
  const {root, explains} = finding;
  head(page, finding);
  page.wrapped(4, `${shortened(plain(root.message))}${alone(root, node)}`);
  page.gap();
  if (root.remedy) renderRemedy(page, root.remedy);
  renderFacts(page, facts(root.evidence));
  renderConsequences(page, explains);
  page.gap();
}

/** A finding of several nodes, reported once. */
export function renderShared(page: Page, {first, places}: Shared): void {
  head(page, first);
  const messages = new Set(places.map(({finding}) => shortened(plain(finding.root.message))));
  const evidence = new Set(places.map(({finding}) => JSON.stringify(facts(finding.root.evidence))));
  const examples = page.verbose ? places : places.slice(0, mostExamples);
  const rest = places.length - examples.length;
  if (messages.size === 1) page.wrapped(4, [...messages].join(''));
  else {
    for (const {node, finding} of examples)
      page.wrapped(4, `${plain(node.name)}: ${shortened(plain(finding.root.message))}`, 6);
    if (rest > 0) page.line(4, page.paint('dim', `and ${rest} more: --by node`));
  }
  page.gap();
  page.field(4, label(page, 'Nodes'), [nodeNames(page, places)]);
  renderSharedRemedy(page, places);
  if (evidence.size === 1 || messages.size === 1) renderFacts(page, facts(first.root.evidence));
  const all = places.flatMap(({finding}) => finding.explains);
  renderConsequences(page, [...new Map(all.map(one => [page.verbose ? one.message : one.title, one])).values()]);
  page.gap();
}

function head(page: Page, finding: Finding): void {
  const {root, ofCluster} = finding;
  const scope = ofCluster ? ' (whole cluster)' : '';
  const sign = isSevere(finding) ? page.paint('red', '✗') : page.paint('yellow', '!');
  page.edged(2, `${sign} ${page.paint('bold', `${root.title}${scope}`)}`, page.paint('dim', root.id), 4);
}

function nodeNames(page: Page, places: Shared['places']): string {
  const names = [...new Set(places.map(({node}) => plain(node.name)))];
  const shown = page.verbose ? names : names.slice(0, mostNodes);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const {peers} = places[0]?.finding.root ?? {};
  const share = peers && peers.of > 1 ? ` (${names.length} of ${peers.of})` : '';
  return `${shown.join(', ')}${more}${share}`;
}

/** Found and expected, in two aligned lines; the rest is counted. */
function renderFacts(page: Page, all: readonly Fact[]): void {
  let left = page.verbose ? Number.POSITIVE_INFINITY : mostFacts;
  let hidden = 0;
  for (const {found, expected} of all) {
    const shown = found.slice(0, Math.max(0, left));
    left -= shown.length;
    hidden += found.length - shown.length;
    if (shown.length === 0) continue;
    page.field(4, label(page, 'Found'), shown);
    if (expected !== undefined) page.field(4, label(page, 'Expected'), [expected]);
  }
  if (hidden > 0) page.field(4, '', [page.paint('dim', `and ${hidden} more: -o wide`)]);
}

export function renderEvidence(page: Page, evidence: readonly Evidence[]): void {
  renderFacts(page, facts(evidence));
}

export function renderRemedy(page: Page, remedy: Remedy): void {
  const steps = remedySteps(remedy).map(step =>
    remedy.kind === 'command' ? page.paint('bold', plain(step)) : plain(step),
  );
  page.field(4, page.paint('cyan', 'Fix'), withNote(page, steps, noteOf(page, remedy)));
}

/** One command for all nodes if possible, otherwise one per node. */
function renderSharedRemedy(page: Page, places: Shared['places']): void {
  const [first] = places;
  const remedy = first?.finding.root.remedy;
  if (!remedy) return;
  const note = noteOf(page, remedy);
  const commands = places.flatMap(({node, finding}) =>
    finding.root.remedy?.kind === 'command'
      ? [{node: shellText(node.name), steps: remedySteps(finding.root.remedy)}]
      : [],
  );
  if (commands.length === 0) {
    renderRemedy(page, remedy);
    return;
  }
  const lines = inOneCommand(commands) ?? [...new Set(commands.flatMap(({steps}) => steps.map(plain)))];
  const shown = page.verbose ? lines : lines.slice(0, mostExamples);
  const rest = lines.length - shown.length;
  page.field(4, page.paint('cyan', 'Fix'), [
    ...withNote(
      page,
      shown.map(line => page.paint('bold', line)),
      note,
    ),
    ...(rest > 0 ? [page.paint('dim', `same for ${count(rest, 'more node')}: --by node`)] : []),
  ]);
}

/** `cleanup` accepts several nodes with the same flags. */
function inOneCommand(
  commands: readonly {readonly node: string; readonly steps: readonly string[]}[],
): string[] | undefined {
  const [start, names] = ['kubectl win cleanup', [...new Set(commands.map(({node}) => node))]];
  const rests = new Set(
    commands.map(({node, steps: [command = '', ...more]}) =>
      more.length === 0 && `${command} `.startsWith(`${start} ${node} `)
        ? command.slice(`${start} ${node}`.length)
        : undefined,
    ),
  );
  const [rest] = rests;
  return rests.size === 1 && rest !== undefined && names.length <= mostNodes
    ? [`${start} ${names.join(' ')}${rest}`]
    : undefined;
}

/** Whether a repair interrupts the node's network. */
function noteOf(page: Page, {kind, cutsNetwork}: Remedy): string {
  if (cutsNetwork) {
    const warning = kind === 'command' ? 'asks first, and rolls back on failure' : 'use the node console';
    return page.paint('bold', `(interrupts the node's network: ${warning})`);
  }
  return kind === 'command' ? page.paint('dim', "(does not interrupt the node's network)") : '';
}

/** Places the note beside a single command if there is room, otherwise below. */
function withNote(page: Page, steps: readonly string[], note: string): string[] {
  if (note === '') return [...steps];
  const [only = '', ...more] = steps;
  const room = page.room(4);
  const beside = more.length === 0 && (room === undefined || stringWidth(only) + 2 + stringWidth(note) <= room);
  return beside ? [`${only}  ${note}`] : [...steps, note];
}

/** Consequences: their titles on one line, or each in full. */
function renderConsequences(page: Page, explains: readonly Result[]): void {
  if (explains.length === 0) return;
  if (page.verbose) {
    page.field(4, label(page, 'Explains'), [count(explains.length, 'consequence')]);
    for (const other of explains) {
      const sign = isFailure(other, 'error') ? page.paint('red', '✗') : page.paint('yellow', '!');
      page.edged(6, `${sign} ${other.title}`, page.paint('dim', other.id), 8);
      page.wrapped(8, shortened(plain(other.message)));
    }
    return;
  }
  page.field(4, label(page, 'Explains'), [inOneLine(titlesOf(explains), page.room(4))]);
}

function titlesOf(results: readonly Result[]): string[] {
  return [...Map.groupBy(results, ({title}) => title)].map(([title, same]) =>
    same.length > 1 ? `${title} (${same.length})` : title,
  );
}

function inOneLine(titles: readonly string[], room: number | undefined): string {
  for (let shown = titles.length; shown > 0; shown--) {
    const rest = titles.length - shown;
    const line = [...titles.slice(0, shown), ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
    if (room === undefined || stringWidth(line) <= room) return line;
  }
  return count(titles.length, 'other finding');
}

function label(page: Page, text: string): string {
  return page.paint('dim', text);
}

/** Points out a fault that no peer has: its cause is probably on the node itself. */
function alone({peers}: Result, node?: NodeReport): string {
  if (peers?.failing !== 1 || peers.of < 3) return '';
  return ` 1 of ${peers.of} ${node ? `${plain(node.cni.name)} ` : ''}nodes affected.`;
}
