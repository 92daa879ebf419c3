import {isFailure} from '../../../diagnose/failures.js';
import {type DoctorReport, isIncomplete, type NodeReport} from '../../../diagnose/report.js';
import {stringWidth} from '../../../lib/width.js';
import type {Result} from '../../../model/result.js';
import {count, type Page} from '../page.js';

/** "✓ 32 passed   ? 2 undetermined   2 nodes: 1 healthy, 1 unhealthy; 3 problems", or two lines if one is too long. */
export function renderClosing(page: Page, report: DoctorReport): void {
  const results = [...report.cluster.results, ...report.nodes.flatMap(node => node.results)];
  const counts = checkCounts(page, results);
  const states = nodeStates(page, report);
  const line = [...counts, states].join('   ');
  if (page.width === undefined || stringWidth(line) <= page.width) page.line(0, line);
  else {
    if (counts.length > 0) page.wrapped(0, counts.join('   '));
    page.wrapped(0, states);
  }
}

/** The number of checks by outcome. Failures are not included: they are counted as problems. */
function checkCounts(page: Page, results: readonly Result[]): string[] {
  const of = (outcome: Result['outcome']) => results.filter(result => result.outcome === outcome).length;
  const suppressed = results.filter(result => result.suppressed !== undefined).length;
  return [
    of('pass') > 0 && `${page.paint('green', '✓')} ${of('pass')} passed`,
    of('unknown') > 0 && `${page.paint('yellow', '?')} ${of('unknown')} undetermined`,
    of('info') > 0 && `${page.paint('blue', 'i')} ${count(of('info'), 'note')}`,
    suppressed > 0 && `${page.paint('dim', '-')} ${suppressed} suppressed`,
  ].filter(part => part !== false);
}

/** The states of the nodes, and the number of problems. */
export function nodeStates(page: Page, {cluster, summary, nodes: each}: DoctorReport): string {
  const {nodes, healthy, uninspected, incomplete, problems, consequences} = summary;
  // As in the dashboard and the exit code, a warning alone does not make a node unhealthy.
  const warned = each.filter(node => node.inspected && !isIncomplete(node) && hasWarningsOnly(node)).length;
  const unhealthy = nodes - healthy - warned - uninspected - incomplete;
  const states = [
    healthy > 0 && page.paint('green', `${healthy} healthy`),
    unhealthy > 0 && page.paint('red', `${unhealthy} unhealthy`),
    warned > 0 && page.paint('yellow', `${warned} with warnings`),
    uninspected > 0 && page.paint('bold', `${uninspected} not inspected`),
    incomplete > 0 && page.paint('bold', `${incomplete} not fully inspected`),
  ].filter(part => part !== false);
  const found =
    problems === 0
      ? 'no problems found'
      : `${count(problems, 'problem')}${consequences > 0 ? ` with ${count(consequences, 'consequence')}` : ''}`;
  return [
    `${count(nodes, 'node')}${states.length > 0 ? `: ${states.join(', ')}` : ''}`,
    found,
    cluster.unread && page.paint('bold', `${count(cluster.unread.length, 'list')} of the cluster not read`),
  ]
    .filter(part => typeof part === 'string')
    .join('; ');
}

function hasWarningsOnly({results}: NodeReport): boolean {
  const has = (severity: 'error' | 'warning') => results.some(result => isFailure(result, severity));
  return has('warning') && !has('error');
}
