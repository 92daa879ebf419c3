import {incompleteness} from '../../../../diagnose/completeness.js';
import type {CheckedNode} from '../../../../model/result.js';
import {type Content, still, type Viewport} from '../content.js';
import type {Tab} from '../state.js';
import {findings} from './findings.js';
import {journals, plan} from './plan.js';
import {logs, tableLines} from './tables.js';
import {topology} from './topology.js';

type TabTeller = (node: CheckedNode, sight: Viewport) => Content;

const tellers: Readonly<Record<Tab, TabTeller>> = {
  Findings: ({subject, results}, sight) => findings(results, sight, incompleteness(subject, results)),
  Topology: ({subject, results}, {width}) => still(topology(subject, results, width)),
  Adapters: ({subject, results}, {width}) => still(tableLines(subject, results, 'adapters', width)),
  'Load balancers': ({subject, results}, {width}) => still(tableLines(subject, results, 'loadBalancers', width)),
  'Services and logs': ({subject, results}, {width}) =>
    still([...tableLines(subject, results, 'services', width), ...logs(subject, width)]),
  'Plan and journal': ({subject, results}, {width}) =>
    still([...plan(subject, results, width), ...journals(subject, width)]),
};

/** What a tab tells of a node. */
export function tell(node: CheckedNode, sight: Viewport): Content {
  return tellers[sight.tab](node, sight);
}
