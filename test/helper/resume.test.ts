import {expect, it} from 'vitest';
import {addGates, cutAt, gate, journalOf, openGate, planOf, store} from './plans.js';
import {ask, describeHelper, machineFor, nodeOf} from './powershell.js';
import {rows} from './state.js';

const request = (name: string, id: string) => ({protocol: 1, request: name, deadlineMs: 120_000, id});
const deadMan = {address: '127.0.0.1', apiServer: '127.0.0.1:1', withinSeconds: 1};

describeHelper('a plan that a power loss interrupted', () => {
  it('is not resumed if its network was recreated since, and says what to do', async () => {
    const node = nodeOf('04-kube-ovn-healthy');
    addGates(node, ['gate']);
    const machine = await machineFor(node);
    const [network] = rows(node, 'hnsNetworks').filter(({Name}) => Name === 'kube-ovn');
    const gone = {id: '0d4f3a52-6a3b-4f0e-9f41-3f6f0a4f7b10', name: String(network?.Name)};
    const plan = planOf([gate('gate'), {do: 'hns.removeNetwork', with: gone, cuts: true}], {deadMan});
    store(machine, plan);
    await cutAt(machine, plan, 'Run', ({event}) => event === 'step.begin');
    openGate(machine, 'gate');

    const {messages} = await ask(machine, request('plan.resume', plan.id));
    expect(messages.find(({type}) => type === 'error')).toMatchObject({
      kind: 'Blocked',
      message: `HNS network kube-ovn was recreated since plan ${plan.id} began: the plan cannot be resumed, only rolled back.`,
    });
    expect(journalOf(machine, plan.id).filter(({event}) => event === 'plan.begin')).toHaveLength(1);
    await machine.dispose();
  });
});
