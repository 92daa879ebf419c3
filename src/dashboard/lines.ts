import type {NodeSubject} from '../checks/check.js';
import type {Result} from '../checks/engine.js';
import {planFor} from '../repair/build.js';
import {describe} from '../repair/describe.js';
import type {PlanStep} from '../repair/plan.js';
import {warningsOf} from '../repair/render.js';
import type {ClientStep} from '../repair/repair-plan.js';
import {isFailure} from '../report/report.js';
import {byRootCause, type Finding} from '../report/roots.js';
import {table} from '../report/table.js';
import {wrap} from '../report/wrap.js';
import {topologyOf} from '../topology/build.js';
import {aboutPart, drawnLines, findingsOf, shortName, signOf} from '../topology/draw.js';
import {type NodeTable, nodeTables} from '../topology/tables.js';
import {plain, valueText} from '../untrusted.js';
import type {NodeEntry, State, Tab} from './state.js';

export type Tone = 'plain' | 'dim' | 'bold' | 'error' | 'warning' | 'good' | 'chosen';

/** A line on the screen: pieces with a meaning each, which the screen turns into looks. */
export type Line = readonly (readonly [tone: Tone, text: string])[];

export interface Content {
  readonly lines: readonly Line[];
  /** The lines of what is at hand, to be kept in sight. */
  readonly from: number;
  readonly to: number;
}

interface Sight extends Pick<State, 'tab' | 'finding' | 'unfolded' | 'focus'> {
  readonly width: number;
}

/** What a tab tells of a node. */
export function contentOf(entry: NodeEntry, subject: NodeSubject | undefined, sight: Sight): Content {
  const trouble =
    entry.error === undefined
      ? []
      : [...wrapped('warning', `? Could not be read: ${plain(entry.error)}`, sight.width), []];
  if (!subject)
    return still([
      ...trouble,
      [['dim', entry.phase ? `${entry.phase} ${entry.detail ?? ''}`.trim() : 'Not read yet.']],
    ]);
  const {lines, from, to} = tellers[sight.tab](entry, subject, sight);
  return {lines: [...trouble, ...lines], from: from + trouble.length, to: to + trouble.length};
}

type Teller = (entry: NodeEntry, subject: NodeSubject, sight: Sight) => Content;

const tellers: Readonly<Record<Tab, Teller>> = {
  Findings: ({results}, _, sight) => findings(results, sight),
  Topology: ({results}, subject) => still(topology(subject, results)),
  Adapters: ({results}, subject) => still(tableLines(subject, results, 'adapters')),
  'Load balancers': ({results}, subject) => still(tableLines(subject, results, 'loadBalancers')),
  'Services and logs': ({results}, subject) => still([...tableLines(subject, results, 'services'), ...logs(subject)]),
  Plan: ({results}, subject, {width}) => still([...plan(subject, results, width), ...plansOnNode(subject)]),
};

function findings(results: readonly Result[], {finding, unfolded, width, focus}: Sight): Content {
  const lines: Line[] = [];
  let [from, to] = [0, 0];
  for (const [i, one] of byRootCause(results).entries()) {
    const start = lines.length;
    lines.push(...findingLines(one, {chosen: focus === 'content' && i === finding, open: unfolded.has(i), width}));
    if (i === finding) [from, to] = [start, lines.length];
  }
  if (lines.length === 0)
    lines.push([
      ['good', '✓ '],
      ['plain', 'Nothing wrong found.'],
    ]);
  const count = (outcome: Result['outcome']) => results.filter(result => result.outcome === outcome).length;
  lines.push([], [['dim', `${count('pass')} passed, ${count('info')} to know, ${count('unknown')} could not be told`]]);
  for (const {id, message} of results.filter(({outcome}) => outcome === 'info'))
    lines.push(...wrapped('dim', `i ${id}  ${plain(message)}`, width));
  return {lines, from, to};
}

interface Look {
  readonly chosen: boolean;
  readonly open: boolean;
  readonly width: number;
}

/** Folded: what is wrong. Unfolded: also by what it is known, what to do, and what else it explains. */
function findingLines({root, explains}: Finding, {chosen, open, width}: Look): Line[] {
  const tone = isFailure(root, 'error') ? 'error' : 'warning';
  const more = explains.length > 0 ? `  +${explains.length}` : '';
  const head: Line = [
    [chosen ? 'chosen' : 'plain', chosen ? '›' : ' '],
    [tone, tone === 'error' ? '✗ ' : '! '],
    [chosen ? 'chosen' : 'bold', root.id],
    ['dim', `${more}  ${open ? '' : root.title}`],
  ];
  const text = wrapped('plain', plain(root.message), width, 3, 3);
  if (!open) return [head, ...text];
  const steps = root.remedy?.kind === 'command' ? [root.remedy.command] : (root.remedy?.steps ?? []);
  return [
    head,
    ...text,
    ...root.evidence.flatMap(evidence => wrapped('dim', evidenceText(evidence), width, 3)),
    ...steps.flatMap((step, i) => wrapped('good', `${i === 0 ? 'fix  ' : '     '}${plain(step)}`, width, 3)),
    ...(root.remedy?.cutsNetwork ? wrapped('warning', "     cuts the node's network for a moment", width, 3) : []),
    ...explains.flatMap(other => wrapped('dim', `explains ${other.id}: ${plain(other.message)}`, width, 3)),
  ];
}

