import {appendFileSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import type {PlanStep} from '../../src/model/step.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {everyStep, nodeForEveryStep, deadMan as usual} from './every-step.js';
import {withFunctions} from './functions.js';
import {addGates, cutAt, gate, journalOf, planFolder, planOf, runPlan, store} from './plans.js';
import {ask, describeHelper, machineFor} from './powershell.js';
import {essence, rows} from './state.js';

const machines: WindowsMachine[] = [];
const made = (node: NodeDump): WindowsMachine => {
  const machine = machineFor(node);
  machines.push(machine);
  return machine;
};
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const minutes = 60_000;
const deadMan = {...usual, withinSeconds: 10};
const steps: PlanStep[] = [
  {do: 'service.stop', with: {name: 'flanneld'}},
  {do: 'registry.removeValue', with: {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'LastBootTime'}},
  {do: 'service.start', with: {name: 'flanneld'}},
];

describeHelper('the journal', () => {
  it('has no half of a line after a write that failed, whether or not the plan goes on', () => {
    // A disk that is full for one write, and then is not.
    const script = `foreach ($mayFail in @($true, $false)) {
    $path = Join-Path -Path (Get-Location).Path -ChildPath "journal-$mayFail"
    $file = [System.IO.File]::Open($path, 'Create', 'ReadWrite')
    $full = [pscustomobject]@{ Inner = $file; Full = $false }
    $full | Add-Member -MemberType ScriptProperty -Name Length -Value { $this.Inner.Length }
    $full | Add-Member -MemberType ScriptMethod -Name Seek -Value { param($to, $from) $this.Inner.Seek($to, $from) }
    $full | Add-Member -MemberType ScriptMethod -Name SetLength -Value { param($length) $this.Inner.SetLength($length) }
    $full | Add-Member -MemberType ScriptMethod -Name Flush -Value { param($disk) $this.Inner.Flush($disk) }
    $full | Add-Member -MemberType ScriptMethod -Name Write -Value { param($bytes, $from, $count)
        if (-not $this.Full) { return $this.Inner.Write($bytes, $from, $count) }
        $this.Inner.Write($bytes, $from, [int]($count / 2))
        throw [System.IO.IOException]::new('There is not enough space on the disk.')
    }
    $journal = [pscustomobject]@{ Id = 'x'; Stream = $full; Entries = [System.Collections.Generic.List[object]]::new(); MayFail = $mayFail }
    Write-Journal -Journal $journal -Name 'plan.begin'
    $full.Full = $true
    try { Write-Journal -Journal $journal -Name 'step.begin'; 'went on' } catch { 'failed' }
    $full.Full = $false
    Write-Journal -Journal $journal -Name 'plan.end'
    $file.Dispose()
    foreach ($line in [System.IO.File]::ReadAllLines($path)) { (ConvertFrom-Json -InputObject $line).event }
}`;
    expect(withFunctions(script)).toEqual(['went on', 'plan.begin', 'plan.end', 'failed', 'plan.begin', 'plan.end']);
  });

  it(
    'leads to the same end when the power goes after every single line of it',
    async () => {
      const machine = made(nodeForEveryStep());
      const [stop, remove] = steps;
      const two = [stop, remove].filter(step => step !== undefined);
      const plan = planOf(two);
      store(machine, plan);
      let runs = 0;
      while (journalOf(machine, plan.id).at(-1)?.event !== 'plan.end' && runs < 20) {
        // The first line of a run tells that it began; one more gets through.
        await runPlan(machine, plan, runs++ === 0 ? 'Run' : 'Resume', {KUBECTL_WIN_CUT_AFTER_LINES: '2'}).ended;
      }
      const journal = journalOf(machine, plan.id);
      expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
      expect(runs).toBe(2 * two.length + 1);
      expect(journal.flatMap(entry => (entry.event === 'step.end' ? [entry.do] : []))).toEqual(
        two.map(step => step.do),
      );
      expect(rows(machine.read(), 'services').find(({Name}) => Name === 'flanneld')).toMatchObject({State: 'Stopped'});
      expect(rows(machine.read(), 'registry').map(({Name}) => Name)).not.toContain('LastBootTime');
    },
    8 * minutes,
  );

  it(
    'counts by its own numbers: a clock that jumps changes neither order nor outcome',
    async () => {
      const node = nodeForEveryStep();
      addGates(node, ['gate']);
      const machine = made(node);
      const before = essence(machine.read());
      const plan = planOf([...steps, gate('gate')]);
      store(machine, plan);
      await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === steps.length);
      const path = join(planFolder(machine, plan.id), 'journal.ndjson');
      const ahead = readFileSync(path, 'utf8').trim().split('\n').length + 1;
      const future = {type: 'journal', plan: plan.id, seq: ahead, at: '2099-01-01T00:00:00+00:00', event: 'plan.end'};
      appendFileSync(path, `${JSON.stringify({...future, outcome: 'failed', message: 'x'})}\n`);
      await runPlan(machine, plan, 'Rollback').ended;
      const journal = journalOf(machine, plan.id);
      expect(journal.map(({seq}) => seq)).toEqual(journal.map((_, index) => index + 1));
      expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
      const {messages} = await ask(machine, {protocol: 1, request: 'plan.status', deadlineMs: minutes});
      expect(messages[1]).toMatchObject({id: plan.id, state: 'rolledBack'});
      expect(essence(machine.read())).toEqual(before);
    },
    5 * minutes,
  );

  it(
    'on a full disk does not keep a rollback from restoring a node that is cut off',
    async () => {
      const node = nodeForEveryStep();
      for (const row of rows(node, 'netIPAddresses')) if (row.PrefixOrigin === 'Dhcp') row.PrefixOrigin = 'Manual';
      for (const row of rows(node, 'netIPInterfaces')) if (row.InterfaceAlias === 'br-int') row.Dhcp = 'Disabled';
      addGates(node, ['gate']);
      const cuts = everyStep(node).filter(step => ['vnic.remove', 'hns.removeNetwork'].includes(step.do));
      const plan = planOf([...cuts, {...gate('gate'), cuts: true}], {deadMan});
      const machine = made(node);
      store(machine, plan);
      await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === cuts.length);
      const home = () => rows(machine.read(), 'netIPAddresses').find(({IPAddress}) => IPAddress === deadMan.address);
      expect(home()).toBeUndefined();
      machine.change(state => ({
        ...state,
        errors: {...state.errors, disk: {kind: 'Failed', message: 'There is not enough space on the disk.'}},
      }));
      const written = journalOf(machine, plan.id);
      const request = {protocol: 1, request: 'plan.rollback', deadlineMs: 3 * minutes, id: plan.id};
      const {messages} = await ask(machine, request);
      expect(messages.find(({type}) => type === 'error')).toBeUndefined();
      await expect.poll(home, {timeout: 2 * minutes}).toMatchObject({InterfaceAlias: 'Ethernet0'});
      expect(journalOf(machine, plan.id)).toEqual(written);
    },
    6 * minutes,
  );
});
