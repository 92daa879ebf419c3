import {chmodSync, mkdtempSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {ask, collect, describeHelper, dumpOf, machineFor, nativeSections, nodeOf, pwsh} from './powershell.js';
import {type Row, rows} from './state.js';

const machines: WindowsMachine[] = [];
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const folder = 'C:\\etc\\cni\\net.d';

/** A node with one of everything that is hard to read. */
function oddNode() {
  const node = nodeOf('01-antrea-healthy');
  const add = (section: string, ...more: Row[]) => {
    node.sections[section] = [...rows(node, section), ...more];
  };
  add('files', {
    Path: `${folder}\\20-azure.conf`,
    Exists: true,
    Content: '{"aadClientSecret": "s3cret", "auth":{"token":"s3cret"}, "password" : "s3\\"cret", "name":"azure"}\n',
  });
  add('files', {
    Path: 'C:\\k\\antrea\\etc\\antrea-agent.conf',
    Exists: true,
    Content: 'antreaProxy:\n  enable: true\n  token: s3cret\nproxyURL: https://robot:s3cret@proxy:3128\n',
  });
  add('files', {
    Path: 'C:\\k\\containerd\\containerd_conf.toml',
    Exists: true,
    Content:
      'configs = { "reg.io" = { auth = { username = "s3cret", password = "s3cret" } } }\naccess_key = "s3cret"\nroot = "C:\\\\d"\n',
  });
  const port = {SwitchName: 's', MacAddress: '00-15-5D-0A-1B-2C', Enabled: true, Blocked: false};
  add('vfpPorts', {...port, Name: '1f6a7c1d-2e3f-4e9a-9d0b-53b06f1c94b0', FriendlyName: 'told'});
  add('vfpPorts', {...port, Name: '2f6a7c1d-2e3f-4e9a-9d0b-53b06f1c94b0', FriendlyName: 'silent', Silent: true});
  add('services', {
    Name: 'flanneld',
    State: 'Stopped',
    StartMode: 'Auto',
    ProcessId: 0,
    PathName: 'C:\\k\\flanneld.exe',
    Locked: true,
  });
  add(
    'scheduledTasks',
    {TaskName: 'broken', State: 'Ready', LastRunTime: null, LastTaskResult: 0, Broken: true},
    {TaskName: 'never ran', State: 'Ready', LastRunTime: '1999-11-30T00:00:00+00:00', LastTaskResult: 267011},
  );
  add('services', {
    Name: 'kube-proxy',
    State: 'Running',
    StartMode: 'Auto',
    ProcessId: 4242,
    PathName: 'C:\\k\\nssm.exe --token=s3cret --password "s3 cret" --kubeconfig=C:\\k\\config',
  });
  add('probes', {Target: '[fd00::1]:6443', Kind: 'tcp', Ok: true});
  const {Rules} = node.sections.firewall as {Rules: Row[]};
  Rules.push({...Rules[0], Name: 'ipsec', DisplayName: 'ipsec', Action: 'AllowBypass'});
  return node;
}

describeHelper('one unreadable item', () => {
  it("loses only itself; secrets are hidden in every notation, and times have the node's time zone", async () => {
    const machine = machineFor(oddNode());
    machines.push(machine);
    // It exists, and can never be opened.
    symlinkSync('30-loop.conf', join(machine.drive, 'etc/cni/net.d/30-loop.conf'));
    const wanted = ['files', 'scheduledTasks', 'services', 'probes', 'firewall', 'os', 'netNats', 'vfpPorts'].filter(
      name => !nativeSections.includes(name),
    );
    const probes = [{Target: '[fd00::1]:6443', Kind: 'tcp'}];
    const answer = await ask(machine, collect(wanted, {probes}), {environment: {TZ: 'Asia/Tokyo'}});
    const dump = dumpOf(answer);
    expect(dump.errors).toEqual({});

    const files = new Map(rows(dump, 'files').map(row => [row.Path, row]));
    expect(files.get(`${folder}\\30-loop.conf`)).toMatchObject({Exists: true, Error: expect.any(String)});
    expect(files.get(`${folder}\\30-loop.conf`)).not.toHaveProperty('Content');
    expect(files.get(`${folder}\\20-azure.conf`)?.Content).toBe(
      '{"aadClientSecret": "hidden", "auth":{"token":"hidden"}, "password" : "hidden", "name":"azure"}\n',
    );
    expect(files.get('C:\\k\\antrea\\etc\\antrea-agent.conf')?.Content).toBe(
      'antreaProxy:\n  enable: true\n  token: "hidden"\nproxyURL: https://hidden@proxy:3128\n',
    );

    const tasks = new Map(rows(dump, 'scheduledTasks').map(row => [row.TaskName, row]));
    expect(tasks.get('broken')).toMatchObject({State: 'Ready', Error: expect.stringContaining('broken')});
    expect(tasks.get('never ran')).toMatchObject({LastRunTime: null, LastTaskResult: 267011});

    expect(files.get('C:\\k\\containerd\\containerd_conf.toml')?.Content).toBe(
      'configs = { "reg.io" = { auth = { username = "hidden", password = "hidden" } } }\naccess_key = "hidden"\nroot = "C:\\\\d"\n',
    );

    if (!nativeSections.includes('vfpPorts')) {
      const ports = new Map(rows(dump, 'vfpPorts').map(row => [row.FriendlyName, row]));
      expect(ports.get('told')).toMatchObject({Blocked: false});
      expect(ports.get('told')).not.toHaveProperty('Error');
      expect(ports.get('silent')).toMatchObject({Blocked: null, Error: expect.stringContaining('vfpctrl.exe')});
    }
    const locked = rows(dump, 'services').find(({Name}) => Name === 'flanneld');
    expect(locked).toMatchObject({State: 'Stopped', DependsOn: null, Error: expect.stringContaining('not allowed')});

    const [proxy] = rows(dump, 'services').filter(({Name}) => Name === 'kube-proxy');
    expect(proxy?.PathName).toBe('C:\\k\\nssm.exe --token=hidden --password hidden --kubeconfig=C:\\k\\config');
    expect(answer.text).not.toMatch(/s3 ?cret/);

    expect(rows(dump, 'probes')).toMatchObject([{Target: '[fd00::1]:6443', Ok: true, Error: null}]);
    const {Rules} = dump.sections.firewall as {Rules: Row[]};
    expect(Rules.find(({DisplayName}) => DisplayName === 'ipsec')).toMatchObject({Action: 'AllowBypass'});

    const booted = (dump.sections.os as {LastBootUpTime: string}).LastBootUpTime;
    const before = (oddNode().sections.os as {LastBootUpTime: string}).LastBootUpTime;
    // .NET on Windows takes its time zone only from Windows.
    if (process.platform !== 'win32') expect(booted).toContain('+09:00');
    expect(Date.parse(booted)).toBe(Date.parse(before));
  });
});

describeHelper('a folder that cannot be listed', () => {
  it.skipIf(process.platform === 'win32')('loses its content, and is reported with the reason', async () => {
    const machine = machineFor(nodeOf('01-antrea-healthy'), withoutPrivileges());
    machines.push(machine);
    chmodSync(join(machine.drive, 'etc/cni/net.d'), 0);
    chmodSync(join(machine.drive, 'var/log/antrea'), 0);
    const dump = dumpOf(await ask(machine, collect(['files', 'logs'])));
    expect(dump.errors).toEqual({});
    const unlisted = rows(dump, 'files').filter(row => row.Error !== undefined);
    expect(unlisted).toEqual([{Path: folder, Exists: true, Error: expect.stringContaining('denied')}]);
    expect(rows(dump, 'files').some(({Path}) => Path === 'C:\\k\\StartKubelet.ps1')).toBe(true);
    const logs = new Map(rows(dump, 'logs').map(row => [row.Path, row]));
    expect(logs.get('C:\\var\\log\\antrea')).toEqual({Path: 'C:\\var\\log\\antrea', Error: expect.any(String)});
    expect(logs.has('C:\\openvswitch\\var\\log\\openvswitch\\ovs-vswitchd.log')).toBe(true);
  });
});

/** A PowerShell for which file modes apply, although root runs it. */
function withoutPrivileges(): string {
  if (process.getuid?.() !== 0) return pwsh ?? '';
  const script = join(mkdtempSync(join(tmpdir(), 'kubectl-win-pwsh-')), 'pwsh');
  const caps = '-dac_override,-dac_read_search';
  writeFileSync(script, `#!/bin/sh\nexec setpriv --inh-caps=${caps} --bounding-set=${caps} -- '${pwsh}' "$@"\n`, {
    mode: 0o755,
  });
  return script;
}

describeHelper('a section that is slow on a cold Windows', () => {
  it('gets half a minute, regardless of the limit of the others', async () => {
    const machine = machineFor(nodeOf('01-antrea-healthy'));
    machines.push(machine);
    const {sections} = dumpOf(await ask(machine, collect(['firewall', 'windowsFeatures'], {sectionTimeoutMs: 100})));
    expect(Object.keys(sections).sort()).toEqual(['firewall', 'windowsFeatures']);
  });
});
