import type {PackedNode} from '../../../services/dashboard/packed-node.js';
import type {FleetScreen} from '../../../services/dashboard/read-fleet.js';
import type {NodeEntry} from './dashboard-state.js';
import type {DashboardStore} from './store.js';
import {tell} from './tabs/all.js';

/** Connects the reading of nodes to the dashboard's store. */
export function fleetScreen(store: DashboardStore): FleetScreen {
  return {
    context: context => store.dispatch({type: 'context', context}),
    stage: text => store.stream({type: 'stage', text}),
    nodes: names => store.stream({type: 'nodes', names}),
    phase: (name, phase, detail) => store.stream({type: 'phase', name, phase, detail}),
    read: node => store.stream({type: 'read', entry: entryOf(node)}),
    warn: text => store.dispatch({type: 'notice', text}),
  };
}

/** A list entry for a node. Its whole data is unpacked only when it is shown. */
export function entryOf(node: PackedNode): NodeEntry {
  const {name, plugin, failed, ofCluster, incomplete, readAt} = node;
  return {
    name,
    plugin,
    results: failed,
    ofCluster,
    incomplete,
    seenAt: readAt,
    tell: sight => tell(node.unpacked(), sight),
  };
}
