import {once} from 'node:events';
import {afterAll, expect, it} from 'vitest';
import type {PlanStep} from '../../src/model/step.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {everyStep, nodeForEveryStep, ovsExtension} from './every-step.js';
import {addGates, cutAt, gate, journalOf, planOf, runPlan, store} from './plans.js';
import {describeHelper, machineFor} from './powershell.js';
import {essence, type Row, rows} from './state.js';

const machines: WindowsMachine[] = [];
const made = (...parameters: Parameters<typeof machineFor>): WindowsMachine => {
  const machine = machineFor(...parameters);
  machines.push(machine);
  return machine;
};
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

/** What each command answers: its output as one line, or the category of its error. */
async function answersTo(machine: WindowsMachine, commands: readonly string[]): Promise<string[]> {
  const script = `$ErrorActionPreference = 'Stop'
foreach ($command in @(ConvertFrom-Json -InputObject '${JSON.stringify(commands).replaceAll("'", "''")}')) {
    try { 'ok ' + [string](& ([scriptblock]::Create($command))) } catch { [string]$_.CategoryInfo.Category }
}`;
  const child = machine.startShell(script, {interactive: false});
  let said = '';
  child.stdout?.on('data', chunk => {
    said += String(chunk);
  });
  child.stderr?.on('data', chunk => {
    said += String(chunk);
  });
  await once(child, 'close');
  return said
    .trimEnd()
    .split(/\r?\n/)
    .map(line => line.trimEnd());
}

const route = '-DestinationPrefix 10.99.0.0/16 -NextHop 10.21.40.1';
const calico = 'HKLM:\\Software\\Tigera\\Calico';

