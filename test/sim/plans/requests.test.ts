import {createHash, randomUUID} from 'node:crypto';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {journalEntry, planOnNode, stepCheck} from '../../../src/model/plan.js';
import type {PlanStep} from '../../../src/model/step.js';
import {setRows} from '../../../src/sim/node/state.js';
import {collect} from '../support.js';
import {eventsOf, Lab} from './lab.js';

let lab: Lab;

beforeAll(async () => {
  lab = await Lab.start('antrea-reboot');
});
afterAll(() => lab[Symbol.asyncDispose]());

const there: PlanStep = {do: 'wait.until', with: {until: 'service', name: 'ovsdb-server', state: 'Running'}};
/** Runs until the service is started. */
const gate: PlanStep = {
  do: 'wait.until',
  with: {until: 'service', name: 'ovs-vswitchd', state: 'Running'},
  timeoutSeconds: 900,
};
const removePid: PlanStep = {
  do: 'file.remove',
  with: {path: 'C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid'},
};

function openGate(): void {
  lab.sim.change(state => {
    for (const row of lab.rows('services')) if (row.Name === 'ovs-vswitchd') row.State = 'Running';
    state.sections.services = lab.rows('services');
  });
}

describe('a plan on a simulated node', () => {
  it('runs by itself, journals every step before and after, and is reported by all requests', async () => {
    const plan = lab.plan([removePid, gate, there]);
    expect(planOnNode.parse(await lab.start(plan))).toMatchObject({id: plan.id, state: 'running', steps: 3});
    const [busy] = await lab.ask({request: 'plan.start', plan: plan.text, hash: plan.hash});
    expect(busy).toMatchObject({type: 'error', kind: 'Busy'});
    openGate();
    const journal = await lab.followed(plan);
    expect(journal.map(({seq}) => seq)).toEqual(journal.map((_, index) => index + 1));
    for (const entry of journal) journalEntry.parse(entry);
    expect(eventsOf(journal)).toEqual([
      'plan.begin',
      'step.begin',
      'step.end',
      'step.begin',
      'step.end',
      'step.begin',
      'step.end',
      'plan.end',
    ]);
    expect(journal[0]).toMatchObject({mode: 'run', hash: plan.hash});
    expect(journal.filter(({event}) => event === 'step.end')).toMatchObject([
      {outcome: 'done', step: 0},
      {outcome: 'done', step: 1},
      {outcome: 'already', step: 2},
    ]);
    const later = await lab.ask({request: 'plan.follow', id: plan.id, from: 7});
    expect(later).toEqual(journal.slice(6));
    expect(await lab.ask({request: 'plan.status', id: plan.id})).toMatchObject([
      {type: 'plan', state: 'succeeded', done: 3, lastSeq: 8},
    ]);
    const [section] = await lab.ask(collect(['plans']));
    expect(section?.data).toMatchObject([{id: plan.id, state: 'succeeded', journal}]);
  });

  it('is checked without a change: each step is ready, already reached, or blocked, with the reason', async () => {
    const before = structuredClone(lab.sim.state);
    const {id, text, hash} = lab.plan([
      {do: 'ovs.deleteBridge', with: {bridge: 'br-int'}},
      there,
      {do: 'service.start', with: {name: 'no such service'}},
      {do: 'file.remove', with: {path: 'C:\\Windows\\System32\\drivers\\etc\\hosts'}},
    ]);
    const [answer] = await lab.ask({request: 'plan.check', plan: text, hash});
    expect(answer).toMatchObject({type: 'plan', id});
    const checks = ((answer?.check ?? []) as unknown[]).map(check => stepCheck.parse(check));
    expect(checks.map(({outcome}) => outcome)).toEqual(['ready', 'already', 'blocked', 'blocked']);
    expect(checks[3]?.message).toContain('not among the files that a plan may remove');
    expect(lab.sim.state).toEqual(before);
    expect(await lab.ask({request: 'plan.status', id})).toMatchObject([{kind: 'NotFound'}]);
  });

  it('does not remove a switch that a network of another name uses', async () => {
    await using own = await Lab.start('antrea-healthy');
    own.sim.change(state => {
      const {Id} = own.rows('vmSwitches').find(({Name}) => Name === 'antrea-hnsnetwork') ?? {};
      const [first, ...others] = own.rows('hnsNetworks');
      setRows(state, 'hnsNetworks', [{...first, Name: 'second', LayeredOn: String(Id).toUpperCase()}, ...others]);
    });
    const {text, hash} = own.plan([{do: 'vswitch.remove', with: {name: 'antrea-hnsnetwork'}}]);
    const [answer] = await own.ask({request: 'plan.check', plan: text, hash});
    expect(answer?.check).toMatchObject([{outcome: 'blocked', message: 'HNS network second still uses the switch.'}]);
  });

  it('is refused if it was altered, is for another node, has an unknown step, or comes twice', async () => {
    const {text, hash} = lab.plan([there]);
    const other = lab.plan([there], {node: 'win-2'});
    const odd = text.replace('wait.until', 'run.anything');
    const oddHash = createHash('sha256').update(odd).digest('hex');
    const refused = async (plan: string, its: string) => (await lab.ask({request: 'plan.start', plan, hash: its}))[0];
    expect(await refused(text.replace('Clean', 'clean'), hash)).toMatchObject({kind: 'BadRequest'});
    expect(await refused(other.text, other.hash)).toMatchObject({
      kind: 'BadRequest',
      message: expect.stringContaining('win-2'),
    });
    expect(await refused(odd, oddHash)).toMatchObject({kind: 'BadRequest'});
    const twice = lab.plan([there]);
    await lab.runPlan(twice);
    expect(await refused(twice.text, twice.hash)).toMatchObject({kind: 'Busy'});
  });

  it('that ended is not resumed, and an unknown one is not found', async () => {
    const plan = lab.plan([there]);
    await lab.runPlan(plan);
    for (const request of ['plan.resume', 'plan.rollback']) {
      expect(await lab.ask({request, id: plan.id})).toMatchObject([{kind: 'Blocked'}]);
      expect(await lab.ask({request, id: randomUUID()})).toMatchObject([{kind: 'NotFound'}]);
    }
    expect(await lab.ask({request: 'plan.follow', id: plan.id, from: 0})).toMatchObject([{kind: 'BadRequest'}]);
    expect(await lab.ask({request: 'plan.status', id: 'x'})).toMatchObject([{kind: 'BadRequest'}]);
  });

  it('is pruned after it has ended, and a failed one only after it was handled', async () => {
    const good = lab.plan([there]);
    const bad = lab.plan([{do: 'service.start', with: {name: 'no such service'}}]);
    await lab.runPlan(good);
    expect((await lab.runPlan(bad)).at(-1)).toMatchObject({event: 'plan.end', outcome: 'failed'});
    expect(await lab.ask({request: 'plan.prune', olderThanDays: 1})).toEqual([]);
    const pruned = await lab.ask({request: 'plan.prune', olderThanDays: 0});
    expect(pruned).toContainEqual(expect.objectContaining({id: good.id, pruned: true}));
    const left = await lab.ask({request: 'plan.status'});
    expect(left.map(({id, state}) => [id, state])).toEqual([[bad.id, 'failed']]);
  });
});
