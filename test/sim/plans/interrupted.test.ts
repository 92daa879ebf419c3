import {afterAll, describe, expect, it} from 'vitest';
import type {PlanStep} from '../../../src/model/step.js';
import {Lab} from './lab.js';

const labs: Lab[] = [];
async function labOf(...parameters: Parameters<typeof Lab.start>): Promise<Lab> {
  const lab = await Lab.start(...parameters);
  labs.push(lab);
  return lab;
}
afterAll(async () => {
  for (const lab of labs) await lab[Symbol.asyncDispose]();
});

describe('an interrupted plan', () => {
  const steps: PlanStep[] = [
    {do: 'ovs.deleteBridge', with: {bridge: 'br-int'}},
    {do: 'wait.until', with: {until: 'service', name: 'ovs-vswitchd', state: 'Running'}, timeoutSeconds: 900},
    {do: 'wait.until', with: {until: 'service', name: 'ovsdb-server', state: 'Running'}},
  ];

  async function interrupted() {
    const lab = await labOf('antrea-reboot', {pace: {stepMs: 5, timeScale: 1, cutMs: 40, retryMs: 1000}});
    const plan = lab.plan(steps);
    await lab.start(plan);
    lab.cluster.simulation.happen('win-1', 'reboot');
    const again = await Lab.onto(lab);
    expect(await again.ask({request: 'plan.status'})).toMatchObject([{id: plan.id, state: 'interrupted'}]);
    return {lab: again, plan};
  }

  it('after a power loss is interrupted, and continues where it was', async () => {
    const {lab, plan} = await interrupted();
    lab.sim.change(() => {
      for (const row of lab.rows('services')) if (row.Name === 'ovs-vswitchd') row.State = 'Running';
    });
    expect(await lab.ask({request: 'plan.resume', id: plan.id})).toMatchObject([{state: 'running'}]);
    const journal = await lab.followed(plan);
    expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    expect(journal.filter(({event}) => event === 'plan.begin')).toMatchObject([{mode: 'run'}, {mode: 'resume'}]);
    expect(journal.filter(entry => entry.event === 'step.end' && entry.step === 0)).toHaveLength(1);
  });

  it('can be rolled back, and then not be resumed', async () => {
    const {lab, plan} = await interrupted();
    await lab.ask({request: 'plan.rollback', id: plan.id});
    await lab.followed(plan);
    expect(await lab.ask({request: 'plan.status', id: plan.id})).toMatchObject([{state: 'rolledBack'}]);
    expect(await lab.ask({request: 'plan.resume', id: plan.id})).toMatchObject([{kind: 'Blocked'}]);
  });
});
