import {describe, expect, it} from 'vitest';
import {rows} from '../../../src/sim/node/state.js';
import {bringUp, Lab, rebooted, removeFiles} from './support.js';

describe('Azure CNI', () => {
  it('fails for every pod because of its lock, then its state file, and creates its network after both are removed', () => {
    const scene = rebooted('azure-reboot');
    const {lab, node, state} = scene;
    expect(lab.startAgent(node)).toMatchObject({ready: true});
    expect(lab.startPods(node)[0]).toContain('timed out locking store');
    removeFiles(state, 'azure-vnet.json.lock');
    expect(lab.startPods(node)[0]).toContain('0x803b0001');
    expect(lab.startKubeProxy(node)).toMatchObject({ready: false});
    removeFiles(state, 'azure-vnet.json', 'azure-endpoints.json');
    expect(bringUp(scene)).toEqual([]);
    const network = rows(state, 'hnsNetworks').find(({Name}) => Name === 'azure');
    const file = rows(state, 'files').find(({Path}) => String(Path).endsWith('azure-vnet.json'));
    expect(String(file?.Content)).toContain(String(network?.ID));
    expect(network?.LayeredOn).toBe(rows(state, 'hnsNetworks').find(({Name}) => Name === 'ext')?.LayeredOn);
  });

  it('fails if only its state file is removed, but not the network', () => {
    const lab = new Lab('azure');
    const state = lab.state('akswnp000001');
    removeFiles(state, 'azure-vnet.json');
    const added = lab.plugin('akswnp000001').addPod?.(lab.starting('akswnp000001'), {name: 'new', namespace: 'shop'});
    expect(added).toMatchObject({ready: false, why: expect.stringContaining('already exists')});
  });
});
