import {setImmediate as nextTurn} from 'node:timers/promises';
import {describe, expect, it} from 'vitest';
import type {JournalEntry} from '../../../src/model/plan.js';
import type {RepairPlan} from '../../../src/model/repair-plan.js';
import type {NodeState} from '../../../src/sim/node/state.js';
import {antreaAsService, antreaWithOvsInPod, flannelAsService} from '../../repair/scenes.js';
import {type Patient, patient} from '../../repair/support.js';
import {Bench} from './guard-matrix.js';

/** Every plugin with a hard plan, in every kind of installation that changes the plan. */
const patients: Record<string, Patient> = {
  Antrea: patient('01-antrea-healthy'),
  'Antrea, agent as a service': antreaAsService('01-antrea-healthy'),
  'Antrea, OVS in its pod': antreaWithOvsInPod('01-antrea-healthy'),
  'Antrea, extension off': patient('03-antrea-ovs-extension-off'),
  'Kube-OVN, static address': patient('04-kube-ovn-healthy'),
  'Kube-OVN, leased address': patient('05-kube-ovn-annotation-no-adapter'),
  'Flannel overlay': patient('06-flannel-overlay-healthy', 'fl-win-a'),
  'Flannel overlay, services': flannelAsService(),
  'Flannel host-gw': patient('08-flannel-host-gw-after-reboot', 'hg-win-1'),
  Calico: patient('09-calico-vxlan-healthy', 'cal-win-1'),
  'Azure CNI': patient('11-azure-cni-after-reboot'),
  'OVN hybrid overlay': patient('12-hybrid-overlay-network-missing'),
};

const nodeOf = (one: Patient, {node}: RepairPlan): NodeState =>
  structuredClone(one.scenario.document.nodes[node]) as NodeState;

/** `at`: the number of changes before the plan is killed. `told`: whether it could still record the last one. */
interface Accident {
  at: number;
  told: boolean;
  reboots: boolean;
  full: boolean;
}

interface Result {
  runs: number;
  cutOff: number;
  reachable: number;
  lost: (Accident & {last: JournalEntry | undefined})[];
}

async function changesOf(state: NodeState, plan: RepairPlan): Promise<number> {
  const bench = new Bench(state, plan);
  const {journal} = bench.start(plan);
  await expect.poll(() => journal.at(-1)?.event, {timeout: 10_000}).toBe('plan.end');
  expect(journal.at(-1), `${plan.title} ${JSON.stringify(journal.at(-1))}`).toMatchObject({
    event: 'plan.end',
    outcome: 'succeeded',
  });
  expect(await bench.settled()).toBe(true);
  return bench.changes;
}

async function survive(
  state: NodeState,
  plan: RepairPlan,
  accident: Accident,
): Promise<{cutOff: boolean; ok: boolean; last: JournalEntry | undefined}> {
  const bench = new Bench(state, plan);
  const killed = new Promise<void>(resolve => {
    bench.onChange = () => {
      // The disk is full from the first interruption on; the guard is registered right before.
      const isGuard = bench.changes === 1 || !bench.hasGuard;
      if (accident.full && !isGuard) bench.live.plans.disk.full = true;
      if (bench.changes < accident.at) return;
      if (accident.told) setImmediate(resolve);
      else resolve();
      if (!accident.told) bench.live.plans.kill();
    };
  });
  const {journal} = bench.start(plan);
  if (accident.at > 0) await killed;
  else await nextTurn();
  const cutOff = await bench.kill(accident.reboots);
  const ok = await bench.settled();
  return {cutOff, ok, last: journal.at(-1)};
}

async function matrix(one: Patient): Promise<Result> {
  const plan = one.plan({level: 'hard', force: true});
  const state = nodeOf(one, plan);
  const result: Result = {runs: 0, cutOff: 0, reachable: 0, lost: []};
  const changes = await changesOf(state, plan);
  for (let at = 0; at <= changes; at += 1) {
    for (const told of at === 0 ? [true] : [true, false]) {
      for (const reboots of [false, true]) {
        for (const full of [false, true]) {
          const accident = {at, told, reboots, full};
          const {cutOff, ok, last} = await survive(state, plan, accident);
          result.runs += 1;
          if (cutOff) result.cutOff += 1;
          if (ok) result.reachable += 1;
          else result.lost.push({...accident, last});
        }
      }
    }
  }
  return result;
}

describe('a hard plan whose process is killed after every single change', () => {
  it('leaves no node unreachable: its guard alone restores it, through reboots and full disks', async () => {
    const results = new Map<string, Result>();
    for (const [name, one] of Object.entries(patients)) results.set(name, await matrix(one));
    const sum = (pick: (result: Result) => number) => [...results.values()].reduce((all, its) => all + pick(its), 0);
    const line = (name: string, ...cells: unknown[]) =>
      name.padEnd(30) + cells.map(cell => String(cell).padStart(14)).join('');
    const table = [
      line('hard plan of', 'runs', 'cut off', 'reachable', 'not reachable'),
      ...[...results].map(([name, its]) => line(name, its.runs, its.cutOff, its.reachable, its.lost.length)),
      line(
        'all',
        sum(its => its.runs),
        sum(its => its.cutOff),
        sum(its => its.reachable),
        sum(its => its.lost.length),
      ),
    ];
    process.stdout.write(`\n${table.join('\n')}\n\n`);
    expect(Object.fromEntries([...results].map(([name, {lost}]) => [name, lost]))).toEqual(
      Object.fromEntries([...results].map(([name]) => [name, []])),
    );
    // Without a guard all of these would stay unreachable.
    expect(sum(its => its.cutOff)).toBeGreaterThan(50);
  }, 300_000);
});
