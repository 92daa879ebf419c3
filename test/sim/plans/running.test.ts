import {afterAll, describe, expect, it} from 'vitest';
import type {JournalEntry} from '../../../src/model/plan.js';
import type {PlanStep} from '../../../src/model/step.js';
import {everyStep, nodeForEveryStep, ovsExtension, stepsFor, deadMan as usual} from '../../helper/every-step.js';
import {essence, onPlainNic, withoutOvsExtension} from '../../helper/state.js';
import {eventsOf, Lab} from './lab.js';

const labs: Lab[] = [];
async function labOf(...parameters: Parameters<typeof Lab.start>): Promise<Lab> {
  const lab = await Lab.start(...parameters);
  labs.push(lab);
  return lab;
}
afterAll(async () => {
  for (const lab of labs) await lab[Symbol.asyncDispose]();
});

/** A node on which every step has something to do, with the address of the simulated one. */
async function labForEveryStep(): Promise<Lab> {
  const lab = await labOf('antrea-healthy');
  lab.sim.state = nodeForEveryStep();
  return lab;
}

/** A second at the pace of these tests: a busy machine must not look like a lost network. */
const deadMan = {...usual, withinSeconds: 200};
const kinds = everyStep(nodeForEveryStep()).map(step => step.do);
const cutting = new Set<string>(['service.stop', 'ovs.deleteBridge', 'vnic.remove', 'hns.removeNetwork', 'ip.renew']);
const endOf = (journal: readonly JournalEntry[]) =>
  journal.findLast((entry): entry is Extract<JournalEntry, {event: 'plan.end'}> => entry.event === 'plan.end');
const network = (lab: Lab) => lab.rows('hnsNetworks').find(({Name}) => Name === 'antrea-hnsnetwork');
const nic: PlanStep = {do: 'vnic.remove', with: {switchName: 'antrea-hnsnetwork', name: 'br-int'}, cuts: true};
const takeDown = (lab: Lab): PlanStep[] => [
  nic,
  {
    do: 'hns.removeNetwork',
    with: {
      id: String(network(lab)?.ID),
      name: 'antrea-hnsnetwork',
      endpoints: lab.rows('hnsEndpoints').map(({ID}) => String(ID)),
    },
    cuts: true,
  },
];

