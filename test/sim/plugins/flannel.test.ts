import {describe, expect, it} from 'vitest';
import {nodeType} from '../../../src/sim/api/resource-types.js';
import {listAt, textAt} from '../../../src/sim/json.js';
import {editRows} from '../../../src/sim/node/edit.js';
import {rows} from '../../../src/sim/node/state.js';
import {bringUp, Lab, names, rebooted, remove, removeFiles} from './support.js';

describe("Flannel's agent with the overlay", () => {
  it('recovers the node when it is restarted, with a new router MAC that its peers apply', () => {
    const scene = rebooted('flannel-reboot');
    const {lab, node, state} = scene;
    const before = lab.world.store.get(nodeType, undefined, node).metadata.annotations;
    expect(bringUp(scene)).toEqual([]);
    const after = lab.world.store.get(nodeType, undefined, node).metadata.annotations;
    const key = 'flannel.alpha.coreos.com/backend-data';
    expect(after?.[key]).not.toBe(before?.[key]);
    const mac = String(rows(state, 'hnsNetworks').find(({Name}) => Name === 'flannel.4096')?.DrMacAddress);
    expect(after?.[key]).toContain(mac.replaceAll('-', ':').toLowerCase());
    const [other = ''] = lab.others;
    expect(JSON.stringify(lab.state(other).sections.hnsNetworks)).toContain(mac.replaceAll('-', ':').toLowerCase());
  });

  it('exits while no adapter has the node address', () => {
    const {lab, node, state} = rebooted('flannel-reboot');
    const {address} = lab.plan(node);
    editRows(
      state,
      'netIPAddresses',
      ({IPAddress}) => IPAddress === address,
      () => ({IPAddress: '169.254.11.7'}),
    );
    expect(lab.startAgent(node)).toMatchObject({
      ready: false,
      why: `Could not find valid interface matching ${address}`,
    });
    expect(names(state, 'hnsNetworks')).not.toContain('flannel.4096');
  });

  it('recreates a network of its name that has another subnet', () => {
    const lab = new Lab('flannel-overlay');
    const state = lab.state('fl-win-a');
    editRows(
      state,
      'hnsNetworks',
      ({Name}) => Name === 'flannel.4096',
      () => ({Subnets: [{AddressPrefix: '10.244.9.0/24'}]}),
    );
    lab.startAgent('fl-win-a');
    const network = rows(state, 'hnsNetworks').find(({Name}) => Name === 'flannel.4096');
    expect(listAt(network, 'Subnets').map(subnet => textAt(subnet, 'AddressPrefix'))).toEqual(['10.244.1.0/24']);
    expect(rows(state, 'hnsEndpoints').filter(({State}) => State === 3)).toEqual([]);
  });

  it('starts before kube-proxy, which fails on a source VIP of another subnet until its file is removed', () => {
    const scene = rebooted('flannel-reboot');
    const {lab, node, state} = scene;
    editRows(
      state,
      'files',
      ({Path}) => String(Path).endsWith('sourceVip.json'),
      ({Content}) => ({Content: String(Content).replaceAll('10.244.1.', '10.244.77.')}),
    );
    expect(lab.startKubeProxy(node)).toMatchObject({ready: false, why: expect.stringContaining('flannel.4096')});
    lab.startAgent(node);
    expect(lab.startKubeProxy(node)).toMatchObject({ready: false, why: expect.stringContaining('0x803b001e')});
    removeFiles(state, 'sourceVip.json');
    expect(bringUp(scene)).toEqual([]);
    expect(rows(state, 'files').some(({Path}) => String(Path).endsWith('sourceVip.json'))).toBe(true);
  });
});

describe("Flannel's agent with host-gw", () => {
  it('waits forever for an endpoint without its adapter, and adds its routes after that is removed', () => {
    const scene = rebooted('flannel-hostgw-reboot');
    const {lab, node, state} = scene;
    const alive = rows(state, 'hnsEndpoints').filter(({State}) => State === 3);
    expect(lab.startAgent(node)).toMatchObject({ready: false, why: expect.stringContaining('cbr0_ep')});
    lab.wait();
    expect(lab.problems(node).join()).toContain('net/peer-routes');
    remove(state, 'hnsEndpoints', ({Name}) => Name === 'cbr0_ep');
    expect(bringUp(scene)).toEqual([]);
    expect(rows(state, 'hnsEndpoints').filter(({State}) => State === 3)).toEqual(alive);
  });

  it('attaches an endpoint that was created and never attached', () => {
    const scene = rebooted('flannel-hostgw-reboot');
    editRows(
      scene.state,
      'hnsEndpoints',
      ({Name}) => Name === 'cbr0_ep',
      () => ({State: 1}),
    );
    expect(bringUp(scene)).toEqual([]);
  });
});
