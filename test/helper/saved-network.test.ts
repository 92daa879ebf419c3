import {afterAll, expect, it} from 'vitest';
import type {PlanStep} from '../../src/model/step.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {deadMan as usual} from './every-step.js';
import {journalOf, planOf, runPlan, store} from './plans.js';
import {describeHelper, machineFor, nodeOf} from './powershell.js';
import {networkOf, networks} from './saved-networks.js';

const machines: WindowsMachine[] = [];
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const deadMan = {...usual, withinSeconds: 2};
const nic: PlanStep = {do: 'vnic.remove', with: {switchName: 'antrea-hnsnetwork', name: 'br-int'}, cuts: true};

async function cutAndUndone(node: NodeDump, environment: Record<string, string>): Promise<WindowsMachine> {
  const machine = machineFor(node);
  machines.push(machine);
  const plan = planOf([nic], {deadMan});
  store(machine, plan);
  await runPlan(machine, plan, 'Run', environment).ended;
  expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
  return machine;
}

describeHelper('a network that was saved, cut and restored', () => {
  it.each(Object.entries(networks))('is equal field by field: %s', async (_, prepare) => {
    const node = nodeOf('01-antrea-healthy');
    prepare(node);
    const before = networkOf(node, 'br-int');
    const machine = await cutAndUndone(node, {});
    expect(networkOf(machine.read(), 'br-int')).toEqual(before);
  });

  it('is equal even if Windows returns only the active store by default', async () => {
    const node = nodeOf('01-antrea-healthy');
    networks['active and persistent routes']?.(node);
    const before = networkOf(node, 'br-int');
    const machine = await cutAndUndone(node, {KUBECTL_WIN_ACTIVE_STORE_ONLY: '1'});
    expect(networkOf(machine.read(), 'br-int')).toEqual(before);
  });
});