describeHelper('a stand-in for Windows', () => {
  it('fails as the cmdlet does, and then changes nothing', async () => {
    const node = nodeForEveryStep();
    const index = String(rows(node, 'netAdapters').find(({Name}) => Name === 'br-int')?.InterfaceIndex);
    const failures: Record<string, string> = {
      [`Remove-NetRoute -InterfaceIndex ${index} ${route} -Confirm:$false`]: 'ObjectNotFound',
      [`New-NetRoute -InterfaceIndex ${index} ${route} -PolicyStore PersistentStore`]: 'InvalidArgument',
      [`Remove-NetIPAddress -InterfaceIndex ${index} -IPAddress 10.99.0.1 -Confirm:$false`]: 'ObjectNotFound',
      [`Remove-NetIPAddress -InterfaceIndex ${index} -IPAddress 10.21.40.61 -PolicyStore PersistentStore -Confirm:$false`]:
        'ObjectNotFound',
      [`Set-NetIPAddress -InterfaceIndex ${index} -IPAddress 10.99.0.1 -SkipAsSource $true`]: 'ObjectNotFound',
      'Set-NetIPInterface -InterfaceIndex 999 -AddressFamily IPv4 -Dhcp Enabled': 'ObjectNotFound',
      'Set-DnsClientServerAddress -InterfaceIndex 999 -ResetServerAddresses': 'ObjectNotFound',
      'Rename-NetAdapter -Name nothing -NewName something': 'ObjectNotFound',
      'Rename-NetAdapter -Name Ethernet0 -NewName br-int': 'ResourceExists',
      'Rename-VMNetworkAdapter -ManagementOS -ComputerName localhost -Name nothing -NewName something':
        'InvalidArgument',
      'Remove-NetFirewallRule -Name nothing': 'ObjectNotFound',
      [`Get-ItemProperty -LiteralPath '${calico}\\nothing'`]: 'ObjectNotFound',
      [`New-ItemProperty -LiteralPath '${calico}\\nothing' -Name a -Value b -PropertyType String`]: 'ObjectNotFound',
      [`New-ItemProperty -LiteralPath '${calico}' -Name LastBootTime -Value b -PropertyType String`]: 'ResourceExists',
      [`Remove-ItemProperty -LiteralPath '${calico}\\nothing' -Name a`]: 'ObjectNotFound',
      [`Remove-ItemProperty -LiteralPath '${calico}' -Name nothing`]: 'InvalidArgument',
      'Get-Service -Name nothing': 'ObjectNotFound',
      'Start-Service -Name nothing': 'ObjectNotFound',
      'Stop-Service -Name nothing -Force': 'ObjectNotFound',
      'Stop-Service -Name ovsdb-server': 'InvalidOperation',
    };
    const machine = made(node);
    const before = machine.read();
    const answers = await answersTo(machine, Object.keys(failures));
    expect(Object.fromEntries(Object.keys(failures).map((command, at) => [command, answers[at]]))).toEqual(failures);
    expect(machine.read()).toEqual(before);
  });

  it('of the firewall refuses a second rule with the name of a local one, and removes no rule of a group policy', async () => {
    const node = nodeForEveryStep();
    const firewall = node.sections.firewall as {Rules: Row[]};
    const [rule] = firewall.Rules;
    firewall.Rules.push({...rule, Name: 'ours', PolicyStoreSourceType: 'GroupPolicy'});
    const create = 'New-NetFirewallRule -Name ours -DisplayName x -Direction Inbound -Action Allow';
    const remove = 'Remove-NetFirewallRule -Name ours';
    const machine = made(node);
    const answers = await answersTo(machine, [create, create, remove, remove]);
    expect(answers).toEqual(['ok', 'ResourceExists', 'ok', 'ObjectNotFound']);
    expect(machine.read().sections.firewall).toEqual(firewall);
  });

  it('of the registry keeps a key that lost its last value', async () => {
    const remove = `Remove-ItemProperty -LiteralPath '${calico}' -Name LastBootTime`;
    const look = `Test-Path -LiteralPath '${calico}'`;
    const create = `New-ItemProperty -LiteralPath '${calico}' -Name LastBootTime -Value now -PropertyType String`;
    const answers = await answersTo(made(nodeForEveryStep()), [look, remove, look, remove, create]);
    expect(answers).toEqual(['ok True', 'ok', 'ok True', 'InvalidArgument', 'ok']);
  });

  it('removes an address from one store, and accepts it again only when no store has it', async () => {
    const node = nodeForEveryStep();
    const index = String(rows(node, 'netAdapters').find(({Name}) => Name === 'br-int')?.InterfaceIndex);
    const address = `-InterfaceIndex ${index} -IPAddress 10.21.40.200`;
    const create = `New-NetIPAddress ${address} -PrefixLength 24`;
    const remove = (from: string) => `Remove-NetIPAddress ${address} -PolicyStore ${from} -Confirm:$false`;
    const stores = `(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetIPAddress | Where-Object { $_.IPAddress -eq '10.21.40.200' }).Store -join ' '`;
    const answers = await answersTo(made(node), [
      stores,
      create,
      remove('ActiveStore'),
      stores,
      create,
      remove('ActiveStore'),
      remove('PersistentStore'),
      stores,
      create,
      stores,
    ]);
    const already = 'ResourceExists';
    expect(answers).toEqual(['ok 1 0', already, 'ok', 'ok 0', already, 'ObjectNotFound', 'ok', 'ok', 'ok', 'ok 1 0']);
  });

  it('of Hyper-V renames the adapter of a vNIC with it', async () => {
    const node = nodeForEveryStep();
    for (const row of rows(node, 'netAdapters')) if (row.Name === 'br-int') row.Name = 'vEthernet (Ethernet0)';
    const machine = made(node);
    await answersTo(machine, [
      'Rename-VMNetworkAdapter -ManagementOS -ComputerName localhost -Name Ethernet0 -NewName br-int',
    ]);
    const names = rows(machine.read(), 'netAdapters').map(({Name}) => Name);
    expect(names).toContain('vEthernet (br-int)');
    expect(names).not.toContain('vEthernet (Ethernet0)');
  });

  it('of HNS refuses a second network of a name, and an endpoint without a network', async () => {
    const machine = made(nodeForEveryStep());
    const before = machine.read();
    const post = (path: string, body: object) =>
      `(ConvertFrom-Json -InputObject (New-Object -TypeName KubectlWin.HnsClient).Call('POST', '${path}', '${JSON.stringify(body)}')).ErrorCode`;
    const answers = await answersTo(machine, [
      post('/networks', {Name: 'antrea-hnsnetwork', Type: 'Transparent'}),
      post('/endpoints', {Name: 'lost', VirtualNetwork: '00000000-1111-4222-8333-444444444444'}),
    ]);
    expect(answers).toEqual([`ok ${0x803b0010}`, `ok ${0x80070490}`]);
    expect(machine.read()).toEqual(before);
  });
});

