import {afterAll, expect, it} from 'vitest';
import type {PlanStep} from '../../src/model/step.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {nodeForEveryStep, deadMan as usual} from './every-step.js';
import {addGates, cutAt, gate, journalOf, planOf, runPlan, store} from './plans.js';
import {ask, collect, describeHelper, dumpOf, machineFor, nodeOf} from './powershell.js';
import {networkOf, networks} from './saved-networks.js';
import {type Row, rows} from './state.js';

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

  it.each([
    'active and persistent routes',
    'a static IPv4 address beside DHCPv6',
    'a lease and a second address manually in both stores',
  ])('is equal even if Windows returns only the active store by default: %s', async name => {
    const node = nodeOf('01-antrea-healthy');
    networks[name]?.(node);
    const before = networkOf(node, 'br-int');
    const machine = await cutAndUndone(node, {KUBECTL_WIN_ACTIVE_STORE_ONLY: '1'});
    expect(networkOf(machine.read(), 'br-int')).toEqual(before);
  });
});

describeHelper('a static address that another adapter has', () => {
  it.each([
    ['both stores', {}],
    ['the active store', {KUBECTL_WIN_ACTIVE_STORE_ONLY: '1'}],
  ])('is removed there from both stores before it is restored, if Windows returns %s', async (_, environment) => {
    const node = nodeOf('01-antrea-healthy');
    networks['a static IPv4 address beside DHCPv6']?.(node);
    const machine = machineFor(node);
    machines.push(machine);
    const plan = planOf([{do: 'ip.restore', with: {from: 'br-int', to: 'antrea-gw0'}}]);
    store(machine, plan);
    await runPlan(machine, plan, 'Run', environment).ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    const {sections} = machine.read();
    const owners = (section: string) =>
      rows({sections}, section)
        .filter(({IPAddress}) => IPAddress === deadMan.address)
        .map(({InterfaceAlias}) => InterfaceAlias);
    expect(owners('netIPAddresses')).toEqual(['antrea-gw0']);
    expect(owners('persistentIPAddresses')).toEqual([]);
  });
});

describeHelper('routes of both stores', () => {
  const route = {DestinationPrefix: '10.9.0.0/16', NextHop: '10.21.40.1', InterfaceAlias: 'br-int', RouteMetric: 256};
  const withPersistentRoute = () => {
    const node = nodeForEveryStep();
    const {InterfaceIndex} = rows(node, 'netAdapters').find(({Name}) => Name === 'br-int') ?? {};
    const kept = {...route, InterfaceIndex, Store: 'PersistentStore'};
    node.sections.netRoutes = [...rows(node, 'netRoutes').filter(({Store}) => Store === 'ActiveStore'), kept];
    return {node, kept};
  };

  const routesOf = async (node: NodeDump) => {
    const machine = machineFor(node);
    machines.push(machine);
    return dumpOf(await ask(machine, collect(['netRoutes']), {environment: {KUBECTL_WIN_ACTIVE_STORE_ONLY: '1'}}));
  };

  it('are read also where Windows gives the active store alone', async () => {
    const {node, kept} = withPersistentRoute();
    const machine = machineFor(node);
    try {
      for (const environment of [{}, {KUBECTL_WIN_ACTIVE_STORE_ONLY: '1'}]) {
        const {sections} = dumpOf(await ask(machine, collect(['netRoutes']), {environment}));
        expect((sections.netRoutes as Row[]).filter(({Store}) => Store === 'PersistentStore')).toEqual([kept]);
      }
    } finally {
      await machine.dispose();
    }
  });

  it('are only the active ones if the persistent store is empty, and Windows reports that as an error', async () => {
    const {node} = withPersistentRoute();
    node.sections.netRoutes = rows(node, 'netRoutes').filter(({Store}) => Store === 'ActiveStore');
    node.errors['Get-NetRoute'] = {kind: 'NotFound', message: 'No MSFT_NetRoute objects found.'};
    const {sections, errors} = await routesOf(node);
    expect(errors).toEqual({});
    expect(sections.netRoutes).toEqual(node.sections.netRoutes);
  });

  it('are an error if the persistent store cannot be read, and no plan that interrupts the network runs', async () => {
    const {node} = withPersistentRoute();
    node.errors['Get-NetRoute'] = {kind: 'Failed', message: 'Der RPC-Server ist nicht verfügbar.'};
    const {sections, errors} = await routesOf(node);
    expect(sections).toEqual({});
    expect(errors).toEqual({netRoutes: {kind: 'Failed', message: 'Der RPC-Server ist nicht verfügbar.'}});
    const machine = machineFor(node);
    machines.push(machine);
    const before = networkOf(machine.read(), 'br-int');
    const plan = planOf([nic], {deadMan});
    store(machine, plan);
    await runPlan(machine, plan, 'Run', {KUBECTL_WIN_ACTIVE_STORE_ONLY: '1'}).ended;
    const journal = journalOf(machine, plan.id);
    expect(journal.filter(({event}) => event === 'step.begin')).toEqual([]);
    expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'failed'});
    expect(networkOf(machine.read(), 'br-int')).toEqual(before);
  });

  it('are kept apart by route.add: a persistent route that was there before its undo is there after it', async () => {
    const {node, kept} = withPersistentRoute();
    addGates(node, ['gate']);
    const machine = machineFor(node);
    try {
      const before = rows(machine.read(), 'netRoutes');
      const {DestinationPrefix: destination, NextHop: nextHop, InterfaceAlias: adapter} = route;
      const plan = planOf([{do: 'route.add', with: {destination, nextHop, adapter}}, gate('gate')]);
      store(machine, plan);
      await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === 1);
      expect(rows(machine.read(), 'netRoutes')).toEqual([...before, {...kept, Store: 'ActiveStore'}]);
      await runPlan(machine, plan, 'Rollback').ended;
      expect(rows(machine.read(), 'netRoutes')).toEqual(before);
    } finally {
      await machine.dispose();
    }
  });
});
