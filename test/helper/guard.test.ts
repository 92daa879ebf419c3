import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import type {PlanStep} from '../../src/model/step.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {eventually} from '../eventually.js';
import {everyStep, nodeForEveryStep, deadMan as usual} from './every-step.js';
import {addGates, cutAt, gate, journalOf, type PlanText, planFolder, planOf, runPlan, store} from './plans.js';
import {describeHelper, machineFor} from './powershell.js';
import {type Row, rows} from './state.js';

const machines: WindowsMachine[] = [];
const made = (node: NodeDump): WindowsMachine => {
  const machine = machineFor(node);
  machines.push(machine);
  return machine;
};
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const minutes = 60_000;
/** All times of the guard depend on this one. */
const deadMan = {...usual, withinSeconds: 10};
const refused = {kind: 'Failed', message: 'Der Vorgang wurde abgelehnt.'};

/** Removes the network of an Antrea node like its hard plan, with a gate after each step. */
function cutting(node: NodeDump): PlanStep[] {
  const kinds = ['ovs.deleteBridge', 'vnic.remove', 'hns.removeNetwork'];
  const steps = everyStep(node).filter(step => kinds.includes(step.do));
  addGates(
    node,
    steps.map((_, index) => `gate-${index}`),
  );
  return steps.flatMap((step, index) => [{...step, cuts: true}, gate(`gate-${index}`)]);
}

/** No DHCP server leases this address: it comes back only if it is set. */
function makeStatic(node: NodeDump): void {
  for (const row of rows(node, 'netIPAddresses')) if (row.PrefixOrigin === 'Dhcp') row.PrefixOrigin = 'Manual';
  for (const row of rows(node, 'netIPInterfaces')) if (row.InterfaceAlias === 'br-int') row.Dhcp = 'Disabled';
}

const guardTask = (machine: WindowsMachine, {id}: PlanText): Row | undefined =>
  rows(machine.read(), 'scheduledTasks').find(({TaskName}) => TaskName === `kubectl-win-guard-${id}`);

/** What Task Scheduler does when a trigger fires. */
async function fire(machine: WindowsMachine, plan: PlanText): Promise<string> {
  const task = guardTask(machine, plan);
  const [, parameters = ''] = /& '[^']+' (.*)"$/.exec(String(task?.Argument)) ?? [];
  const child = machine.start(parameters.trim().split(/\s+/));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      said += String(chunk);
    });
  return new Promise(resolve => child.on('close', () => resolve(said)));
}

function change(machine: WindowsMachine, act: (state: NodeDump) => void): void {
  machine.change(state => {
    const next = structuredClone(state);
    act(next);
    return next;
  });
}

const open = (name: string) => (state: NodeDump) => {
  for (const row of rows(state, 'services')) if (row.Name === name) row.State = 'Running';
};

const home = (machine: WindowsMachine): unknown =>
  rows(machine.read(), 'netIPAddresses').find(({IPAddress}) => IPAddress === deadMan.address)?.InterfaceAlias;

const ovsIsOn = (machine: WindowsMachine): boolean =>
  rows(machine.read(), 'vmSwitchExtensions').some(({Id, Enabled}) => String(Id).startsWith('583CC151') && Enabled);

async function killedAfter(machine: WindowsMachine, plan: PlanText, step: number): Promise<void> {
  store(machine, plan);
  for (let index = 0; index < step; index += 1) change(machine, open(`gate-${index}`));
  await cutAt(machine, plan, 'Run', entry => entry.event === 'step.end' && entry.step === 2 * step);
}

