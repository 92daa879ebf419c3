import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import {type BootPlan, bootStatus} from '../../src/model/boot-plan.js';
import {bootPlan} from '../../src/repair/boot/boot-plan-rules.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {eventually} from '../eventually.js';
import {addGates, cutAt, gate, journalOf, openGate, planOf, store} from './plans.js';
import {type Answer, ask, describeHelper, machineFor, nodeOf} from './powershell.js';
import {rows} from './state.js';

const machines: WindowsMachine[] = [];
async function made(node = nodeOf('04-kube-ovn-healthy')): Promise<WindowsMachine> {
  const machine = machineFor(node, undefined, 'kovn-win-1');
  machines.push(machine);
  return machine;
}
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
const request = (name: string, more: object = {}) => ({protocol: 1, request: name, deadlineMs: 120_000, ...more});

function planText(network: string, steps: object[] = [{do: 'service.restart', with: {name: 'ovn-controller'}}]) {
  const text = JSON.stringify({
    apiVersion: 'kubectl-win/v1',
    kind: 'BootPlan',
    node: 'kovn-win-1',
    title: 'Kube-OVN on kovn-win-1: repair the network after a boot',
    createdAt: '2026-03-12T08:00:00.000Z',
    unless: [{until: 'hnsNetwork', name: network, present: true}],
    settleSeconds: 1,
    steps,
    deadMan: {address: '192.168.96.31', apiServer: '127.0.0.1:1', withinSeconds: 5},
  } satisfies Omit<BootPlan, 'steps'> & {steps: object[]});
  return {text, hash: sha256(text)};
}

const set = (machine: WindowsMachine, {text, hash}: {text: string; hash: string}) =>
  ask(machine, request('boot.set', {plan: text, hash}));

const statusIn = ({messages}: Answer) => bootStatus.parse(messages.find(({type}) => type === 'boot'));
const refusalIn = ({messages}: Answer) => messages.find(message => message.type === 'error');

/** What the task does after boot. */
const boot = (machine: WindowsMachine, hash: string) => ask(machine, '', {parameters: ['-Boot', '-PlanHash', hash]});
const lastOf = async (machine: WindowsMachine) => statusIn(await ask(machine, request('boot.status'))).last;

const plansOn = (machine: WindowsMachine): string[] => {
  const root = join(machine.drive, 'ProgramData', 'kubectl-win', 'plans');
  // The lock of the node is next to them.
  return existsSync(root) ? readdirSync(root).filter(name => name !== 'lock') : [];
};
const folder = (machine: WindowsMachine) => join(machine.drive, 'ProgramData', 'kubectl-win', 'boot');

