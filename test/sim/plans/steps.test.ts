import {describe, expect, it} from 'vitest';
import type {PlanStep} from '../../../src/model/step.js';
import {networkState, restoreNode} from '../../../src/sim/plans/saved-network.js';
import type {Host} from '../../../src/sim/plans/step.js';
import {applyStep, inspectStep, undoStep} from '../../../src/sim/plans/steps/kinds.js';
import {Random} from '../../../src/sim/random.js';
import {deadMan, nodeForEveryStep} from '../../helper/every-step.js';
import {nodeOf} from '../../helper/powershell.js';
import {networkOf, networks} from '../../helper/saved-networks.js';
import {type Row, rows} from '../../helper/state.js';

const nic: PlanStep = {do: 'vnic.remove', with: {switchName: 'antrea-hnsnetwork', name: 'br-int'}};
const lease = {address: deadMan.address, prefix: 24, gateway: deadMan.gateway, servers: ['10.21.40.5']};

const hostOf = (state: Host['state']): Host => ({
  state,
  folder: undefined,
  now: new Date(),
  random: new Random('saved'),
  leaseFor: () => lease,
  unreachable: () => undefined,
  silent: [],
});

describe('a network of a simulated node that was saved, cut and restored', () => {
  it.each(Object.entries(networks))('is equal field by field: %s', (_, prepare) => {
    const state = nodeOf('01-antrea-healthy');
    prepare(state);
    const before = networkOf(state, 'br-int');
    const saved = networkState(state);
    const host = hostOf(state);
    const {saved: ofStep} = inspectStep(host, nic, undefined);
    applyStep(host, nic, ofStep);
    expect(networkOf(state, 'br-int')).not.toEqual(before);
    undoStep(host, nic, ofStep);
    restoreNode(host, saved, deadMan.address);
    expect(networkOf(state, 'br-int')).toEqual(before);
  });
});

describe('route.add on a simulated node', () => {
  const route: PlanStep = {
    do: 'route.add',
    with: {destination: '10.9.0.0/16', nextHop: '10.21.40.1', adapter: 'br-int'},
  };

  it.each([
    ['none of both', []],
    ['a persistent route', ['PersistentStore']],
  ])('adds what is missing in the stores, and its undo removes only that: %s', (_, had) => {
    const state = nodeOf('01-antrea-healthy');
    const {InterfaceIndex} = rows(state, 'netAdapters').find(({Name}) => Name === 'br-int') ?? {};
    const row = (Store: string): Row => ({
      ...{DestinationPrefix: '10.9.0.0/16', NextHop: '10.21.40.1'},
      ...{InterfaceAlias: 'br-int', InterfaceIndex, RouteMetric: 256, Store},
    });
    state.sections.netRoutes = [...rows(state, 'netRoutes'), ...had.map(row)];
    const before = rows(state, 'netRoutes');
    const host = hostOf(state);
    const {saved} = inspectStep(host, route, undefined);
    applyStep(host, route, saved);
    const added = rows(state, 'netRoutes').filter(({DestinationPrefix}) => DestinationPrefix === '10.9.0.0/16');
    expect(added.map(({Store}) => Store).toSorted()).toEqual(['ActiveStore', 'PersistentStore']);
    undoStep(host, route, saved);
    expect(rows(state, 'netRoutes')).toEqual(before);
  });
});

describe('hns.removeEndpoint on a simulated node', () => {
  it.each([
    ['the same network', (networks: Row[]) => networks, 1],
    [
      'a network that was recreated with another ID',
      (networks: Row[]) => networks.map(row => ({...row, ID: 'new'})),
      1,
    ],
    ['no network', () => [], 0],
  ])('is undone only on a network, as HNS demands: %s', (_, change, count) => {
    const state = nodeForEveryStep();
    const endpoint = rows(state, 'hnsEndpoints').find(({Name}) => Name === 'leaked');
    const step: PlanStep = {do: 'hns.removeEndpoint', with: {id: String(endpoint?.ID)}};
    const host = hostOf(state);
    const {saved} = inspectStep(host, step, undefined);
    applyStep(host, step, saved);
    state.sections.hnsNetworks = change(rows(state, 'hnsNetworks'));
    undoStep(host, step, saved);
    const ids = rows(state, 'hnsNetworks').map(({ID}) => ID);
    const back = rows(state, 'hnsEndpoints').filter(({Name}) => Name === 'leaked');
    expect(back).toHaveLength(count);
    for (const {VirtualNetwork} of back) expect(ids).toContain(VirtualNetwork);
  });
});

describe('a service of a simulated node that is gone', () => {
  it.each([
    {do: 'service.stop', with: {name: 'flanneld'}},
    {do: 'service.start', with: {name: 'flanneld'}},
  ] as PlanStep[])('fails the undo, as on Windows: $do', step => {
    const state = nodeForEveryStep();
    for (const row of rows(state, 'services')) {
      if (row.Name === 'flanneld' && step.do === 'service.start') row.State = 'Stopped';
    }
    const host = hostOf(state);
    const {saved} = inspectStep(host, step, undefined);
    applyStep(host, step, saved);
    state.sections.services = rows(state, 'services').filter(({Name}) => Name !== 'flanneld');
    expect(() => undoStep(host, step, saved)).toThrow("Cannot find any service with service name 'flanneld'.");
  });
});
