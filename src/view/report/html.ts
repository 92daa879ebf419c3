import {createHash} from 'node:crypto';
import {problems} from '../../diagnose/failures.js';
import type {DoctorReport} from '../../diagnose/report.js';
import type {Finding} from '../../diagnose/root-causes.js';
import {escapeXml} from '../../lib/markup.js';
import {valueText} from '../../lib/untrusted.js';
import {type Remedy, remedySteps} from '../../model/remedies.js';
import type {Result} from '../../model/result.js';
import type {Evidence} from '../../model/verdict.js';
import type {Topology} from '../../services/inspect/part.js';
import {style} from './html-style.js';
import {gapOf, objectOf, type Place, placesOf, pluginName, type ReportedState, reportedState} from './places.js';
import {topologySvg} from './topology-svg.js';

/** The report as a self-contained page that loads nothing and runs nothing. */
export function html(report: DoctorReport, topologies: ReadonlyMap<string, Topology> = new Map()): string {
  const places = placesOf(report);
  const hash = createHash('sha256').update(style).digest('base64');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    // Data from nodes is untrusted: the page must not run scripts or send requests.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${hash}'">`,
    '<link rel="icon" href="data:,">',
    `<title>Windows nodes: ${escapeXml(verdict(report))}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<h1>Pod network of Windows nodes</h1>',
    `<p class="quiet">${escapeXml(facts(report))}</p>`,
    tiles(report),
    nodeTable(places),
    ...(report.cluster.unread ?? []).map(list => gap(`Not read from the cluster: ${list}`)),
    ...places.map(place => section(place, topologies.get(place.name))),
    '</body>',
    '</html>',
    '',
  ]
    .filter((line, i, all) => line !== '' || i === all.length - 1)
    .join('\n');
}

function verdict({summary}: DoctorReport): string {
  const {nodes, healthy} = summary;
  return nodes === healthy ? `${nodes} healthy` : `${healthy} of ${nodes} healthy`;
}

function facts({cluster, generatedAt}: DoctorReport): string {
  return [
    cluster.context && `Context ${cluster.context}`,
    cluster.version && `Kubernetes ${cluster.version}`,
    generatedAt,
  ]
    .filter(Boolean)
    .join(' · ');
}

function tiles({summary}: DoctorReport): string {
  const all: [number, string, string][] = [
    [summary.nodes, 'Windows nodes', ''],
    [summary.healthy, 'healthy', summary.healthy > 0 ? 'good' : ''],
    [summary.errors, 'errors', summary.errors > 0 ? 'error' : ''],
    [summary.warnings, 'warnings', summary.warnings > 0 ? 'warning' : ''],
    [summary.uninspected + summary.incomplete, 'not fully inspected', ''],
  ];
  const items = all.map(([n, label, look]) => `<li><b class="${look}">${n}</b>${label}</li>`);
  return `<ul class="tiles">${items.join('')}</ul>`;
}

const stateLooks: Readonly<Record<ReportedState, string>> = {
  healthy: 'good',
  unhealthy: 'error',
  'not inspected': 'warning',
  'not fully inspected': 'warning',
};

function nodeTable(places: readonly Place[]): string {
  const rows = places.flatMap(({name, node, findings}) => {
    if (!node) return [];
    const state = reportedState(node);
    const top = findings[0]?.root;
    return [
      `<tr><td><a href="#${anchor(name)}">${escapeXml(name)}</a></td>` +
        `<td data-label="Plugin">${escapeXml(pluginName(node))}</td>` +
        `<td data-label="State" class="${stateLooks[state]}">${state}</td>` +
        `<td data-label="Top finding">${top ? escapeXml(top.title) : ''}</td></tr>`,
    ];
  });
  if (rows.length === 0) return '';
  const head = ['Node', 'Network plugin', 'State', 'Most important finding'].map(
    text => `<th scope="col">${text}</th>`,
  );
  return `<table class="nodes"><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

/** Node names are letters, digits, dots and dashes; anything else must not end the attribute. */
const anchor = (name: string) => `node-${encodeURIComponent(name).replace(/%/g, '_')}`;

function section(place: Place, topology: Topology | undefined): string {
  const {name, node, findings, results} = place;
  const missing = node && gapOf(node);
  if (!node && findings.length === 0) return '';
  return [
    `<section id="${node ? anchor(name) : 'cluster'}">`,
    `<h2>${node ? `${escapeXml(name)} <span class="quiet">${escapeXml(pluginName(node))}</span>` : 'Cluster'}</h2>`,
    missing === undefined ? '' : gap(`Not fully inspected: ${missing}`),
    findings.length === 0 && missing === undefined ? '<p class="good">No problems found.</p>' : '',
    ...findings.map(card),
    topology ? `<h3>Network</h3><div class="scroll">${topologySvg(topology)}</div>` : '',
    otherResults(results),
    '</section>',
  ]
    .filter(Boolean)
    .join('\n');
}

const gap = (text: string) => `<p class="gap">${escapeXml(text)}</p>`;

function card({root, explains, ofCluster}: Finding): string {
  const severity = root.severity === 'error' ? 'error' : 'warning';
  return [
    `<article class="finding ${severity}">`,
    `<header><h3><span class="${severity}">${severity === 'error' ? 'Error' : 'Warning'}:</span> ${escapeXml(root.title)}</h3>`,
    `<code class="quiet">${escapeXml(root.id)}${ofCluster ? ' (whole cluster)' : ''}</code></header>`,
    `<p>${escapeXml(root.message)}</p>`,
    fix(root.remedy),
    evidenceTable(root.evidence),
    explains.length > 0 ? `<h4>Explains</h4><ul class="explains">${explains.map(consequence).join('')}</ul>` : '',
    '</article>',
  ]
    .filter(Boolean)
    .join('\n');
}

const consequence = ({id, message}: Result) =>
  `<li>${escapeXml(message)} <code class="quiet">${escapeXml(id)}</code></li>`;

function fix(remedy: Remedy | undefined): string {
  if (!remedy) return '';
  const cuts = remedy.cutsNetwork ? '<p class="warning">Briefly interrupts the node’s network.</p>' : '';
  const steps =
    remedy.kind === 'command'
      ? `<pre>${remedySteps(remedy).map(escapeXml).join('\n')}</pre>`
      : `<ol>${remedy.steps.map(step => `<li>${escapeXml(step)}</li>`).join('')}</ol>`;
  return `<div class="fix"><b>Fix</b>${steps}${cuts}</div>`;
}

function evidenceTable(evidence: readonly Evidence[]): string {
  if (evidence.length === 0) return '';
  const rows = evidence.map(one => {
    const expected = one.expected === undefined ? '' : escapeXml(valueText(one.expected));
    return (
      `<tr><td><code>${escapeXml(one.section)}</code> ${escapeXml(objectOf(one))}</td>` +
      `<td data-label="Found">${escapeXml(valueText(one.seen))}</td><td data-label="Expected">${expected}</td></tr>`
    );
  });
  return `<h4>Evidence</h4><table class="evidence"><thead><tr><th scope="col">Object</th><th scope="col">Found</th><th scope="col">Expected</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** Results that are not problems, folded. */
function otherResults(results: readonly Result[]): string {
  const told = new Set(problems(results));
  const others = results.filter(result => !told.has(result) && result.outcome !== 'skipped');
  if (others.length === 0) return '';
  const rows = others.map(
    ({id, title, outcome, message}) =>
      `<tr><td><code>${escapeXml(id)}</code></td><td>${escapeXml(outcome === 'pass' ? title : message)}</td><td>${outcome}</td></tr>`,
  );
  return `<details><summary>${others.length} other checks</summary><div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div></details>`;
}
