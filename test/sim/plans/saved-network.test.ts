import {describe, expect, it} from 'vitest';
import type {PlanStep} from '../../../src/model/step.js';
import {networkState, restoreNode} from '../../../src/sim/plans/saved-network.js';
import type {Host} from '../../../src/sim/plans/step.js';
import {applyStep, inspectStep, undoStep} from '../../../src/sim/plans/steps/kinds.js';
import {Random} from '../../../src/sim/random.js';
import {deadMan} from '../../helper/every-step.js';
import {nodeOf} from '../../helper/powershell.js';
import {networkOf, networks} from '../../helper/saved-networks.js';

const nic: PlanStep = {do: 'vnic.remove', with: {switchName: 'antrea-hnsnetwork', name: 'br-int'}};

describe('a network of a simulated node that was saved, cut and restored', () => {
  it.each(Object.entries(networks))('is equal field by field: %s', (_, prepare) => {
    const state = nodeOf('01-antrea-healthy');
    prepare(state);
    const before = networkOf(state, 'br-int');
    const saved = networkState(state);
    const lease = {address: deadMan.address, prefix: 24, gateway: deadMan.gateway, servers: ['10.21.40.5']};
    const host: Host = {
      state,
      folder: undefined,
      now: new Date(),
      random: new Random('saved'),
      leaseFor: () => lease,
      unreachable: () => undefined,
      silent: [],
    };
    const {saved: ofStep} = inspectStep(host, nic, undefined);
    applyStep(host, nic, ofStep);
    expect(networkOf(state, 'br-int')).not.toEqual(before);
    undoStep(host, nic, ofStep);
    restoreNode(host, saved, deadMan.address);
    expect(networkOf(state, 'br-int')).toEqual(before);
  });
});
