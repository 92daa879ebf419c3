import {describe, expect, it} from 'vitest';
import {editRows} from '../../../src/sim/node/edit.js';
import {rows} from '../../../src/sim/node/state.js';
import {deleteBridge} from '../../../src/sim/plans/ovs-rows.js';
import {bringUp, Lab, rebooted, runServices} from './support.js';

describe("Antrea's agent", () => {
  it('does not start while ovs-vswitchd is down, and rebuilds everything after the stale bridge is removed', () => {
    const scene = rebooted('antrea-reboot');
    const {lab, node, state} = scene;
    expect(lab.startAgent(node)).toMatchObject({ready: false, why: expect.stringContaining('ovs-vswitchd')});
    expect(lab.startPods(node)).not.toEqual([]);
    deleteBridge(state, 'br-int');
    runServices(state, lab.now, 'ovs-vswitchd');
    expect(bringUp(scene)).toEqual([]);
    expect(rows(state, 'netIPAddresses').find(({IPAddress}) => IPAddress === lab.plan(node).address)).toMatchObject({
      InterfaceAlias: 'br-int',
      PrefixOrigin: 'Dhcp',
    });
  });

  it('does not start with a bridge whose network is gone, even if ovs-vswitchd runs', () => {
    const {lab, node, state} = rebooted('antrea-reboot');
    runServices(state, lab.now, 'ovs-vswitchd');
    expect(lab.startAgent(node)).toMatchObject({ready: false, why: expect.stringContaining('br-int')});
  });

  it('does not use an adapter under another switch', () => {
    const {lab, node, state} = rebooted('antrea-reboot');
    deleteBridge(state, 'br-int');
    runServices(state, lab.now, 'ovs-vswitchd');
    editRows(
      state,
      'adapterBindings',
      ({ComponentID}) => ComponentID === 'vms_pp',
      () => ({Enabled: true}),
    );
    expect(lab.startAgent(node)).toMatchObject({
      ready: false,
      why: expect.stringContaining('is not a physical adapter'),
    });
  });

  it('changes nothing on a healthy node', () => {
    const lab = new Lab('antrea-healthy');
    const state = lab.state('win-1');
    const before = structuredClone(state.sections);
    expect(lab.startAgent('win-1')).toMatchObject({ready: true});
    for (const section of ['hnsNetworks', 'hnsEndpoints', 'netAdapters', 'netIPAddresses', 'netRoutes', 'ovs']) {
      expect(state.sections[section], section).toEqual(before[section]);
    }
  });
});
