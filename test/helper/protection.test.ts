import {spawn, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {appendFileSync, existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import {bootStatus} from '../../src/model/boot-plan.js';
import {isAlive} from '../../src/sim/windows/lock.mjs';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {journalOf, planFolder, planOf, runPlan, store} from './plans.js';
import {type Answer, ask, describeHelper, machineFor, nodeOf, pwsh} from './powershell.js';
import {rows} from './state.js';

const machines: WindowsMachine[] = [];
function made(node = nodeOf('04-kube-ovn-healthy'), name = 'win-1'): WindowsMachine {
  const machine = machineFor(node, undefined, name);
  machines.push(machine);
  return machine;
}
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const request = (name: string, more: object = {}) => ({protocol: 1, request: name, deadlineMs: 240_000, ...more});
const refusalIn = ({messages}: Answer) => messages.find(({type}) => type === 'error');
const data = (machine: WindowsMachine, ...names: string[]) =>
  join(machine.drive, 'ProgramData', 'kubectl-win', ...names);
const stop = {do: 'service.stop', with: {name: 'ovn-controller'}} as const;

const bootText = JSON.stringify({
  apiVersion: 'kubectl-win/v1',
  kind: 'BootPlan',
  node: 'kovn-win-1',
  title: 'Kube-OVN on kovn-win-1: repair the network after a boot',
  createdAt: '2026-03-12T08:00:00.000Z',
  unless: [{until: 'hnsNetwork', name: 'kube-ovn', present: true}],
  settleSeconds: 1,
  steps: [stop],
  deadMan: {address: '192.168.96.31', apiServer: '127.0.0.1:1', withinSeconds: 5},
});
const bootPlan = {plan: bootText, hash: createHash('sha256').update(bootText).digest('hex')};

describeHelper('what SYSTEM runs', () => {
  it.each([
    ['the data root', []],
    ['the folder of plans', ['plans']],
  ])('is not stored in a folder if an ordinary user created %s', async (_, names) => {
    const machine = made();
    const plan = planOf([stop]);
    const environment = {KUBECTL_WIN_FOREIGN: data(machine, ...names)};
    const answer = await ask(machine, request('plan.start', {plan: plan.text, hash: plan.hash}), {environment});
    expect(refusalIn(answer)).toMatchObject({
      kind: 'Blocked',
      message: expect.stringMatching(/kubectl-win\S* belongs to S-1-5-21-\S+, not to SYSTEM or Administrators/),
    });
    expect(existsSync(planFolder(machine, plan.id))).toBe(false);
    expect(rows(machine.read(), 'scheduledTasks').map(({TaskName}) => TaskName)).not.toContain(
      `kubectl-win-${plan.id}`,
    );
  });

  it('is in folders that are closed to others, and the task runs only the stored script', async () => {
    const machine = made(undefined, 'kovn-win-1');
    expect(bootStatus.parse((await ask(machine, request('boot.set', bootPlan))).messages[1])).toMatchObject({
      set: true,
    });
    if (process.platform !== 'win32') {
      const closed = readFileSync(`${machine.stateFile}.icacls`, 'utf8');
      for (const folder of [data(machine), data(machine, 'plans'), data(machine, 'boot')]) {
        expect(closed).toContain(`${folder} /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F`);
      }
    }
    const [task] = rows(machine.read(), 'scheduledTasks').filter(({TaskName}) => TaskName === 'kubectl-win-boot');
    const command = /-Command "([^"]+)"$/.exec(String(task?.Argument))?.[1] ?? '';
    expect(command).toContain('-Boot -PlanHash');
    appendFileSync(data(machine, 'boot', 'helper.ps1'), '\n[System.IO.File]::WriteAllText("changed", "")\n');
    const {status} = spawnSync(pwsh ?? '', ['-NoProfile', '-NonInteractive', '-Command', command], {
      cwd: machine.folder,
      env: {...process.env, ...machine.environment},
    });
    expect(status).toBe(86);
    expect(existsSync(join(machine.folder, 'changed'))).toBe(false);
  });
});

describeHelper('a task', () => {
  it('that does not start in time is stopped before it is unregistered, so it never starts later', async () => {
    const machine = made();
    const plan = planOf([stop]);
    const environment = {KUBECTL_WIN_TASK_DELAY: '200'};
    const answer = await ask(machine, request('plan.start', {plan: plan.text, hash: plan.hash}), {environment});
    expect(refusalIn(answer)).toMatchObject({
      message: `Scheduled task kubectl-win-${plan.id} did not start within 45 s.`,
    });
    const pid = Number(readFileSync(`${machine.stateFile}.kubectl-win-${plan.id}.log.pid`, 'utf8'));
    await expect.poll(() => isAlive(pid), {timeout: 30_000}).toBe(false);
    expect(journalOf(machine, plan.id)).toEqual([]);
  });

  it('waits for a lock that a reader holds temporarily', async () => {
    const machine = made();
    const plan = planOf([stop]);
    store(machine, plan);
    const lock = join(planFolder(machine, plan.id), 'lock');
    const hold = `$held = [System.IO.File]::Open('${lock}', 'OpenOrCreate', 'ReadWrite', 'None'); Start-Sleep -Seconds 120`;
    const reader = spawn(pwsh ?? '', ['-NoProfile', '-NonInteractive', '-Command', hold]);
    await expect.poll(() => existsSync(lock), {timeout: 30_000}).toBe(true);
    const {ended} = runPlan(machine, plan, 'Run');
    // Time for the task to start and find the lock.
    setTimeout(() => reader.kill(), 15_000);
    await ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
  });
});

describeHelper('at a boot', () => {
  it('HNS that does not answer is not a missing network: nothing is done, and the reason is reported', async () => {
    const node = nodeOf('04-kube-ovn-healthy');
    node.errors.hnsNetworks = {kind: 'Failed', message: 'The RPC server is unavailable.'};
    const machine = made(node, 'kovn-win-1');
    await ask(machine, request('boot.set', bootPlan));
    await ask(machine, '', {parameters: ['-Boot', '-PlanHash', bootPlan.hash]});
    const status = bootStatus.parse((await ask(machine, request('boot.status'))).messages[1]);
    expect(status.last).toMatchObject({
      outcome: 'blocked',
      message: expect.stringContaining('HNS refused GET /networks: The RPC server is unavailable.'),
    });
    const services = rows(machine.read(), 'services');
    expect(services.find(({Name}) => Name === 'ovn-controller')).toMatchObject({State: 'Running'});
  });
});
