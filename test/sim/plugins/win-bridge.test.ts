import {describe, expect, it} from 'vitest';
import {rows, setRows} from '../../../src/sim/node/state.js';
import {bringUp, Lab, rebooted, remove} from './support.js';

describe('win-bridge', () => {
  it('connects no pods without its network, which nothing recreates', () => {
    const lab = new Lab('win-bridge');
    remove(lab.state('nb-win-3'), 'hnsNetworks', ({Name}) => Name === 'l2bridge');
    expect(lab.plugin('nb-win-3').agentStart).toBeUndefined();
    const added = lab.plugin('nb-win-3').addPod?.(lab.starting('nb-win-3'), {name: 'new', namespace: 'intranet'});
    expect(added).toMatchObject({ready: false, why: expect.stringContaining('is not found')});
  });

  it('is healthy again after its leftovers are removed and its routes restored', () => {
    const scene = rebooted('win-bridge-reboot');
    const {lab, node, state} = scene;
    const sandboxes = rows(state, 'hnsEndpoints').flatMap(({State, SharedContainers}) =>
      State === 3 ? (SharedContainers as string[]) : [],
    );
    remove(state, 'hnsEndpoints', ({State}) => State === 4);
    remove(
      state,
      'files',
      ({Path, Content}) =>
        String(Path).includes('\\networks\\l2bridge\\') && !sandboxes.some(id => String(Content).startsWith(id)),
    );
    const uplink = rows(state, 'netAdapters').find(({Name}) => Name === 'vEthernet (Ethernet)');
    const missing = lab.world.cluster.nodes.filter(({name}) => name !== node);
    setRows(state, 'netRoutes', [
      ...rows(state, 'netRoutes'),
      ...missing.map(({podCIDR, address}) => ({
        DestinationPrefix: podCIDR,
        NextHop: address,
        InterfaceAlias: uplink?.Name,
        InterfaceIndex: uplink?.InterfaceIndex,
        RouteMetric: 256,
        Store: 'ActiveStore',
      })),
    ]);
    expect(bringUp(scene)).toEqual([]);
  });

  it('has no address for a new pod if all are leased', () => {
    const lab = new Lab('win-bridge');
    const state = lab.state('nb-win-3');
    const leases = Array.from({length: 254}, (_, index) => ({
      Path: `C:\\var\\lib\\cni\\networks\\l2bridge\\10.190.6.${index + 1}`,
      Exists: true,
      Content: 'gone\r\neth0',
    }));
    setRows(state, 'files', [...rows(state, 'files'), ...leases]);
    const added = lab.plugin('nb-win-3').addPod?.(lab.starting('nb-win-3'), {name: 'new', namespace: 'intranet'});
    expect(added).toMatchObject({ready: false, why: expect.stringContaining('no IP addresses available')});
  });
});
