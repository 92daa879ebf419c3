import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import helperScript from 'virtual:helper.ps1';
import {expect, it} from 'vitest';
import {plan as planSchema} from '../../src/model/plan.js';
import type {PlanStep} from '../../src/model/step.js';
import {refusalOf} from '../../src/repair/steps/all.js';
import {patient} from '../repair/support.js';
import {describeHelper, pwsh} from './powershell.js';

// The client and the node reject the same steps, each with its own rules.

const id = '7A1C94B0-53B0-4E9A-9D0B-0F6A7C1D2E3F';
const services = [
  'hns',
  'kube-proxy',
  'ovsdb-server',
  'OVS-vswitchd',
  'antrea-agent',
  'lsass',
  'kubelet',
  'WinDefend',
  'ovs*',
];
const paths = [
  'C:\\var\\lib\\cni\\networks\\antrea\\10.124.1.14',
  'C:\\var\\lib\\cni\\..\\..\\Windows\\win.ini',
  'C:\\var\\lib\\cni-other\\a',
  'C:\\var\\lib\\cni\\a:stream',
  'C:\\etc\\cni\\net.d\\10-antrea.conflist',
  'C:\\run\\flannel\\subnet.env',
  'C:\\k\\hns.pid',
  'C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
  'C:\\openvswitch\\etc\\openvswitch\\conf.db',
  'C:\\openvswitch\\etc\\openvswitch\\.conf.db.~lock~',
  'C:\\sourcevip\\sourceVip.json',
  'C:\\k\\azure-vnet.json',
  'C:\\Windows\\System32\\drivers\\etc\\hosts',
];
const rule = (name: string, protocol: 'TCP' | 'UDP', port: number): PlanStep => ({
  do: 'firewall.allow',
  with: {name, displayName: 'x', protocol, port},
});
const route = (destination: string, nextHop: string): PlanStep => ({
  do: 'route.add',
  with: {destination, nextHop, adapter: 'br-int'},
});

const steps: PlanStep[] = [
  ...services.flatMap((name): PlanStep[] => [
    {do: 'service.stop', with: {name}},
    {do: 'service.start', with: {name}},
    {do: 'service.restart', with: {name}},
  ]),
  ...paths.map((path): PlanStep => ({do: 'file.remove', with: {path}})),
  ...[22, 179, 3389, 5985, 7471, 10250].map(port => rule(`kubectl-win-TCP-${port}`, 'TCP', port)),
  ...[53, 3389, 4789, 4790, 6081, 8472, 9898].map(port => rule(`kubectl-win-UDP-${port}`, 'UDP', port)),
  rule('*', 'UDP', 6081),
  rule('kubectl-win-UDP-*', 'UDP', 6081),
  rule('kubectl-win-udp-6081', 'UDP', 6081),
  ...['0.0.0.0/0', '0.0.0.0/1', '128.0.0.0/1', '10.0.0.0/7', '10.0.0.0/8', '10.124.1.0/24', '169.254.169.254/32'].map(
    destination => route(destination, '10.21.40.1'),
  ),
  ...['::/0', 'fd00::/15', 'fd00::/16', 'fd00:1::/64'].map(destination => route(destination, 'fd00::1')),
  ...['0.0.0.0', '127.0.0.1', '224.0.0.1', '255.255.255.255', '10.21.40.1'].map(hop => route('10.9.0.0/16', hop)),
  {do: 'registry.removeValue', with: {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'LastBootTime'}},
  {do: 'registry.removeValue', with: {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'Other'}},
  {do: 'registry.removeValue', with: {path: 'HKLM:\\SAM', name: 'LastBootTime'}},
];

/** Values that are invalid for the type of a parameter. */
const malformed = [
  {do: 'route.add', with: {destination: '10.1.0.0/33', nextHop: '10.0.0.1', adapter: 'x'}},
  {do: 'route.add', with: {destination: '10.1.0.0/16', nextHop: '10.1', adapter: 'x'}},
  {do: 'route.add', with: {destination: '10.1.0.0/16', nextHop: 'fe80::1%4', adapter: 'x'}},
  {do: 'service.stop', with: {name: 'hns'}, timeoutSeconds: 901},
  {do: 'service.stop', with: {name: 'hns'}, timeoutSeconds: 0},
  {do: 'service.stop', with: {name: 'hns'}, why: 'x'.repeat(501)},
  {do: 'hns.removeNetwork', with: {id: 'x', name: 'n'}},
  {do: 'service.stop', with: {name: 'a\u0007'}},
];

/** Whether the node accepts each step, according to the helper's own functions, in one PowerShell. */
function takenByNode(all: readonly object[]): boolean[] {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-rules-'));
  try {
    const functions = helperScript.slice(0, helperScript.indexOf('\nRemove-ArrayCount\nswitch'));
    writeFileSync(join(folder, 'functions.ps1'), functions);
    writeFileSync(join(folder, 'steps.json'), JSON.stringify(all));
    const ask = `. '${join(folder, 'functions.ps1')}'
$steps = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText('${join(folder, 'steps.json')}'))
foreach ($step in $steps) { try { Assert-PlanStep -Step $step -Where 'Step'; 'true' } catch { 'false' } }`;
    writeFileSync(join(folder, 'ask.ps1'), ask);
    const {stdout, stderr} = spawnSync(
      pwsh ?? '',
      ['-NoProfile', '-NonInteractive', '-File', join(folder, 'ask.ps1')],
      {
        encoding: 'utf8',
      },
    );
    expect(stderr).toBe('');
    return stdout
      .trim()
      .split(/\r?\n/)
      .map(line => line === 'true');
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

describeHelper('the rules of the client and of the node', () => {
  it('reject and accept the same steps', () => {
    const subject = patient('01-antrea-healthy').subject();
    const client = steps.map(step => refusalOf(step, subject, subject.node.hnsNetworks ?? []) === undefined);
    const node = takenByNode(steps);
    // A plan of another plugin may name its agent and files; the node knows all plugins.
    const stricter = steps.filter((_, index) => client[index] && !node[index]);
    expect(stricter).toEqual([]);
    const laxer = steps.filter((_, index) => !client[index] && node[index]);
    expect(laxer).toEqual([]);
  });

  it('reject the same values', () => {
    const base = {apiVersion: 'kubectl-win/v1', kind: 'Plan', id: id.toLowerCase(), node: 'win-1', title: 't'};
    const client = malformed.map(
      step => planSchema.safeParse({...base, createdAt: '2026-03-03T10:41:07Z', steps: [step]}).success,
    );
    expect(client).toEqual(malformed.map(() => false));
    expect(takenByNode(malformed)).toEqual(client);
  });
});
