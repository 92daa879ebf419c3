import {createHash} from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {close, journalOf, type PlanText, planFolder, planOf, runPlan, store} from './plans.js';
import {type Answer, ask, collect, describeHelper, dumpOf, machineFor, nodeOf} from './powershell.js';
import {rows} from './state.js';

// Every user of a Windows node may create C:\ProgramData\kubectl-win before the helper does, with plans, journals, locks and
// scripts in it. SYSTEM must neither trust them nor write through them.

const machines: WindowsMachine[] = [];
function made(): WindowsMachine {
  const machine = machineFor(nodeOf('04-kube-ovn-healthy'), undefined, 'kovn-win-1');
  machines.push(machine);
  return machine;
}
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const stop = {do: 'service.stop', with: {name: 'ovn-controller'}} as const;
const request = (name: string, more: object = {}) => ({protocol: 1, request: name, deadlineMs: 240_000, ...more});
const refusalIn = ({messages}: Answer) => messages.find(({type}) => type === 'error');
const dataRoot = (machine: WindowsMachine) => dirname(dirname(planFolder(machine, 'x')));
const isRunning = (machine: WindowsMachine) =>
  rows(machine.read(), 'services').find(({Name}) => Name === 'ovn-controller')?.State === 'Running';
const filesBelow = (folder: string) => readdirSync(folder, {recursive: true, encoding: 'utf8'}).sort();

const bootText = JSON.stringify({
  apiVersion: 'kubectl-win/v1',
  kind: 'BootPlan',
  node: 'kovn-win-1',
  title: 'Repair the network after a boot',
  createdAt: '2026-03-12T08:00:00.000Z',
  unless: [{until: 'hnsNetwork', name: 'gone', present: true}],
  settleSeconds: 1,
  steps: [stop],
  deadMan: {address: '192.168.96.31', apiServer: '127.0.0.1:1', withinSeconds: 5},
});
const bootHash = createHash('sha256').update(bootText).digest('hex');

/** A plan, its journal, a boot plan and an audit log, as someone may have prepared them. */
function forge(machine: WindowsMachine): PlanText {
  const plan = planOf([stop], {node: 'kovn-win-1'});
  store(machine, plan);
  const begun = {
    type: 'journal',
    plan: plan.id,
    seq: 1,
    at: '2026-03-03T10:41:08Z',
    event: 'plan.begin',
    mode: 'run',
    hash: plan.hash,
  };
  writeFileSync(join(planFolder(machine, plan.id), 'journal.ndjson'), `${JSON.stringify(begun)}\n`);
  const boot = join(dataRoot(machine), 'boot');
  mkdirSync(boot);
  close(boot);
  writeFileSync(join(boot, 'plan.json'), bootText);
  writeFileSync(join(boot, 'helper.ps1'), readFileSync(machine.helper));
  writeFileSync(join(dataRoot(machine), 'audit.log'), '{"what":"step","user":"forged"}\n');
  return plan;
}

const unsafe: Record<string, (machine: WindowsMachine) => Record<string, string>> = {
  'belongs to another user': machine => ({KUBECTL_WIN_FOREIGN: dataRoot(machine)}),
  'is open to other users': machine => {
    chmodSync(dataRoot(machine), 0o755);
    return {};
  },
  'is a link': machine => {
    const elsewhere = join(machine.folder, 'elsewhere');
    renameSync(dataRoot(machine), elsewhere);
    symlinkSync(elsewhere, dataRoot(machine));
    return {};
  },
};

/** All requests that read the folder or write to it. */
const requestsAbout = (id: string) => [
  request('plan.status'),
  request('plan.follow', {id, from: 1}),
  request('plan.prune', {olderThanDays: 0}),
  request('audit.read'),
  request('boot.status'),
  request('boot.remove'),
];

