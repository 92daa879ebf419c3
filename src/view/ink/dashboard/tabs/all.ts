import {incompleteness} from '../../../../diagnose/completeness.js';
import type {CheckedNode} from '../../../../model/result.js';
import {type Content, still, type Viewport} from '../content.js';
import type {Tab} from '../dashboard-state.js';
import {findings} from './findings.js';
import {journals, planTab} from './plan.js';
import {logsTab, tableLines} from './tables.js';
import {topology} from './topology.js';

type TabTeller = (node: CheckedNode, sight: Viewport) => Content;

const tellers: Readonly<Record<Tab, TabTeller>> = {
  Findings: (node, sight) => findings(node, sight, incompleteness(node.subject, node.results)),
  Topology: (node, {width}) => still(topology(node, width)),
  Adapters: ({subject, results}, {width}) => still(tableLines(subject, results, 'adapters', width)),
  'Load balancers': ({subject, results}, {width}) => still(tableLines(subject, results, 'loadBalancers', width)),
  'Services and logs': ({subject, results}, {width, whole = false}) =>
    still([...tableLines(subject, results, 'services', width), ...logsTab(subject, width, whole)]),
  'Plan and journal': (node, {width}) => still([...planTab(node, width), ...journals(node.subject, width)]),
};

/** Renders a tab of a node. */
export function tell(node: CheckedNode, sight: Viewport): Content {
  return tellers[sight.tab](node, sight);
}