describeHelper('the boot task', () => {
  it('is registered as SYSTEM with its plan and a copy of the helper, does nothing on a healthy node, and can be removed', async () => {
    const machine = await made();
    expect(statusIn(await ask(machine, request('boot.status')))).toEqual({type: 'boot', set: false});
    const plan = planText('kube-ovn');
    expect(bootPlan.safeParse(JSON.parse(plan.text)).success).toBe(true);
    const answer = await set(machine, plan);
    expect(statusIn(answer)).toMatchObject({
      set: true,
      hash: plan.hash,
      steps: 1,
      createdAt: expect.stringContaining('2026-03-12T08:00:00'),
    });
    const [task] = rows(await machine.read(), 'scheduledTasks').filter(({TaskName}) => TaskName === 'kubectl-win-boot');
    expect(task).toMatchObject({
      User: 'S-1-5-18',
      State: 'Ready',
      Argument: expect.stringContaining('-Boot -PlanHash'),
    });
    expect(readFileSync(join(folder(machine), 'helper.ps1'))).toEqual(readFileSync(machine.helper));

    await boot(machine, plan.hash);
    expect(await lastOf(machine)).toMatchObject({outcome: 'notNeeded'});
    expect(plansOn(machine)).toEqual([]);

    const whose = {user: 'alice', context: 'production'};
    expect(statusIn(await ask(machine, request('boot.remove', whose)))).toEqual({type: 'boot', set: false});
    const {messages} = await ask(machine, request('audit.read'));
    expect(messages.filter(({type}) => type === 'audit')).toMatchObject([
      {what: 'boot.set', node: 'kovn-win-1', hash: plan.hash},
      {what: 'boot.remove', ...whose, hash: plan.hash},
    ]);
    expect(existsSync(folder(machine))).toBe(false);
    expect(rows(await machine.read(), 'scheduledTasks').map(({TaskName}) => TaskName)).not.toContain(
      'kubectl-win-boot',
    );
  });

  it('runs its steps as a separate plan if the network does not come back', async () => {
    const machine = await made();
    const plan = planText('gone', [
      {do: 'service.stop', with: {name: 'ovn-controller'}},
      {do: 'file.remove', with: {path: 'C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid'}},
    ]);
    await set(machine, plan);
    await boot(machine, plan.hash);
    const last = await lastOf(machine);
    expect(last).toMatchObject({outcome: 'ran', plan: expect.any(String)});
    expect(journalOf(machine, last?.plan ?? '').at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    const services = rows(await machine.read(), 'services');
    expect(services.find(({Name}) => Name === 'ovn-controller')).toMatchObject({State: 'Stopped'});

    await boot(machine, plan.hash);
    expect((await lastOf(machine))?.plan).not.toBe(last?.plan);
  });

  it('resumes what a power loss interrupted at the previous boot', async () => {
    const node = nodeOf('04-kube-ovn-healthy');
    addGates(node, ['gate']);
    const machine = await made(node);
    const plan = planText('gone', [{do: 'service.stop', with: {name: 'ovn-controller'}}, gate('gate')]);
    await set(machine, plan);
    const child = machine.start(['-Boot', '-PlanHash', plan.hash]);
    const begun = () => plansOn(machine).find(id => journalOf(machine, id).some(({event}) => event === 'step.end'));
    await eventually('a first step', begun);
    child.kill('SIGKILL');
    await once(child, 'close');
    openGate(machine, 'gate');
    await boot(machine, plan.hash);
    expect(plansOn(machine)).toEqual([(await lastOf(machine))?.plan]);
    const journal = journalOf(machine, plansOn(machine)[0] ?? '');
    expect(journal.filter(({event}) => event === 'plan.begin')).toMatchObject([{mode: 'run'}, {mode: 'resume'}]);
    expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
  });

  it('leaves an interrupted plan of a user alone', async () => {
    const node = nodeOf('04-kube-ovn-healthy');
    addGates(node, ['gate']);
    const machine = await made(node);
    const other = planOf([gate('gate')]);
    store(machine, other);
    await cutAt(machine, other, 'Run', ({event}) => event === 'step.begin');
    const plan = planText('gone');
    await set(machine, plan);
    await boot(machine, plan.hash);
    expect(await lastOf(machine)).toMatchObject({
      outcome: 'blocked',
      message: `Plan ${other.id} is interrupted on this node.`,
    });
    expect(plansOn(machine)).toEqual([other.id]);
  });

  it.each([
    ['a step that removes a network', [{do: 'vswitch.remove', with: {name: 'kube-ovn'}}]],
    [
      'an ID that a boot changes',
      [{do: 'hns.removePolicyLists', with: {ids: ['0d4f3a52-6a3b-4f0e-9f41-3f6f0a4f7b10']}}],
    ],
    ['no step at all', []],
    ['a free-form command', [{do: 'run', with: {command: 'calc.exe'}}]],
  ])('refuses %s', async (_, steps) => {
    const machine = await made();
    expect(refusalIn(await set(machine, planText('kube-ovn', steps)))).toMatchObject({kind: 'BadRequest'});
    expect(existsSync(folder(machine))).toBe(false);
  });

  it('refuses a plan for another node', async () => {
    const machine = await made();
    const {text, hash} = planText('gone');
    const asked = await ask(machine, request('boot.set', {plan: text, hash}), {
      environment: {KUBECTL_WIN_NODE: 'other'},
    });
    expect(refusalIn(asked)).toMatchObject({
      kind: 'BadRequest',
      message: 'The plan is for node kovn-win-1, not for other.',
    });
    const own = await ask(machine, request('boot.set', {plan: text, hash}), {
      environment: {KUBECTL_WIN_NODE: 'kovn-win-1'},
    });
    expect(statusIn(own)).toMatchObject({set: true});
  });

  it('refuses a plan that was changed in transit or on disk', async () => {
    const machine = await made();
    const plan = planText('gone');
    expect(refusalIn(await set(machine, {...plan, hash: sha256('other')}))).toMatchObject({kind: 'BadRequest'});
    await set(machine, plan);
    await boot(machine, sha256('other'));
    expect(await lastOf(machine)).toMatchObject({outcome: 'blocked', message: expect.stringContaining('hash')});
  });
});
