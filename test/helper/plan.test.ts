import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import {planOnNode} from '../../src/model/plan.js';
import type {PlanStep} from '../../src/model/step.js';
import {hostPath} from '../../src/sim/windows/disk.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {eventually} from '../eventually.js';
import {deadMan, everyStep, nodeForEveryStep} from './every-step.js';
import {
  addGates,
  cutAt,
  gate,
  journalOf,
  openGate,
  type PlanText,
  planFolder,
  planOf,
  runPlan,
  store,
} from './plans.js';
import {type Answer, ask, collect, describeHelper, dumpOf, machineFor} from './powershell.js';
import {essence, onPlainNic, rows, withoutAgentParts} from './state.js';

const machines: WindowsMachine[] = [];
const made = (...parameters: Parameters<typeof machineFor>): WindowsMachine => {
  const machine = machineFor(...parameters);
  machines.push(machine);
  return machine;
};
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const minutes = 60_000;
const request = (name: string, more: object) => ({protocol: 1, request: name, deadlineMs: 4 * minutes, ...more});
const withPlan = ({text, hash}: PlanText) => ({plan: text, hash});
const planLines = ({messages}: Answer) => messages.filter(({type}) => type === 'plan');
const refusal = ({messages}: Answer) => messages.find(message => message.type === 'error');

async function ended(machine: WindowsMachine, id: string): Promise<void> {
  await eventually('the end of the plan', () => journalOf(machine, id).at(-1)?.event === 'plan.end');
  await eventually('a machine that is done', () => !machine.isBusy());
}

