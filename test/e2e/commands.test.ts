import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import {eventually} from '../eventually.js';
import {type Cluster, Running, startCluster, win} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
});
afterAll(() => cluster.close());
afterEach(async () => {
  expect(await cluster.leftovers()).toBe('');
});

test('nodes shows each Windows node with version, runtime, plugin, address and whether a helper can run', async () => {
  const {stdout, code} = await cluster.win('nodes');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^NAME +STATUS +VERSION +RUNTIME +PLUGIN +ADDRESS +BOOTED +HELPER$/m);
  expect(stdout).toMatch(
    /^win-1 +Ready +v1\.31\.4 +containerd:\S+ +antrea 2\.2\.0 encap +10\.21\.40\.61 +\S+.* +possible$/m,
  );
  const {items} = JSON.parse((await cluster.win('nodes', '-o', 'json')).stdout) as {items: {name: string}[]};
  expect(items.map(({name}) => name)).toEqual(['win-1', 'win-2']);
});

test('collect writes a snapshot that doctor diagnoses like the cluster', async () => {
  const file = join(cluster.folder, 'snapshot.json.gz');
  expect((await cluster.win('collect', '-f', file)).code).toBe(0);
  expect(JSON.parse(gunzipSync(readFileSync(file)).toString())).toMatchObject({
    kind: 'Snapshot',
    apiVersion: 'kubectl-win/v1',
  });
  const live = JSON.parse((await cluster.win('doctor', '-o', 'json')).stdout) as DoctorReport;
  const replayed = JSON.parse((await win(['doctor', '--from', file, '-o', 'json'])).stdout) as DoctorReport;
  const outcomes = ({nodes}: DoctorReport) => nodes.map(({results}) => results.map(({id, outcome}) => [id, outcome]));
  expect(outcomes(replayed)).toEqual(outcomes(live));
});

test('helper selftest shows what a node answers, and writes a document for an issue', async () => {
  const file = join(cluster.folder, 'selftest.json');
  const {stdout, code} = await cluster.win('helper', 'selftest', 'win-2', '-f', file);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^RESULT +AREA +NAME +MS +FOUND$/m);
  expect(stdout).toMatch(/^ok +section +hnsNetworks +\d+ +\d+ characters$/m);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    apiVersion: 'kubectl-win/v1',
    kind: 'SelfTest',
    answers: expect.arrayContaining([expect.objectContaining({area: 'section', name: 'ovs', result: 'ok'})]),
  });
});

test('helper selftest exits with 1 if a section cannot be read', async () => {
  cluster.simulation.nodes
    .get('win-2')
    ?.fault({sectionErrors: {netNats: {kind: 'AccessDenied', message: 'not for you'}}});
  const {stdout, code} = await cluster.win('helper', 'selftest', 'win-2', '-o', 'json');
  cluster.simulation.nodes.get('win-2')?.fault({sectionErrors: {}});
  expect(code).toBe(1);
  expect(JSON.parse(stdout).answers).toContainEqual(
    expect.objectContaining({name: 'netNats', result: 'failed', seen: 'AccessDenied: not for you'}),
  );
});

test('--no-helper diagnoses only from the API and creates nothing on a node', async () => {
  const {stdout, code} = await cluster.win('doctor', '--no-helper', '-o', 'json');
  const report = JSON.parse(stdout) as DoctorReport;
  expect(report.nodes.every(({inspected}) => !inspected)).toBe(true);
  expect(
    report.nodes
      .flatMap(({results}) => results)
      .some(({id, outcome}) => id === 'ovs/stale-bridge' && outcome === 'unknown'),
  ).toBe(true);
  expect(code).toBe(1);
});

test('--wait repeats until nothing is wrong, and exits with 0', async () => {
  const node = cluster.simulation.nodes.get('win-2');
  const healthy = structuredClone(node?.state);
  node?.change(state => {
    state.sections.services = (state.sections.services as {Name: string}[]).map(service =>
      service.Name === 'hns' ? {...service, State: 'Stopped'} : service,
    );
  });
  const running = cluster.start('doctor', 'win-2', '--wait', '--timeout', '60s', '-o', 'name');
  await running.printed(/checking again/);
  if (node && healthy) node.state = healthy;
  const {code, stdout} = await running.ended;
  expect(stdout).toBe('');
  expect(code).toBe(0);
});