export function evidenceText({section, object, field, seen, expected}: Result['evidence'][number]): string {
  const where = [section, plain(object), field].filter(Boolean).join(' ');
  return `seen ${where}: ${valueText(seen)}${expected === undefined ? '' : `; expected ${valueText(expected)}`}`;
}

function topology(subject: NodeSubject, results: readonly Result[]): Line[] {
  const {parts, unread} = topologyOf(subject, results);
  return [
    ...drawnLines(parts).map(({branch, part}): Line => {
      const sign = signOf(part);
      const tone = sign === '✗ ' ? 'error' : sign === '! ' ? 'warning' : 'bold';
      return [
        ['dim', branch],
        [tone, `${sign}${shortName(part.name)}${findingsOf(part)}`],
        ['dim', `  ${aboutPart(part)}`],
      ];
    }),
    ...unread.map((text): Line => [['warning', `? not read: ${plain(text)}`]]),
  ];
}

function tableLines(subject: NodeSubject, results: readonly Result[], id: NodeTable['id']): Line[] {
  const found = nodeTables(subject, results).find(one => one.id === id);
  if (!found) return [[['warning', '? This was not read.']]];
  if (found.rows.length === 0) return [[['dim', 'none']]];
  const [heading = '', ...rows] = table(found.headings, found.rows).trimEnd().split('\n');
  return [[['dim', heading]], ...rows.map((row): Line => [[rowTone(row), row]])];
}

function rowTone(row: string): Tone {
  if (row.startsWith('✗')) return 'error';
  return row.startsWith('!') ? 'warning' : 'plain';
}

/** The ends of the logs, newest files first. */
function logs({node}: NodeSubject): Line[] {
  const files = [...(node.logs ?? [])].sort((one, other) => (other.writtenAt ?? 0) - (one.writtenAt ?? 0));
  return files.flatMap(({path, tail}): Line[] => [
    [],
    [['bold', plain(path)]],
    ...tail
      .trimEnd()
      .split('\n')
      .slice(-15)
      .map((line): Line => [['dim', plain(line)]]),
  ]);
}

/** What `f` would propose. The id is of no plan that runs: the review makes its own. */
function plan(subject: NodeSubject, results: readonly Result[], width: number): Line[] {
  const id = '00000000-0000-4000-8000-000000000000';
  const outcome = planFor(subject, results, {level: 'auto', id, now: new Date(subject.now)});
  if (outcome.kind === 'nothing') return wrapped('good', `✓ Nothing to do: ${plain(outcome.why)}`, width);
  if (outcome.kind === 'refused')
    return outcome.reasons.flatMap(({reason, next = ''}) =>
      wrapped('warning', `! ${plain(`${reason} ${next}`)}`, width),
    );
  const {before, steps, after, title} = outcome.plan;
  const all = [...before, ...steps, ...after];
  return [
    ...wrapped('bold', plain(title), width),
    [['dim', 'f reviews it and carries it out.']],
    [],
    ...all.flatMap((step, i) => stepLines(step, `${i + 1}`.padStart(String(all.length).length), width)),
    [],
    ...warningsOf(outcome.plan).flatMap(text => wrapped('warning', `! ${plain(text)}`, width)),
  ];
}

function stepLines(step: PlanStep | ClientStep, number: string, width: number): Line[] {
  const {changes, undo = 'none'} = describe(step);
  const indent = number.length + 2;
  const told = `${number}  ${step.cuts ? 'CUTS ' : ''}${plain(changes)}`;
  return [
    ...wrapped(step.cuts ? 'error' : 'plain', told, width, 0, indent),
    ...wrapped('dim', `undo: ${plain(undo)}`, width, indent),
  ];
}

function plansOnNode({node}: NodeSubject): Line[] {
  const rows = (node.plans ?? []).map(({id = '-', state = '-', done, steps, title = ''}) => [
    id,
    state,
    `${done ?? '?'}/${steps ?? '?'}`,
    title,
  ]);
  if (rows.length === 0) return [];
  const lines = table(['PLAN', 'STATE', 'STEPS', 'TITLE'], rows).trimEnd().split('\n');
  return [[], [['bold', 'Plans on the node']], ...lines.map((line): Line => [['plain', line]])];
}

function wrapped(tone: Tone, text: string, width: number, indent = 0, hang = indent + 2): Line[] {
  return wrap(text, {indent, hang, width}).map((line): Line => [[tone, line]]);
}

function still(lines: readonly Line[]): Content {
  return {lines, from: 0, to: 0};
}