describeHelper('a plan', () => {
  it(
    'leaves a trail in the audit log, with user, context, plan and hash, which the helper returns',
    async () => {
      const machine = made(nodeForEveryStep());
      const plan = planOf([{do: 'service.restart', with: {name: 'flanneld'}}], {
        createdBy: 'alice (cluster-admin)',
        context: 'production',
      });
      expect(refusal(await ask(machine, request('plan.start', withPlan(plan))))).toBeUndefined();
      await ended(machine, plan.id);
      const {messages, whole} = await ask(machine, request('audit.read', {}));
      const trail = messages.filter(({type}) => type === 'audit');
      const whose = {user: 'alice (cluster-admin)', context: 'production', plan: plan.id, hash: plan.hash};
      expect(trail).toMatchObject([
        {...whose, what: 'plan.run'},
        {...whose, what: 'step', do: 'service.restart', with: {name: 'flanneld'}},
        {...whose, what: 'plan.end', outcome: 'succeeded'},
      ]);
      expect(whole).toBe(true);
    },
    4 * minutes,
  );

  it(
    'has in the audit log what failed in the middle, and the user who rolls it back',
    async () => {
      const node = nodeForEveryStep();
      node.errors['Start-Service'] = {kind: 'Failed', message: 'Der Vorgang wurde abgelehnt.'};
      const machine = made(node);
      const plan = planOf([{do: 'service.restart', with: {name: 'flanneld'}}], {
        createdBy: 'alice',
        context: 'production',
      });
      await ask(machine, request('plan.start', withPlan(plan)));
      await ended(machine, plan.id);
      await ask(machine, request('plan.rollback', {id: plan.id, user: 'bob (admin)', context: 'staging'}));
      await endedWith(machine, plan.id, 'rolledBack');
      const {messages} = await ask(machine, request('audit.read', {}));
      const [alice, bob] = [
        {user: 'alice', context: 'production', plan: plan.id, hash: plan.hash},
        {user: 'bob (admin)', context: 'staging', plan: plan.id, hash: plan.hash},
      ];
      expect(messages.filter(({type}) => type === 'audit')).toMatchObject([
        {...alice, what: 'plan.run'},
        {...alice, what: 'step', do: 'service.restart', with: {name: 'flanneld'}},
        {...alice, what: 'step.failed', do: 'service.restart', message: expect.stringContaining('abgelehnt')},
        {...alice, what: 'plan.end', outcome: 'failed'},
        {...bob, what: 'plan.rollback'},
        {...bob, what: 'plan.end', outcome: 'rolledBack'},
      ]);
    },
    4 * minutes,
  );

  it(
    'is stored for SYSTEM and administrators only, continues in a task after the exec, and can be followed and pruned',
    async () => {
      const node = nodeForEveryStep();
      addGates(node, ['gate']);
      const machine = made(node);
      const plan = planOf([{do: 'service.restart', with: {name: 'flanneld'}}, gate('gate')]);
      const started = await ask(machine, request('plan.start', withPlan(plan)));
      expect(refusal(started)).toBeUndefined();
      expect(planOnNode.parse(planLines(started)[0])).toMatchObject({id: plan.id, state: 'running', steps: 2});

      expectOwnFolder(machine);
      const [task] = rows(machine.read(), 'scheduledTasks').filter(
        ({TaskName}) => TaskName === `kubectl-win-${plan.id}`,
      );
      expect(task).toMatchObject({User: 'S-1-5-18'});
      expect(readFileSync(join(planFolder(machine, plan.id), 'helper.ps1'))).toEqual(readFileSync(machine.helper));

      const other = planOf([{do: 'service.restart', with: {name: 'flanneld'}}]);
      const second = await ask(machine, request('plan.start', withPlan(other)));
      expect(refusal(second)).toMatchObject({kind: 'Busy'});

      openGate(machine, 'gate');
      const followed = await ask(machine, request('plan.follow', {id: plan.id, from: 2}));
      const events = followed.messages.flatMap(message => (message.type === 'journal' ? [message.event] : []));
      expect(events).toEqual(['step.begin', 'step.end', 'step.begin', 'step.end', 'plan.end']);
      expect(followed.whole).toBe(true);
      await ended(machine, plan.id);
      expect(essence(machine.read()).tasks).toEqual(essence(node).tasks);

      const {sections} = dumpOf(await ask(machine, collect(['plans'])));
      expect(sections.plans).toMatchObject([
        {id: plan.id, state: 'succeeded', done: 2, journal: journalOf(machine, plan.id)},
      ]);
      const pruned = await ask(machine, request('plan.prune', {olderThanDays: 0}));
      expect(planLines(pruned)).toMatchObject([{id: plan.id, state: 'succeeded', pruned: true}]);
      expect(existsSync(planFolder(machine, plan.id))).toBe(false);
    },
    5 * minutes,
  );

  it(
    'undoes itself if its reachability check fails, without a client',
    async () => {
      const node = nodeForEveryStep();
      // A static address does not come back by itself, and this plan has no step that restores it.
      for (const row of rows(node, 'netIPAddresses')) if (row.PrefixOrigin === 'Dhcp') row.PrefixOrigin = 'Manual';
      for (const row of rows(node, 'netIPInterfaces')) if (row.AddressFamily === 'IPv4') row.Dhcp = 'Disabled';
      const machine = made(node);
      const before = essence(machine.read());
      const cutting = everyStep(node).filter(step =>
        ['ovs.deleteBridge', 'vnic.remove', 'hns.removeNetwork'].includes(step.do),
      );
      const plan = planOf(cutting, {deadMan: {...deadMan, withinSeconds: 3}});
      await ask(machine, request('plan.start', withPlan(plan)));
      await ended(machine, plan.id);
      const journal = journalOf(machine, plan.id);
      expect(journal.find(({event}) => event === 'deadMan.end')).toMatchObject({
        outcome: 'failed',
        message: `No adapter has address ${deadMan.address}.`,
      });
      expect(journal.flatMap(entry => (entry.event === 'undo.end' ? [entry.do] : []))).toEqual(
        cutting.map(step => step.do).toReversed(),
      );
      expect(journal.at(-1)).toMatchObject({
        event: 'plan.end',
        outcome: 'rolledBack',
        message: 'The reachability check failed.',
      });
      // Its network used OVS: it ends with its plain NIC, and the agent recreates the network.
      const expected = {...withoutAgentParts(onPlainNic(before), node), ovs: {}};
      expect(withoutAgentParts(essence(machine.read()), node)).toEqual(expected);
    },
    5 * minutes,
  );

  it(
    'that was interrupted is shown as such, and is resumed or rolled back on request',
    async () => {
      const node = nodeForEveryStep();
      addGates(node, ['gate']);
      const machine = made(node);
      const before = essence(machine.read());
      const plan = planOf([
        {do: 'adapter.setBinding', with: {adapter: 'Ethernet0', componentId: 'ms_tcpip', enabled: true}},
        gate('gate'),
      ]);
      store(machine, plan);
      writeFileSync(join(planFolder(machine, plan.id), 'helper.ps1'), readFileSync(machine.helper));
      await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === 1);
      const half = join(planFolder(machine, plan.id), 'journal.ndjson');
      writeFileSync(half, `${readFileSync(half, 'utf8')}{"type":"journal","pla`);

      const status = await ask(machine, request('plan.status', {}));
      expect(planLines(status)).toMatchObject([{id: plan.id, state: 'interrupted', done: 1}]);
      const followed = await ask(machine, request('plan.follow', {id: plan.id, from: 1}));
      expect(followed.messages.at(-2)).toMatchObject({type: 'plan', state: 'interrupted'});
      const back = await ask(machine, request('plan.rollback', {id: plan.id}));
      expect(refusal(back)).toBeUndefined();
      await endedWith(machine, plan.id, 'rolledBack');
      expect(essence(machine.read())).toEqual(before);
      const again = await ask(machine, request('plan.resume', {id: plan.id}));
      expect(refusal(again)).toMatchObject({kind: 'Blocked'});
    },
    5 * minutes,
  );

  it('whose text does not match its hash is not stored, and one changed on disk is not run', async () => {
    const machine = made(nodeForEveryStep());
    const plan = planOf([{do: 'service.stop', with: {name: 'flanneld'}}]);
    const wrong = await ask(
      machine,
      request('plan.start', {plan: plan.text.replace('flanneld', 'hns'), hash: plan.hash}),
    );
    expect(refusal(wrong)).toMatchObject({kind: 'BadRequest'});
    expect(existsSync(planFolder(machine, plan.id))).toBe(false);
    store(machine, {...plan, text: plan.text.replace('flanneld', 'hns')});
    await runPlan(machine, plan, 'Run').ended;
    expect(journalOf(machine, plan.id)).toEqual([]);
    expect(rows(machine.read(), 'services').find(({Name}) => Name === 'hns')).toMatchObject({State: 'Running'});
  });

  it('stops at a blocked step, changes nothing after it, and says why', async () => {
    const node = nodeForEveryStep();
    const machine = made(node);
    const before = essence(machine.read());
    const [network] = everyStep(node).filter(step => step.do === 'hns.removeNetwork');
    if (network?.do !== 'hns.removeNetwork') throw new Error('there is no such step');
    const unaware: PlanStep = {do: 'hns.removeNetwork', with: {id: network.with.id, name: network.with.name}};
    const plan = planOf([unaware, {do: 'service.stop', with: {name: 'flanneld'}}]);
    store(machine, plan);
    await runPlan(machine, plan, 'Run').ended;
    expect(journalOf(machine, plan.id).map(({event}) => event)).toEqual(['plan.begin', 'step.failed', 'plan.end']);
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('The plan does not know of endpoints that are attached'),
    });
    expect(essence(machine.read())).toEqual(before);
  });

  it('removes only CNI files, regardless of the path notation', async () => {
    const machine = made(nodeForEveryStep());
    const at = (path: string) => hostPath(machine.drive, path);
    const write = (path: string) => {
      mkdirSync(join(at(path), '..'), {recursive: true});
      writeFileSync(at(path), 'x');
    };
    for (const path of [
      'C:\\Windows\\win.ini',
      'C:\\k\\kubelet.exe',
      'C:\\elsewhere\\secret',
      'C:\\var\\lib\\cni\\results\\a',
    ])
      write(path);
    symlinkSync(at('C:\\elsewhere'), at('C:\\var\\lib\\cni\\way-out'));
    symlinkSync(at('C:\\Windows\\win.ini'), at('C:\\var\\lib\\cni\\a-link'));
    const paths = {
      'C:\\var\\lib\\cni\\results\\a': 'ready',
      'c:\\VAR\\lib\\cni\\missing': 'already',
      'C:\\var\\lib\\cni\\way-out\\secret': 'blocked',
      'C:\\var\\lib\\cni\\a-link': 'blocked',
      'C:\\var\\lib\\cni\\results': 'blocked',
    };
    const steps = Object.keys(paths).map((path): PlanStep => ({do: 'file.remove', with: {path}}));
    const answer = await ask(machine, request('plan.check', withPlan(planOf(steps))));
    const [line] = planLines(answer) as unknown as {check: {outcome: string}[]}[];
    const outcomes = Object.fromEntries(Object.keys(paths).map((path, index) => [path, line?.check[index]?.outcome]));
    // On a real Windows the drive is case-insensitive; here the file system is not.
    expect(outcomes).toEqual(
      process.platform === 'win32' ? paths : {...paths, 'c:\\VAR\\lib\\cni\\missing': 'already'},
    );
  });

  it.each([
    ['an unknown step', {do: 'cmd.run', with: {command: 'calc'}}, "step 'cmd.run' does not exist"],
    ['an unknown parameter', {do: 'service.stop', with: {name: 'a', force: true}}, "unknown property 'force'"],
    ['a parameter of the wrong type', {do: 'service.stop', with: {name: 7}}, "'name' is not valid"],
    [
      'a registry value that is not allowed',
      {do: 'registry.removeValue', with: {path: 'HKLM:\\SAM', name: 'x'}},
      'is not among the values that a plan may remove',
    ],
  ])('with %s is rejected', async (_, step, message) => {
    const machine = machines[0] ?? made(nodeForEveryStep());
    const text = JSON.stringify({...JSON.parse(planOf([{do: 'ip.renew', with: {adapter: 'x'}}]).text), steps: [step]});
    const answer = await ask(
      machine,
      request('plan.check', {plan: text, hash: createHash('sha256').update(text).digest('hex')}),
    );
    expect(refusal(answer)).toMatchObject({kind: 'BadRequest', message: expect.stringContaining(message)});
  });
});

async function endedWith(machine: WindowsMachine, id: string, outcome: string): Promise<void> {
  const path = join(planFolder(machine, id), 'journal.ndjson');
  await eventually(outcome, () => readFileSync(path, 'utf8').includes(`"outcome":"${outcome}"`));
  await eventually('a machine that is done', () => !machine.isBusy());
}

function expectOwnFolder(machine: WindowsMachine): void {
  if (process.platform === 'win32') {
    const folder = join(machine.drive, 'ProgramData', 'kubectl-win');
    const [, ...entries] = execFileSync('icacls.exe', [folder], {encoding: 'utf8'}).match(/:\((?:OI|CI|F|I)\)/g) ?? [];
    expect(entries.length).toBeGreaterThan(0);
    return;
  }
  const asked = readFileSync(`${machine.stateFile}.icacls`, 'utf8');
  expect(asked).toMatch(/\/setowner \*S-1-5-32-544/);
  expect(asked).toMatch(/\/inheritance:r \/grant:r \*S-1-5-18:\(OI\)\(CI\)F \*S-1-5-32-544:\(OI\)\(CI\)F/);
}