describeHelper('a data root that another user can change', () => {
  it.each(Object.entries(unsafe))(
    'because it %s is neither read nor written, by requests or by tasks',
    async (reason, prepare) => {
      const machine = made();
      const plan = forge(machine);
      const environment = prepare(machine);
      const before = filesBelow(dataRoot(machine));
      const all = requestsAbout(plan.id);
      for (const asked of reason === 'belongs to another user' ? all : all.slice(0, 1))
        expect(refusalIn(await ask(machine, asked, {environment})), asked.request).toMatchObject({kind: 'Blocked'});
      const {sections, errors} = dumpOf(await ask(machine, collect(['plans']), {environment}));
      expect(sections.plans).toBeUndefined();
      expect(errors.plans?.message).toContain(
        `kubectl-win ${reason === 'belongs to another user' ? 'belongs to S-1-5-21-' : reason}`,
      );

      expect(await runPlan(machine, plan, 'Rollback', environment).ended).toMatch(/kubectl-win/);
      await ask(machine, '', {parameters: ['-Guard', plan.id, '-PlanHash', plan.hash], environment});
      await ask(machine, '', {parameters: ['-Boot', '-PlanHash', bootHash], environment});
      expect(journalOf(machine, plan.id)).toHaveLength(1);
      expect(isRunning(machine)).toBe(true);
      // Not even a lock or a result, which would be written through a link.
      expect(filesBelow(dataRoot(machine))).toEqual(before);
    },
  );

  it('is closed by a rollback where an administrator owns it, before the journal is trusted', async () => {
    const machine = made();
    const {id} = forge(machine);
    const folder = planFolder(machine, id);
    chmodSync(folder, 0o755);
    const journal = join(folder, 'journal.ndjson');
    const forged = await ask(machine, request('plan.status'));
    expect(refusalIn(forged)).toMatchObject({
      kind: 'Blocked',
      message: expect.stringContaining('is open to other users'),
    });
    close(folder);
    const environment = {KUBECTL_WIN_FOREIGN: journal};
    for (const name of ['plan.resume', 'plan.rollback']) {
      expect(refusalIn(await ask(machine, request(name, {id}), {environment}))).toMatchObject({
        kind: 'Blocked',
        message: expect.stringMatching(/journal\.ndjson belongs to S-1-5-21-/),
      });
    }
    expect(journalOf(machine, id)).toHaveLength(1);
  });

  it('is closed once: a folder that is closed already is not opened again by a reset of its access list', async () => {
    const machine = made();
    const asked = () =>
      ask(machine, request('boot.set', {plan: bootText, hash: bootHash, user: 'alice', context: 'prod'}));
    expect(refusalIn(await asked())).toBeUndefined();
    const log = `${machine.stateFile}.icacls`;
    if (process.platform === 'win32') return;
    const first = readFileSync(log, 'utf8');
    expect(first).not.toContain('/reset');
    expect(
      first
        .trim()
        .split('\n')
        .every(line => line.includes('/L')),
    ).toBe(true);
    expect(refusalIn(await asked())).toBeUndefined();
    expect(readFileSync(log, 'utf8')).toBe(first);
  });
});

describeHelper('a task with the name of the boot task in another folder of Task Scheduler', () => {
  it('is not taken for it', async () => {
    const machine = made();
    const foreign = {TaskName: 'kubectl-win-boot', TaskPath: '\\someone\\', State: 'Ready'};
    machine.change(state => ({
      ...state,
      sections: {...state.sections, scheduledTasks: [...rows(state, 'scheduledTasks'), foreign]},
    }));
    forge(machine);
    expect((await ask(machine, request('boot.status'))).messages[1]).toMatchObject({set: false});
    expect(refusalIn(await ask(machine, request('boot.remove')))).toBeUndefined();
    expect(existsSync(join(dataRoot(machine), 'boot'))).toBe(false);
    expect(rows(machine.read(), 'scheduledTasks')).toContainEqual(expect.objectContaining(foreign));
  });
});
