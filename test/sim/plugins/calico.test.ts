import {describe, expect, it} from 'vitest';
import {editRows} from '../../../src/sim/node/edit.js';
import {rows} from '../../../src/sim/node/state.js';
import {bringUp, rebooted, remove} from './support.js';

describe('Calico', () => {
  it('cleans up by itself when it is restarted after a boot, and the node is healthy', () => {
    const scene = rebooted('calico-reboot');
    const ids = rows(scene.state, 'hnsNetworks').map(({ID}) => ID);
    expect(scene.lab.startKubeProxy(scene.node)).toMatchObject({
      ready: false,
      why: expect.stringContaining('Calico_ep'),
    });
    expect(bringUp(scene)).toEqual([]);
    expect(rows(scene.state, 'hnsNetworks').some(({ID}) => ids.includes(ID))).toBe(false);
  });

  it('does not clean up if it has recorded the boot, until that record is removed', () => {
    const scene = rebooted('calico-reboot');
    const {lab, node, state} = scene;
    lab.startAgent(node);
    editRows(
      state,
      'hnsNetworks',
      () => true,
      () => ({ManagementIP: '169.254.20.3'}),
    );
    expect(lab.startAgent(node)).toMatchObject({
      ready: false,
      why: expect.stringContaining('Waiting for interface matching management IP 169.254.20.3'),
    });
    remove(state, 'registry', ({Name}) => Name === 'LastBootTime');
    expect(bringUp(scene)).toEqual([]);
  });

  it('waits while no adapter has a valid address', () => {
    const {lab, node, state} = rebooted('calico-reboot');
    remove(state, 'netIPAddresses', ({IPAddress}) => IPAddress === lab.plan(node).address);
    expect(lab.startAgent(node)).toMatchObject({ready: false, why: expect.stringContaining('valid IPv4 address')});
  });
});
