import type {DoctorReport} from '../../diagnose/report.js';
import type {Finding} from '../../diagnose/root-causes.js';
import {escapeMarkdown, markdownCode} from '../../lib/markup.js';
import {valueText} from '../../lib/untrusted.js';
import {type Remedy, remedySteps} from '../../model/remedies.js';
import type {Evidence} from '../../model/verdict.js';
import {gapOf, objectOf, type Place, placesOf, pluginName, reportedState} from './places.js';

/** The report for an issue or a ticket. */
export function markdown(report: DoctorReport): string {
  const places = placesOf(report);
  return [
    '# Windows nodes: pod network report',
    '',
    facts(report),
    '',
    ...nodeTable(places),
    ...(report.cluster.unread ?? []).map(list => `> Not read from the cluster: ${escapeMarkdown(list)}\n`),
    ...places.flatMap(placeLines),
    '',
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
}

function facts({cluster, generatedAt}: DoctorReport): string {
  return [
    cluster.context && `Context ${markdownCode(cluster.context)}`,
    cluster.version && `Kubernetes ${escapeMarkdown(cluster.version)}`,
    generatedAt,
  ]
    .filter(Boolean)
    .join(', ');
}

function nodeTable(places: readonly Place[]): string[] {
  const rows = places.flatMap(({name, node, findings}) => {
    if (!node) return [];
    const top = findings[0]?.root;
    return [
      [markdownCode(name), escapeMarkdown(pluginName(node)), reportedState(node), top ? markdownCode(top.id) : ''],
    ];
  });
  if (rows.length === 0) return [];
  const lines = rows.map(cells => `| ${cells.join(' | ')} |`);
  return ['| Node | Network plugin | State | Most important finding |', '|---|---|---|---|', ...lines, ''];
}

function placeLines({name, node, findings}: Place): string[] {
  const gap = node && gapOf(node);
  if (findings.length === 0 && gap === undefined) return [];
  return [
    `## ${node ? markdownCode(name) : 'Cluster'}`,
    '',
    ...(gap === undefined ? [] : [`**Not fully inspected:** ${escapeMarkdown(gap)}`, '']),
    ...findings.flatMap(findingLines),
  ];
}

function findingLines({root, explains}: Finding): string[] {
  return [
    `### ${root.severity === 'error' ? 'Error' : 'Warning'}: ${escapeMarkdown(root.title)}`,
    '',
    `${escapeMarkdown(root.message)} (${markdownCode(root.id)})`,
    '',
    ...remedyLines(root.remedy),
    ...evidenceTable(root.evidence),
    ...(explains.length > 0 ? ['This explains:', '', ...explains.map(consequence), ''] : []),
  ];
}

const consequence = ({id, message}: Finding['root']) => `- ${markdownCode(id)}: ${escapeMarkdown(message)}`;

function remedyLines(remedy: Remedy | undefined): string[] {
  if (!remedy) return [];
  const cuts = remedy.cutsNetwork ? ["This briefly interrupts the node's network.", ''] : [];
  if (remedy.kind === 'command') return [`**Fix:** ${remedySteps(remedy).map(markdownCode).join(' ')}`, '', ...cuts];
  return ['**Fix:**', '', ...remedy.steps.map((step, i) => `${i + 1}. ${escapeMarkdown(step)}`), '', ...cuts];
}

function evidenceTable(evidence: readonly Evidence[]): string[] {
  if (evidence.length === 0) return [];
  const rows = evidence.map(one => {
    const {section, seen, expected} = one;
    const cells = [section, objectOf(one), valueText(seen), expected === undefined ? '' : valueText(expected)];
    return `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  });
  return ['| Section | Object | Found | Expected |', '|---|---|---|---|', ...rows, ''];
}
