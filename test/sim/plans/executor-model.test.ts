import {setTimeout as delay} from 'node:timers/promises';
import {describe, expect, it} from 'vitest';
import {inParallel} from '../../../src/lib/in-parallel.js';
import type {JournalEntry} from '../../../src/model/plan.js';
import type {RepairPlan} from '../../../src/model/repair-plan.js';
import type {NodeState} from '../../../src/sim/node/state.js';
import {planRequests} from '../../../src/sim/plans/requests.js';
import {antreaAsService} from '../../repair/scenes.js';
import {type Patient, patient} from '../../repair/support.js';
import {Bench} from './guard-matrix.js';

// The executor of plans as a model: every point at which it can be interrupted, then every choice of the user, and
// once more. Any order must end in the same few states.

const whole = process.env.KUBECTL_WIN_MODEL === 'whole';
const patients: Record<string, Patient> = {
  Antrea: patient('01-antrea-healthy'),
  ...(whole && {
    'Antrea, agent as a service': antreaAsService('01-antrea-healthy'),
    'Kube-OVN': patient('04-kube-ovn-healthy'),
    'Flannel overlay': patient('06-flannel-overlay-healthy', 'fl-win-a'),
    Calico: patient('09-calico-vxlan-healthy', 'cal-win-1'),
  }),
};

type Choice = 'resume' | 'rollback' | 'guard';
const choices: readonly Choice[] = ['resume', 'rollback', 'guard'];

/** A crash after this many changes, and the response. */
interface Turn {
  readonly crashAt: number;
  readonly reboots: boolean;
  readonly choice: Choice;
}

const ended = async (bench: Bench) => {
  for (const until = Date.now() + 8000; bench.live.plans.disk.running !== undefined && Date.now() < until; )
    await delay(2);
};

/** Lets a process continue until it has made this many changes, and kills it; false if it ended before. */
async function crash(bench: Bench, {crashAt, reboots}: Turn): Promise<boolean> {
  const from = bench.changes;
  const reached = Promise.withResolvers<boolean>();
  bench.onChange = () => {
    if (bench.changes - from >= crashAt) reached.resolve(true);
  };
  if (crashAt === 0) reached.resolve(true);
  const crashed = await Promise.race([reached.promise, ended(bench).then(() => false)]);
  if (crashed) await bench.kill(reboots);
  bench.onChange = () => {};
  return crashed;
}

/** Whether the node started it; it may refuse. */
async function choose(bench: Bench, id: string, choice: Choice, rebooted: boolean): Promise<boolean> {
  if (choice === 'guard') return false;
  // The agent of the bench recreates the whole network at once. After a boot OVS is down, and no agent could.
  bench.agentIsDead = rebooted;
  try {
    const question = {request: {id}, reply: async () => {}, signal: new AbortController().signal};
    await planRequests[`plan.${choice}`]?.(bench.live.plans, question);
    return true;
  } catch {
    return false;
  }
}

async function play(
  state: NodeState,
  plan: RepairPlan,
  turns: readonly Turn[],
): Promise<{crashes: number; wrong: string[]}> {
  const bench = new Bench(state, plan);
  const folder = bench.start(plan);
  let crashes = 0;
  let last: Choice | undefined;
  let rebooted = false;
  for (const turn of turns) {
    if (!(await crash(bench, turn))) break;
    crashes += 1;
    rebooted ||= turn.reboots;
    last = (await choose(bench, plan.id, turn.choice, rebooted)) ? turn.choice : undefined;
  }
  await ended(bench);
  const {journal} = folder;
  const isReachable = await bench.settled();
  const {state: outcome} = bench.live.plans.disk.status(folder);
  return {
    crashes,
    wrong: [
      ...(isReachable ? [] : ['the node is not reachable']),
      ...wrongIn(journal, plan, outcome, rebooted ? undefined : last),
    ],
  };
}

function wrongIn(
  journal: readonly JournalEntry[],
  {steps}: RepairPlan,
  outcome: string,
  last: Choice | undefined,
): string[] {
  const undone = journal.findIndex(({event}) => event === 'undo.begin');
  const begun = journal.findLastIndex(({event}) => event === 'step.begin');
  const done = new Set(journal.flatMap(entry => (entry.event === 'step.end' ? [entry.step] : [])));
  return [
    ...(outcome === 'running' ? ['somebody still works on it'] : []),
    ...(journal.some(({seq}, index) => seq !== index + 1) ? ['the journal has gaps'] : []),
    ...(undone >= 0 && begun > undone ? ['a step was begun after the undo had begun'] : []),
    ...(outcome === 'succeeded' && done.size !== steps.length ? ['it succeeded without all of its steps'] : []),
    ...(outcome === 'succeeded' && undone >= 0 ? ['it succeeded although it was undone'] : []),
    // After a boot, something that an undo needs may be missing: then it reports that, and the node is still reachable.
    ...(last === 'rollback' && outcome !== 'rolledBack' ? [`a rollback ended as ${outcome}`] : []),
  ];
}

async function explore(one: Patient) {
  const plan = one.plan({level: 'hard', force: true});
  const state = () => structuredClone(one.scenario.document.nodes[plan.node]) as NodeState;
  const turnsAt = (crashAt: number, reboots: boolean) => choices.map((choice): Turn => ({crashAt, reboots, choice}));
  const wrong: string[] = [];
  let [runs, twice] = [0, 0];
  const tryOut = async (turns: readonly Turn[]): Promise<number> => {
    const result = await play(state(), plan, turns);
    runs += 1;
    if (result.crashes === 2) twice += 1;
    for (const text of result.wrong) wrong.push(`${JSON.stringify(turns)}: ${text}`);
    return result.crashes;
  };
  const reboots = whole ? [false, true] : [false];
  const firsts: Turn[] = [];
  // A crash after the end does not happen: then all points have been tested.
  for (let at = 0; (await tryOut([{crashAt: at, reboots: false, choice: 'guard'}])) === 1; at += 1)
    firsts.push(...reboots.flatMap(reboot => turnsAt(at, reboot)));
  await inParallel(firsts, 16, async first => {
    if ((await tryOut([first])) === 0 || first.choice === 'guard') return;
    for (const reboot of reboots) {
      for (let at = 0; ; at += 1) {
        const crashes = await inParallel(turnsAt(at, reboot), 3, second => tryOut([first, second]));
        if (crashes.every(count => count < 2)) break;
      }
    }
  });
  return {points: firsts.length / choices.length / reboots.length, runs, twice, wrong};
}

describe('the executor of plans, interrupted up to twice', () => {
  it.each(Object.entries(patients))(
    '%s: ends reachable, with a correct journal, for any choice of the user',
    async (name, one) => {
      const {points, runs, twice, wrong} = await explore(one);
      process.stdout.write(
        `${name}: ${points} crash points, ${runs} runs, ${twice} with two crashes, ${wrong.length} wrong\n`,
      );
      expect(wrong).toEqual([]);
      expect(twice).toBeGreaterThan(points);
    },
    900_000,
  );
});
