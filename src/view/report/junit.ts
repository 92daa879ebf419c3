import type {DoctorReport, NodeReport} from '../../diagnose/report.js';
import {escapeXml} from '../../lib/markup.js';
import {plain, valueText} from '../../lib/untrusted.js';
import {remedySteps} from '../../model/remedies.js';
import type {Result} from '../../model/result.js';
import type {Evidence} from '../../model/verdict.js';
import {gapOf, objectOf, type Place, placesOf} from './places.js';

interface Case {
  readonly area: string;
  readonly name: string;
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  readonly message: string;
  readonly type: string;
  readonly body: readonly string[];
}

/**
 * One suite per node, one case per result. An undetermined result is an error: a build must not pass because a node could
 * not be read.
 */
export function junit(report: DoctorReport): string {
  const suites = placesOf(report).map(place => ({place, cases: casesOf(place, report)}));
  const all = suites.flatMap(({cases}) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="kubectl win doctor" ${counts(all)}>`,
    ...suites.flatMap(({place, cases}) => suiteLines(place, cases, report.generatedAt)),
    '</testsuites>',
    '',
  ].join('\n');
}

function casesOf({results, node}: Place, {cluster}: DoctorReport): Case[] {
  const gaps = node ? gapCases(node) : (cluster.unread ?? []).map(list => gapCase('lists', `not read: ${list}`));
  return [...gaps, ...results.map(caseOf)];
}

function gapCases(node: NodeReport): Case[] {
  const gap = gapOf(node);
  return gap === undefined ? [] : [gapCase('inspection', gap)];
}

const gapCase = (name: string, message: string): Case => ({
  ...{area: 'inspection', name, kind: 'error', message, type: 'unread', body: []},
});

function caseOf(result: Result): Case {
  const {id, title, message, severity, evidence, remedy, suppressed} = result;
  const common = {area: id.split('/')[0] ?? id, name: `${id}: ${title}`, message, type: severity};
  if (suppressed !== undefined) return {...common, kind: 'skipped', message: `suppressed: ${suppressed}`, body: []};
  switch (result.outcome) {
    case 'fail':
      return {
        ...common,
        kind: 'failure',
        body: [...evidence.map(evidenceLine), ...remedySteps(remedy).map(step => `fix: ${step}`)],
      };
    case 'unknown':
      return {...common, kind: 'error', type: 'undetermined', body: []};
    case 'skipped':
      return {...common, kind: 'skipped', body: []};
    case 'pass':
    case 'info':
      return {...common, kind: 'passed', body: []};
  }
}

function evidenceLine(evidence: Evidence): string {
  const {section, seen, expected} = evidence;
  const wanted = expected === undefined ? '' : ` (expected: ${valueText(expected)})`;
  return `${section} ${objectOf(evidence)}: ${valueText(seen)}${wanted}`;
}

function suiteLines({name}: Place, cases: readonly Case[], generatedAt: string): string[] {
  // The JUnit schema allows no time zone in a timestamp.
  const timestamp = generatedAt.replace(/Z$/, '');
  return [
    `  <testsuite name="${escapeXml(name)}" timestamp="${escapeXml(timestamp)}" hostname="${escapeXml(name)}" ${counts(cases)}>`,
    ...cases.flatMap(one => caseLines(name, one)),
    '  </testsuite>',
  ];
}

function caseLines(place: string, {area, name, kind, message, type, body}: Case): string[] {
  const head = `    <testcase classname="${escapeXml(`${place}.${area}`)}" name="${escapeXml(name)}" time="0"`;
  if (kind === 'passed') return [`${head}/>`];
  const lines = [message, ...body].map(line => escapeXml(plain(line))).join('\n');
  const told =
    kind === 'skipped'
      ? `<skipped message="${escapeXml(message)}"/>`
      : `<${kind} type="${escapeXml(type)}" message="${escapeXml(message)}">${lines}</${kind}>`;
  return [`${head}>`, `      ${told}`, '    </testcase>'];
}

function counts(cases: readonly Case[]): string {
  const of = (kind: Case['kind']) => cases.filter(one => one.kind === kind).length;
  return `tests="${cases.length}" failures="${of('failure')}" errors="${of('error')}" skipped="${of('skipped')}" time="0"`;
}
