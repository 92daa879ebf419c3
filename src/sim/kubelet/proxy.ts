import {timestamp} from '../api/object.js';
import type {ApiAnswer, ResourceRequest} from '../api/request.js';
import {nodeType} from '../api/resource-types.js';
import {notFound, pathNotFound} from '../api/status.js';
import {textAt} from '../json.js';
import type {SimNode} from '../node/sim-node.js';
import type {ClusterPlan} from '../plan.js';
import {demandKubelet} from './dial.js';

/** The kubelet's answer to a proxied request. Only `stats/summary` is implemented. */
export function kubeletAnswer(
  nodes: ReadonlyMap<string, SimNode>,
  cluster: ClusterPlan,
  {name = '', proxied}: ResourceRequest,
): ApiAnswer {
  const node = nodes.get(name);
  if (!node) throw notFound(nodeType, name);
  demandKubelet(node);
  if (proxied !== 'stats/summary') throw pathNotFound();
  return {code: 200, body: {node: {nodeName: name, startTime: bootTime(node, cluster)}, pods: []}};
}

function bootTime(node: SimNode, {nodes}: ClusterPlan): string {
  const told = node.os === 'windows' ? textAt(node.state.sections.os, 'LastBootUpTime') : '';
  return timestamp(told ? new Date(told) : nodes.find(({name}) => name === node.name)?.joinedAt);
}
