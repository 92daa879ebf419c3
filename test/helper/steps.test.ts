import {existsSync} from 'node:fs';
import {afterAll, expect, it} from 'vitest';
import type {StepName} from '../../src/model/step.js';
import {hasUndo} from '../../src/repair/steps/all.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {deadMan, everyStep, nodeForEveryStep, stepsFor} from './every-step.js';
import {addGates, cutAt, gate, journalOf, openGate, planOf, runPlan, store} from './plans.js';
import {ask, describeHelper, machineFor, nativeSections} from './powershell.js';
import {essence, onPlainNic, withoutAgentParts, withoutOvsExtension} from './state.js';

const machines: WindowsMachine[] = [];
const made = (...parameters: Parameters<typeof machineFor>): WindowsMachine => {
  const machine = machineFor(...parameters);
  machines.push(machine);
  return machine;
};
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const kinds = everyStep(nodeForEveryStep()).map(step => step.do);
const minutes = 60_000;

describeHelper('steps', () => {
  it('are complete: this plan has one of each', () => {
    expect(new Set(kinds).size).toBe(nativeSections.length === 0 ? 19 : 18);
  });

  it('change nothing when only checked, and say what they would do', async () => {
    const node = nodeForEveryStep();
    const machine = made(node);
    const before = essence(machine.read());
    const {text: plan, hash} = planOf(everyStep(node), {deadMan});
    const answer = await ask(machine, {protocol: 1, request: 'plan.check', deadlineMs: 2 * minutes, plan, hash});
    const line = answer.messages[1] as {check?: {do: string; outcome: string; message: string}[]};
    expect(line.check?.map(check => check.do)).toEqual(kinds);
    const outcomes = Object.fromEntries(line.check?.map(check => [check.do, check.outcome]) ?? []);
    expect(outcomes).toMatchObject({
      'hns.removeNetwork': 'ready',
      'file.remove': 'ready',
      'service.start': 'already',
      'wait.until': 'already',
      'ip.restore': 'ready',
    });
    expect(essence(machine.read())).toEqual(before);
    expect(answer.noise).toEqual([]);
  });

  it(
    'have the same result if the plan is killed after each step in turn and resumed',
    async () => {
      const node = nodeForEveryStep();
      const gates = kinds.map((_, index) => `gate-${index}`);
      addGates(node, gates);
      const steps = everyStep(node).flatMap((step, index) => [step, gate(gates[index] ?? '')]);
      const plan = planOf(steps, {deadMan});
      const machine = made(node);
      store(machine, plan);
      for (const [index, name] of gates.entries()) {
        const waits = 2 * index + 1;
        const mode = index === 0 ? 'Run' : 'Resume';
        await cutAt(machine, plan, mode, entry => entry.event === 'step.begin' && entry.step === waits);
        openGate(machine, name);
      }
      await runPlan(machine, plan, 'Resume').ended;
      const journal = journalOf(machine, plan.id);
      expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
      expect(journal.filter(({event}) => event === 'plan.begin')).toHaveLength(gates.length + 1);
      const done = journal.flatMap(entry => (entry.event === 'step.end' && entry.step % 2 === 0 ? [entry.do] : []));
      expect(done).toEqual(kinds);
      expect(await withoutGates(machine)).toEqual(await straight());
      expect(existsSync('executed')).toBe(false);
    },
    15 * minutes,
  );

  it(
    'have the same result if power is lost after every single change, before it is recorded',
    async () => {
      const node = nodeForEveryStep();
      const plan = planOf(everyStep(node), {deadMan});
      const machine = made(node);
      store(machine, plan);
      let runs = 0;
      while (journalOf(machine, plan.id).at(-1)?.event !== 'plan.end' && runs < 40) {
        await runPlan(machine, plan, runs++ === 0 ? 'Run' : 'Resume', {KUBECTL_WIN_CUT_AFTER_CHANGE: '1'}).ended;
      }
      expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
      expect(runs).toBeGreaterThan(15);
      expect(await withoutGates(machine)).toEqual(await straight());
    },
    15 * minutes,
  );

  it.each(kinds.filter(kind => kind !== 'wait.until'))(
    'can be rolled back after the plan was killed: %s',
    async (kind: StepName) => {
      const node = nodeForEveryStep();
      addGates(node, ['gate']);
      const machine = made(node);
      const before = essence(machine.read());
      const steps = stepsFor(kind, node);
      const plan = planOf([...steps, gate('gate')], {deadMan});
      store(machine, plan);
      await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === steps.length);
      await runPlan(machine, plan, 'Rollback').ended;
      const journal = journalOf(machine, plan.id);
      expect(journal.find(entry => entry.event === 'step.end' && entry.do === kind)).toMatchObject({outcome: 'done'});
      expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
      const undone = journal.find(entry => entry.event === 'undo.end' && entry.do === kind);
      expect(undone).toMatchObject({outcome: hasUndo(kind) ? 'done' : 'none'});
      const after = essence(machine.read());
      // The orphan switch was removed, and Windows cannot restore it.
      if (kind === 'vswitch.remove') expect({...after, switches: before.switches}).toEqual(before);
      else if (['hns.removeNetwork', 'ip.renew', 'ip.restore'].includes(kind)) {
        expect(withoutAgentParts(after, node)).toEqual(withoutAgentParts(onPlainNic(before), node));
      } else expect(after).toEqual(kind === 'ovs.deleteBridge' ? withoutOvsExtension(before) : before);
    },
    5 * minutes,
  );
});

/** The state after an undisturbed plan. */
let end: Promise<unknown> | undefined;
function straight(): Promise<unknown> {
  end ??= (async () => {
    const node = nodeForEveryStep();
    const plan = planOf(everyStep(node), {deadMan});
    const machine = made(node);
    store(machine, plan);
    await runPlan(machine, plan, 'Run').ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    return withoutGates(machine);
  })();
  return end;
}

async function withoutGates(machine: WindowsMachine): Promise<unknown> {
  const {services, ...rest} = essence(machine.read());
  return {...rest, services: (services as string[]).filter(service => !service.includes('gate'))};
}