describe('a plan with one of each step', () => {
  it('runs to its end through the interruption, and every step has an effect', async () => {
    const lab = await labForEveryStep();
    const journal = await lab.runPlan(lab.plan(everyStep(lab.sim.state), {deadMan}));
    expect(endOf(journal)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    const ended = journal.flatMap(entry => (entry.event === 'step.end' ? [`${entry.do} ${entry.outcome}`] : []));
    const waits = ['wait.until already'];
    expect(ended).toEqual([...kinds.slice(0, -1).map(kind => `${kind} done`), ...waits]);
    expect(journal).toContainEqual(expect.objectContaining({event: 'deadMan.end', outcome: 'ok'}));
  });

  it.each(kinds.filter(kind => !['wait.until', 'vswitch.remove'].includes(kind)))(
    'restores what %s changed, when it is rolled back',
    async kind => {
      const lab = await labForEveryStep();
      lab.sim.fault({failStep: 'wait.until'});
      const before = essence(lab.sim.state);
      const never: PlanStep = {do: 'wait.until', with: {until: 'service', name: 'none', state: 'Running'}};
      const steps = stepsFor(kind, lab.sim.state);
      const last = steps.at(-1);
      if (last && steps.some(step => cutting.has(step.do))) steps.splice(-1, 1, {...last, cuts: true});
      const plan = lab.plan([...steps, never], {deadMan});
      const journal = await lab.runPlan(plan);
      expect(journal).toContainEqual(expect.objectContaining({event: 'step.end', do: kind, outcome: 'done'}));
      // An unreachable node is rolled back automatically; another one waits for a request.
      if (endOf(journal)?.outcome === 'failed') {
        await lab.ask({request: 'plan.rollback', id: plan.id});
        await lab.followed(plan);
      }
      expect(await lab.ask({request: 'plan.status', id: plan.id})).toMatchObject([{state: 'rolledBack'}]);
      expect(withoutPods(essence(lab.sim.state))).toEqual(withoutPods(afterUndo(kind, before)));
    },
  );
});

function afterUndo(kind: string, before: Record<string, unknown>): Record<string, unknown> {
  if (['hns.removeNetwork', 'ip.renew', 'ip.restore'].includes(kind)) return onPlainNic(before);
  return kind === 'ovs.deleteBridge' ? withoutOvsExtension(before) : before;
}

/** Endpoints of pods and their OVS ports are lost with the network: the agent recreates them. */
function withoutPods(state: Record<string, unknown>): unknown {
  const adapters = (state.adapters as string[]).filter(adapter => /"(Ethernet|br-int"|vEthernet \(nat)/.test(adapter));
  const {endpoints: _, addresses, routes, ...rest} = state;
  const onGateway = (row: string) => row.includes('antrea-gw0');
  return {
    ...rest,
    adapters,
    addresses: (addresses as string[]).filter(row => !onGateway(row)),
    routes: (routes as string[]).filter(row => !onGateway(row)),
  };
}

describe('an interruption', () => {
  it('breaks the connection without a close frame, and the node is reachable again on its NIC', async () => {
    const lab = await labOf('antrea-healthy', {pace: {stepMs: 60, timeScale: 0.02, cutMs: 60}});
    const plan = lab.plan([...takeDown(lab), {do: 'ip.renew', with: {adapter: 'Ethernet0'}, cuts: true}], {deadMan});
    await lab.start(plan);
    // The follower is disconnected before the end, without a close frame.
    const first = await lab.ask({request: 'plan.follow', id: plan.id, from: 1}).catch(() => []);
    expect(first.some(({event}) => event === 'plan.end')).toBe(false);
    expect(endOf(await lab.followed(plan))).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    const address = lab.rows('netIPAddresses').find(({IPAddress}) => IPAddress === deadMan.address);
    expect(address).toMatchObject({InterfaceAlias: 'Ethernet0', PrefixOrigin: 'Dhcp'});
    expect(lab.rows('vmSwitches').map(({Name}) => Name)).toEqual(['nat']);
  });

  it('of a node with a static address loses it, until it is set on the NIC', async () => {
    const scenario = `description: One node with a static address
kubernetes: v1.31.4
podNetwork: 10.124.0.0/16
plugins: { antrea: {} }
nodes:
  - { name: lx-ctl-1, os: linux, controlPlane: true, address: 10.21.40.11/24, podCIDR: 10.124.0.0/24 }
  - { name: win-1, address: 10.21.40.61/24, podCIDR: 10.124.1.0/24, dhcp: false }
`;
    const lab = await labOf(scenario);
    const restore: PlanStep = {do: 'ip.restore', with: {from: 'br-int', to: 'Ethernet0'}, cuts: true};
    const journal = await lab.runPlan(lab.plan([...takeDown(lab), restore], {deadMan}));
    expect(endOf(journal)).toMatchObject({outcome: 'succeeded'});
    expect(journal.filter(({event}) => event === 'step.end').at(-1)).toMatchObject({outcome: 'done'});
    const address = lab.rows('netIPAddresses').find(({IPAddress}) => IPAddress === deadMan.address);
    expect(address).toMatchObject({InterfaceAlias: 'Ethernet0', PrefixOrigin: 'Manual'});
    expect(lab.rows('netRoutes')).toContainEqual(
      expect.objectContaining({DestinationPrefix: '0.0.0.0/0', NextHop: '10.21.40.1', InterfaceAlias: 'Ethernet0'}),
    );
  });

  it('results from stopping ovs-vswitchd while its extension is enabled, and not while it is disabled', async () => {
    const lab = await labOf('antrea-healthy');
    const stop: PlanStep = {do: 'service.stop', with: {name: 'ovs-vswitchd'}, cuts: true};
    const off: PlanStep = {
      do: 'vswitch.setExtension',
      with: {switchName: 'antrea-hnsnetwork', extensionId: ovsExtension, enabled: false},
    };
    const cut = await lab.runPlan(lab.plan([stop], {deadMan}));
    expect(eventsOf(cut)).toContain('undo.end');
    expect(endOf(cut)).toMatchObject({outcome: 'rolledBack'});
    expect(endOf(await lab.runPlan(lab.plan([off, stop], {deadMan})))).toMatchObject({outcome: 'succeeded'});
  });

  it('after which the uplink is lost is undone by the node itself, which ends with its plain NIC', async () => {
    const lab = await labOf('antrea-healthy');
    const before = essence(lab.sim.state);
    lab.sim.fault({uplinkLost: true});
    const plan = lab.plan(
      [
        {do: 'ovs.deleteBridge', with: {bridge: 'br-int'}, cuts: true},
        ...takeDown(lab),
        {do: 'ip.renew', with: {adapter: 'Ethernet0'}, cuts: true},
      ],
      {deadMan},
    );
    const journal = await lab.runPlan(plan);
    expect(endOf(journal)).toMatchObject({outcome: 'rolledBack'});
    expect(journal).toContainEqual(expect.objectContaining({event: 'deadMan.end', outcome: 'failed'}));
    expect(journal.find(({event}) => event === 'network.restored')).toMatchObject({
      message: '1 addresses of br-int were restored on Ethernet0.',
    });
    const undone = journal.flatMap(entry => (entry.event === 'undo.end' ? [entry.do] : []));
    expect(undone).toEqual(['ip.renew', 'hns.removeNetwork', 'vnic.remove', 'ovs.deleteBridge']);
    expect(withoutPods(essence(lab.sim.state))).toEqual(withoutPods({...onPlainNic(before), ovs: {}}));
    expect(lab.rows('scheduledTasks').filter(({TaskName}) => /guard/.test(String(TaskName)))).toEqual([]);
  });
});