test('a configuration suppresses findings, and the report keeps them with the reason', async () => {
  const config = join(cluster.folder, 'config.yaml');
  const suppress = ['ovs', 'hns', 'cni', 'cluster', 'log', 'net'].map(
    check => `  - {check: ${check}, reason: known since May}`,
  );
  writeFileSync(config, `apiVersion: kubectl-win/v1\nkind: Config\nsuppress:\n${suppress.join('\n')}\n`);
  const {stdout, code} = await cluster.win('doctor', 'win-1', '--config', config);
  expect(stdout).toMatch(/\d suppressed/);
  const {stdout: wide} = await cluster.win('doctor', 'win-1', '--config', config, '-o', 'wide');
  expect(wide).toMatch(/ovs\/stale-bridge\n +suppressed: known since May/);
  expect(code).toBe(0);
});

test('helper install creates a DaemonSet, doctor uses it, uninstall removes it', async () => {
  expect((await cluster.win('helper', 'install')).stdout).toContain('runs on all ');
  expect((await cluster.win('helper', 'status')).stdout).toMatch(/^Installed: /);
  expect((await cluster.win('nodes')).stdout).toMatch(/^win-1 .* installed$/m);
  expect((await cluster.win('helper', 'uninstall')).stdout).toContain('was uninstalled');
  expect((await cluster.win('helper', 'status')).stdout).toMatch(/^Not installed/);
});

test('helper prune removes what a killed run left behind', async () => {
  for (const node of cluster.simulation.nodes.values()) node.fault({helper: {kind: 'slow', ms: 500}});
  const running = cluster.start('doctor');
  await running.printed(/Inspecting/);
  await eventually('a helper pod', async () => (await cluster.leftovers()).includes('pod/'));
  running.child.kill('SIGKILL');
  await running.ended;
  for (const node of cluster.simulation.nodes.values()) node.fault({helper: undefined});
  expect(await cluster.leftovers()).not.toBe('');
  expect((await cluster.win('helper', 'prune')).stdout).toMatch(
    /^Kept run \S+ of .*: it may still be active\. To remove it too: --all\n$/,
  );
  expect((await cluster.win('helper', 'prune', '--all')).stdout).toMatch(/^Removed run /);
  expect((await cluster.win('helper', 'prune')).stdout).toBe('Nothing to remove.\n');
});

test('helper prune removes a pod that ended in Error, even of a run that has not expired', async () => {
  for (const node of cluster.simulation.nodes.values()) node.fault({helper: {kind: 'slow', ms: 500}});
  const running = cluster.start('doctor', 'win-1');
  await eventually('a helper pod', async () => (await cluster.leftovers()).includes('pod/'));
  running.child.kill('SIGKILL');
  await running.ended;
  for (const node of cluster.simulation.nodes.values()) node.fault({helper: undefined});
  const pods = async () => (await cluster.leftovers()).match(/pod\/\S+/g) ?? [];
  const [pod = ''] = await pods();
  const ended = ['--subresource=status', '-p', '{"status":{"phase":"Failed"}}'];
  expect((await cluster.kubectl('-n', 'kubectl-win', 'patch', pod, ...ended)).stderr).toBe('');
  expect((await cluster.win('helper', 'status')).stdout).toMatch(/^\S+ +ended +win-1 +\S+ +Failed /m);
  expect((await cluster.win('helper', 'prune')).stdout).toMatch(/^Removed run (\S+) .*: win-1\nKept run \1 /);
  expect(await pods()).toEqual([]);
  expect((await cluster.win('helper', 'status')).stdout).toMatch(/^\S+ +may be active +- +none, scripts only /m);
  expect((await cluster.win('helper', 'prune', '--all')).stdout).toMatch(/^Removed run .*: scripts only$/m);
});

test('a locale without UTF-8 gets only ASCII', async () => {
  const {stdout} = await new Running('kubectl-win', ['doctor'], {...cluster.env, LC_ALL: 'C'}).ended;
  expect(stdout).toMatch(/^x win-1 /m);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is allowed
  expect(stdout).toMatch(/^[\u0000-\u007f]+$/);
});

test('explain lists the checks of an area', async () => {
  const {code, stdout} = await win(['explain', 'ovs']);
  const [head, ...rows] = stdout.trimEnd().split('\n');
  expect({code, head}).toEqual({code: 0, head: expect.stringMatching(/^ID +SEVERITY +PLUGINS +TITLE$/)});
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter(row => !row.startsWith('ovs/'))).toEqual([]);
});

test('version prints the plugin, its protocol and the server', async () => {
  const {stdout} = await cluster.win('version', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    client: {protocol: 1, helper: expect.stringMatching(/^[0-9a-f]{64}$/)},
    server: {version: 'v1.31.4'},
  });
  expect((await win(['version', '--client'])).code).toBe(0);
});

test('helper script prints one PowerShell script', async () => {
  const {stdout} = await win(['helper', 'script']);
  expect(stdout).toMatch(/^#Requires -Version 5\.1/);
});