describeHelper('the guard of a plan', () => {
  it(
    'exists before the first interruption: at startup and every few minutes, one instance, normal priority, until success',
    async () => {
      const node = nodeForEveryStep();
      const machine = made(node);
      const plan = planOf(cutting(node), {deadMan});
      machine.change(() => node);
      await killedAfter(machine, plan, 0);
      expect(guardTask(machine, plan)).toMatchObject({
        User: 'S-1-5-18',
        Triggers: [{Kind: 'Startup'}, {Kind: 'Once', Interval: 'PT2M'}],
        Settings: {
          MultipleInstances: 'IgnoreNew',
          Priority: 4,
          ExecutionTimeLimit: 'PT0S',
          DisallowStartIfOnBatteries: false,
          StopIfGoingOnBatteries: false,
          StopOnIdleEnd: false,
        },
      });
      // A trigger that starts in the future waits longer if the clock is set back.
      const [, repeated] = (guardTask(machine, plan)?.Triggers ?? []) as {StartBoundary: string}[];
      expect(Date.parse(repeated?.StartBoundary ?? '')).toBeLessThan(Date.now() - 30 * 86_400_000);
      // The bridge is gone and the extension is still enabled: nothing passes.
      expect(ovsIsOn(machine)).toBe(true);
      await fire(machine, plan);
      expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
      expect([home(machine), ovsIsOn(machine), guardTask(machine, plan)]).toEqual(['br-int', false, undefined]);
    },
    5 * minutes,
  );

  it.each([1, 2])(
    'restores the node alone if the process was killed after step %i of a hard plan',
    async step => {
      const node = nodeForEveryStep();
      makeStatic(node);
      const plan = planOf(cutting(node), {deadMan});
      const machine = made(node);
      await killedAfter(machine, plan, step);
      expect(home(machine)).toBeUndefined();
      await fire(machine, plan);
      const journal = journalOf(machine, plan.id);
      expect(journal.find(({event}) => event === 'guard.begin')).toMatchObject({attempt: 1});
      expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
      expect([home(machine), ovsIsOn(machine), guardTask(machine, plan)]).toEqual([
        step === 1 ? 'br-int' : 'Ethernet0',
        false,
        undefined,
      ]);
    },
    5 * minutes,
  );

  it(
    'restores the node if the disk was full from the first interruption on, which stops neither the plan nor the guard',
    async () => {
      const node = nodeForEveryStep();
      makeStatic(node);
      const plan = planOf(cutting(node), {deadMan});
      const machine = made(node);
      store(machine, plan);
      const {ended, kill} = runPlan(machine, plan, 'Run');
      const seen = (index: number) =>
        journalOf(machine, plan.id).some(entry => entry.event === 'step.begin' && entry.step === index);
      await eventually('the first step', () => seen(1));
      change(machine, state => {
        state.errors.disk = {kind: 'Failed', message: 'There is not enough space on the disk.'};
        open('gate-0')(state);
        open('gate-1')(state);
      });
      await expect
        .poll(() => rows(machine.read(), 'hnsNetworks').some(({Name}) => Name === 'antrea-hnsnetwork'), {
          timeout: 2 * minutes,
        })
        .toBe(false);
      kill();
      await ended;
      expect(home(machine)).toBeUndefined();
      const written = journalOf(machine, plan.id);
      await fire(machine, plan);
      expect([home(machine), ovsIsOn(machine), guardTask(machine, plan)]).toEqual(['Ethernet0', false, undefined]);
      expect(journalOf(machine, plan.id)).toEqual(written);
    },
    5 * minutes,
  );

  it(
    'continues after the undo of the plan itself has failed, until the node is reachable',
    async () => {
      const node = nodeForEveryStep();
      makeStatic(node);
      const steps = everyStep(node).filter(step => ['vnic.remove', 'hns.removeNetwork'].includes(step.do));
      const plan = planOf(steps, {deadMan: {...deadMan, withinSeconds: 4}});
      node.errors['New-NetIPAddress'] = refused;
      const machine = made(node);
      store(machine, plan);
      await runPlan(machine, plan, 'Run').ended;
      const failed = journalOf(machine, plan.id);
      expect(failed.at(-1)).toMatchObject({
        event: 'plan.end',
        outcome: 'rollbackFailed',
        message: expect.stringContaining(`The node is not reachable: No adapter has address ${deadMan.address}.`),
      });
      expect(guardTask(machine, plan)).toBeDefined();
      const guarded = fire(machine, plan);
      await expect
        .poll(() => journalOf(machine, plan.id).filter(({event}) => event === 'guard.begin').length, {
          timeout: 2 * minutes,
        })
        .toBeGreaterThan(1);
      change(machine, state => {
        delete state.errors['New-NetIPAddress'];
      });
      await guarded;
      expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
      expect([home(machine), guardTask(machine, plan)]).toEqual(['Ethernet0', undefined]);
    },
    6 * minutes,
  );

  it.each([
    ['is damaged', '{"netAdapters":'],
    ['is gone', undefined],
  ])(
    'reports rolledBack only for a reachable node, also if what it saved %s',
    async (_, damage) => {
      const node = nodeForEveryStep();
      makeStatic(node);
      const plan = planOf(cutting(node), {deadMan: {...deadMan, withinSeconds: 4}});
      const machine = made(node);
      await killedAfter(machine, plan, 1);
      const path = join(planFolder(machine, plan.id), 'network.json');
      const saved = readFileSync(path);
      if (damage === undefined) rmSync(path);
      else writeFileSync(path, damage);
      const guarded = fire(machine, plan);
      await eventually('a rollback that failed', () =>
        journalOf(machine, plan.id).some(entry => entry.event === 'plan.end' && entry.outcome === 'rollbackFailed'),
      );
      expect(guardTask(machine, plan)).toBeDefined();
      writeFileSync(path, saved);
      await guarded;
      expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
      // The first attempt has removed the rest of the network: the address is on the plain NIC.
      expect([home(machine), guardTask(machine, plan)]).toEqual(['Ethernet0', undefined]);
    },
    5 * minutes,
  );

  it(
    'leaves a reachable node alone, and requires no more than what was reachable before the plan',
    async () => {
      const node = nodeForEveryStep();
      node.sections.probes = [
        {Target: deadMan.gateway, Kind: 'icmp', Ok: false},
        {Target: deadMan.apiServer, Kind: 'tcp', Ok: true},
      ];
      addGates(node, ['gate-0']);
      const renew: PlanStep = {do: 'service.restart', with: {name: 'flanneld'}, cuts: true};
      const plan = planOf([renew, gate('gate-0')], {deadMan});
      const machine = made(node);
      await killedAfter(machine, plan, 0);
      await fire(machine, plan);
      const journal = journalOf(machine, plan.id);
      expect(journal.at(-1)).toMatchObject({event: 'guard.end', message: 'The node is reachable.'});
      expect(journal.filter(({event}) => event.startsWith('undo.'))).toEqual([]);
      expect(guardTask(machine, plan)).toBeUndefined();
    },
    5 * minutes,
  );
});
