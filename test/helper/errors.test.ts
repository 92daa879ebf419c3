import {afterAll, expect, it} from 'vitest';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {everyStep, nodeForEveryStep, stepsFor} from './every-step.js';
import {journalOf, planOf, runPlan, store} from './plans.js';
import {ask, collect, describeHelper, dumpOf, machineFor, nodeOf} from './powershell.js';
import {essence, rows} from './state.js';

const machines: WindowsMachine[] = [];
const made = (...parameters: Parameters<typeof machineFor>): WindowsMachine => {
  const machine = machineFor(...parameters);
  machines.push(machine);
  return machine;
};
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const hnsSections = ['hnsNetworks', 'hnsEndpoints', 'hnsPolicyLists'];

describeHelper('an error', () => {
  it('of a stopped HNS is the error of its sections, never an empty list', async () => {
    const node = nodeOf('01-antrea-healthy');
    for (const row of rows(node, 'services'))
      if (row.Name === 'hns') Object.assign(row, {State: 'Stopped', ProcessId: 0});
    const {sections, errors} = dumpOf(await ask(made(node), collect([...hnsSections, 'hnsService', 'netAdapters'])));
    expect(Object.keys(sections)).toEqual(['netAdapters']);
    const stopped = {kind: 'Failed', message: 'The service has not been started. (0x80070426)'};
    expect(errors).toEqual({hnsNetworks: stopped, hnsEndpoints: stopped, hnsPolicyLists: stopped, hnsService: stopped});
  });

  it('of HNS is quoted with its code, from the envelope of either Windows version', async () => {
    for (const BuildNumber of ['17763', '20348']) {
      const node = nodeOf('01-antrea-healthy');
      Object.assign(node.sections.os as object, {BuildNumber});
      node.errors.hnsNetworks = {kind: 'Failed', message: 'Unspecified error '};
      const {sections, errors} = dumpOf(await ask(made(node), collect(hnsSections)));
      expect(errors).toEqual({
        hnsNetworks: {kind: 'Failed', message: 'HNS refused GET /networks: Unspecified error (0x80004005)'},
      });
      expect(sections.hnsEndpoints).toEqual(node.sections.hnsEndpoints);
    }
  });

  it('that a module writes without stopping is the error of the section, even if the module forces Continue', async () => {
    const node = nodeOf('01-antrea-healthy');
    node.errors['Get-ScheduledTask'] = {kind: 'Written', message: 'Der Aufgabenplaner antwortet nicht.'};
    node.errors.netNats = {kind: 'AccessDenied', message: 'Zugriff verweigert'};
    const {sections, errors} = dumpOf(await ask(made(node), collect(['scheduledTasks', 'netNats', 'netRoutes'])));
    expect(Object.keys(sections)).toEqual(['netRoutes']);
    expect(errors).toEqual({
      scheduledTasks: {kind: 'Failed', message: 'Der Aufgabenplaner antwortet nicht.'},
      netNats: {kind: 'AccessDenied', message: 'Zugriff verweigert'},
    });
  });

  it('of a cmdlet in a step fails the step with the message of the cmdlet', async () => {
    const node = nodeForEveryStep();
    node.errors['Stop-Service'] = {kind: 'Failed', message: 'Cannot open ovs-vswitchd service on computer.'};
    const machine = made(node);
    const plan = planOf([{do: 'service.stop', with: {name: 'ovs-vswitchd'}}]);
    store(machine, plan);
    await runPlan(machine, plan, 'Run').ended;
    const failure = journalOf(machine, plan.id).find(({event}) => event === 'step.failed');
    expect(failure).toMatchObject({error: {message: 'Cannot open ovs-vswitchd service on computer.'}});
  });

  it.each([
    ['1', {event: 'step.end', outcome: 'done'}],
    ['82', {event: 'step.failed', error: {message: 'RenewDHCPLease returned 82.'}}],
  ])('is not an error if Windows reports success: RenewDHCPLease returns %s', async (code, ending) => {
    const node = nodeForEveryStep();
    const steps = stepsFor('ip.renew', node);
    const machine = made(node);
    const plan = planOf(steps);
    store(machine, plan);
    await runPlan(machine, plan, 'Run', {KUBECTL_WIN_RENEW_RETURNS: code}).ended;
    const ended = journalOf(machine, plan.id).filter(entry => 'step' in entry && entry.step === steps.length - 1);
    expect(ended.at(-1)).toMatchObject({do: 'ip.renew', ...ending});
  });

  it('of HNS keeps a plan from removing anything: not read is not absent', async () => {
    const node = nodeForEveryStep();
    for (const row of rows(node, 'services'))
      if (row.Name === 'hns') Object.assign(row, {State: 'Stopped', ProcessId: 0});
    const machine = made(node);
    const before = essence(machine.read());
    for (const kind of ['hns.removeNetwork', 'hns.removePolicyLists', 'vswitch.remove']) {
      const plan = planOf(
        everyStep(node)
          .filter(step => step.do === kind)
          .map(step => ({...step, cuts: false})),
      );
      store(machine, plan);
      await runPlan(machine, plan, 'Run').ended;
      const journal = journalOf(machine, plan.id);
      expect(
        journal.find(({event}) => event === 'step.failed'),
        kind,
      ).toMatchObject({
        error: {message: expect.stringContaining('0x80070426')},
      });
      expect(journal.at(-1)).toMatchObject({event: 'plan.end', outcome: 'failed'});
    }
    expect(essence(machine.read())).toEqual(before);
  });
});