describeHelper('the helper', () => {
  it('does not recreate an endpoint whose network is gone', async () => {
    const node = nodeForEveryStep();
    addGates(node, ['gate']);
    const machine = made(node);
    const steps = everyStep(node).filter(step => step.do === 'hns.removeEndpoint');
    const plan = planOf([...steps, gate('gate')]);
    store(machine, plan);
    await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === 1);
    machine.change(({sections, errors}) => ({sections: {...sections, hnsNetworks: []}, errors}));
    await runPlan(machine, plan, 'Rollback').ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
    expect(rows(machine.read(), 'hnsEndpoints').map(({Name}) => Name)).not.toContain('leaked');
  });

  it('restores both names of the vNIC of a network that it creates again', async () => {
    const node = nodeForEveryStep();
    addGates(node, ['gate']);
    for (const row of rows(node, 'vmSwitchExtensions')) if (row.Id === ovsExtension) row.Enabled = false;
    for (const network of rows(node, 'hnsNetworks'))
      for (const row of (network.Extensions ?? []) as Row[]) if (row.Id === ovsExtension) row.IsEnabled = false;
    const machine = made(node);
    const steps = everyStep(node).filter(step => step.do === 'hns.removeNetwork');
    const plan = planOf([...steps.map((step): PlanStep => ({...step, cuts: false})), gate('gate')]);
    store(machine, plan);
    await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === 1);
    expect(rows(machine.read(), 'netAdapters').map(({Name}) => Name)).not.toContain('br-int');
    await runPlan(machine, plan, 'Rollback').ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
    const nic = rows(machine.read(), 'netAdapters').find(({Name}) => Name === 'br-int');
    expect(nic).toMatchObject({Virtual: true, VMName: 'br-int'});
  });

  const jobSteps = (): PlanStep[] =>
    everyStep(nodeForEveryStep())
      .filter(step => ['vswitch.setExtension', 'vnic.remove', 'vswitch.remove'].includes(step.do))
      .map((step): PlanStep => ({...step, cuts: false}));

  it('waits for the jobs of Hyper-V, also in an undo', async () => {
    const node = nodeForEveryStep();
    const machine = made(node);
    const before = essence(machine.read());
    const plan = planOf(jobSteps().filter(step => step.do !== 'vnic.remove'));
    store(machine, plan);
    const environment = {KUBECTL_WIN_HYPERV_JOBS: 'done'};
    await runPlan(machine, plan, 'Run', environment).ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    expect(essence(machine.read()).switches).toHaveLength((before.switches as string[]).length - 1);
    expect(essence(machine.read()).extensions).not.toEqual(before.extensions);
    await runPlan(machine, plan, 'Rollback', environment).ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({event: 'plan.end', outcome: 'rolledBack'});
    expect(essence(machine.read()).extensions).toEqual(before.extensions);
  });

  it.each(jobSteps().map(step => [step.do, step] as const))(
    'reports a job of Hyper-V that fails: %s',
    async (_, step) => {
      const machine = made(nodeForEveryStep());
      const plan = planOf([step]);
      store(machine, plan);
      await runPlan(machine, plan, 'Run', {KUBECTL_WIN_HYPERV_JOBS: 'failed'}).ended;
      expect(journalOf(machine, plan.id).find(({event}) => event === 'step.failed')).toMatchObject({
        error: {kind: 'Failed', message: expect.stringMatching(/^\w+ failed: The operation failed\.$/)},
      });
    },
  );
});
