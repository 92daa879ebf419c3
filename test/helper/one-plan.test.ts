import {createHash} from 'node:crypto';
import {afterAll, expect, it} from 'vitest';
import {bootStatus} from '../../src/model/boot-plan.js';
import type {PlanStep} from '../../src/model/step.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {eventually} from '../eventually.js';
import {addGates, cutAt, gate, journalOf, openGate, planOf, runPlan, store} from './plans.js';
import {ask, describeHelper, machineFor, nodeOf} from './powershell.js';

const machines: WindowsMachine[] = [];
function made(): WindowsMachine {
  const node = nodeOf('04-kube-ovn-healthy');
  addGates(node, ['gate', 'other']);
  const machine = machineFor(node, undefined, 'kovn-win-1');
  machines.push(machine);
  return machine;
}
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const minutes = 60_000;
const restart: PlanStep = {do: 'service.restart', with: {name: 'ovn-controller'}};
const request = (name: string, more: object = {}) => ({protocol: 1, request: name, deadlineMs: 2 * minutes, ...more});

const bootText = JSON.stringify({
  apiVersion: 'kubectl-win/v1',
  kind: 'BootPlan',
  node: 'kovn-win-1',
  title: 'Repair the network after a boot',
  createdAt: '2026-03-12T08:00:00.000Z',
  unless: [{until: 'hnsNetwork', name: 'gone', present: true}],
  settleSeconds: 1,
  steps: [restart],
  deadMan: {address: '192.168.96.31', apiServer: '127.0.0.1:1', withinSeconds: 5},
});
const bootPlan = {plan: bootText, hash: createHash('sha256').update(bootText).digest('hex')};

/** A plan that runs until its gate is opened. */
async function running(machine: WindowsMachine) {
  const plan = planOf([restart, gate('gate')]);
  store(machine, plan);
  const {ended} = runPlan(machine, plan, 'Run');
  await eventually('a plan that runs', () =>
    journalOf(machine, plan.id).some(entry => entry.event === 'step.begin' && entry.step === 1),
  );
  return {
    id: plan.id,
    async finish() {
      openGate(machine, 'gate');
      await ended;
      expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    },
  };
}

describeHelper('only one plan runs on a node', () => {
  it(
    'also where the tasks of two start at the same time: one waits for the other, or gives up before its first line',
    async () => {
      const machine = made();
      const plans = [planOf([restart]), planOf([restart])];
      for (const plan of plans) store(machine, plan);
      await Promise.all(plans.map(plan => runPlan(machine, plan, 'Run').ended));
      const ran = plans.map(({id}) => journalOf(machine, id)).filter(journal => journal.length > 0);
      expect(ran.length).toBeGreaterThan(0);
      for (const journal of ran) expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
      const times = ran.map(journal => ({begin: journal[0]?.at ?? '', end: journal.at(-1)?.at ?? ''}));
      times.sort((one, other) => (one.begin < other.begin ? -1 : 1));
      for (const [index, {begin}] of times.entries())
        expect(begin >= (times[index - 1]?.end ?? ''), JSON.stringify(times)).toBe(true);
    },
    5 * minutes,
  );

  it(
    'while a plan runs: no other one, no rollback, nothing at a boot',
    async () => {
      const machine = made();
      const interrupted = planOf([restart, gate('other')]);
      store(machine, interrupted);
      await cutAt(machine, interrupted, 'Run', entry => entry.event === 'step.begin' && entry.step === 1);
      const before = journalOf(machine, interrupted.id);
      const boot = await ask(machine, request('boot.set', bootPlan));
      expect(bootStatus.parse(boot.messages[1]).set).toBe(true);
      const {id, finish} = await running(machine);

      for (const name of ['plan.rollback', 'plan.resume']) {
        const {messages} = await ask(machine, request(name, {id: interrupted.id}));
        expect(messages.find(({type}) => type === 'error')).toEqual({
          type: 'error',
          kind: 'Busy',
          message: `Plan ${id} is running on this node.`,
        });
      }
      // The tasks themselves, whatever the requests said.
      const second = planOf([restart]);
      store(machine, second);
      const [run, rollback] = await Promise.all([
        runPlan(machine, second, 'Run').ended,
        runPlan(machine, interrupted, 'Rollback').ended,
        ask(machine, '', {parameters: ['-Boot', '-PlanHash', bootPlan.hash]}),
      ]);
      expect(run).toContain('Another plan is running on this node.');
      expect(rollback).toContain('Another plan is running on this node.');
      expect(journalOf(machine, second.id)).toEqual([]);
      expect(journalOf(machine, interrupted.id)).toEqual(before);
      const {messages} = await ask(machine, request('boot.status'));
      expect(bootStatus.parse(messages[1]).last).toMatchObject({
        outcome: 'blocked',
        message: expect.stringMatching(/^Plan \S+ is (running|interrupted) on this node\.$/),
      });
      await finish();
    },
    8 * minutes,
  );
});
