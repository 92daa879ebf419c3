import type {DoctorReport} from '../../../diagnose/report.js';
import {count, type Page} from '../page.js';

/** The last lines of a report: how the nodes are, and what was found. */
export function closing(page: Page, {cluster, summary}: DoctorReport): string {
  const {nodes, healthy, uninspected, incomplete, problems, consequences} = summary;
  const unhealthy = nodes - healthy - uninspected - incomplete;
  const states = [
    healthy > 0 && page.paint('green', `${healthy} healthy`),
    unhealthy > 0 && page.paint('red', `${unhealthy} unhealthy`),
    uninspected > 0 && page.paint('bold', `${uninspected} not inspected`),
    incomplete > 0 && page.paint('bold', `${incomplete} not fully inspected`),
  ].filter(part => part !== false);
  const found =
    problems === 0
      ? 'no problems found'
      : `${count(problems, 'problem')}${consequences > 0 ? ` with ${count(consequences, 'consequence')}` : ''}`;
  return [
    `${count(nodes, 'Windows node')}${states.length > 0 ? `: ${states.join(', ')}` : ''}`,
    found,
    cluster.unread && page.paint('bold', `${count(cluster.unread.length, 'list')} of the cluster not read`),
  ]
    .filter(part => typeof part === 'string')
    .join('; ');
}
