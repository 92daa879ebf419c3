import {type NodeStep, stepParameters} from '../../model/step.js';
import {same} from '../../snapshot/hns.js';
import {absent} from './dependency.js';

export const ovsDeleteBridge: NodeStep<'ovs.deleteBridge'> = {
  name: 'ovs.deleteBridge',
  parameters: stepParameters['ovs.deleteBridge'],
  words: ({bridge}) => ({
    changes: `Deletes bridge ${bridge} and its ports from the OVS database.`,
    requires: 'The database server (ovsdb-server) responds.',
    verifies: 'The database has no such bridge.',
  }),
  undo: 'Adds the bridge and its ports again, if a switch exists.',
  cuts: ({bridge}, network) => network.throughOvs && network.isOnBridge(bridge),
  dependsOn({bridge}, {node}) {
    const found = node.ovs?.bridges.find(({name}) => same(name, bridge));
    const ports = found?.ports.map(({name}) => name).sort();
    return [[`OVS bridge ${bridge}`, ports ? `ports ${ports.join(', ') || 'none'}` : node.ovs ? absent : 'not read']];
  },
  refuses: ({bridge}, {plugin}) =>
    plugin.profile.bridges.some(its => same(its, bridge))
      ? undefined
      : `OVS bridge ${bridge} does not belong to ${plugin.title} and is not removed.`,
  // It removes ports, not their endpoints.
  losesEndpoints: () => [],
  atBoot: () => true,
};
