import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {eventually} from '../eventually.js';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
  expect((await cluster.win('helper', 'install')).code).toBe(0);
});
afterAll(() => cluster.close());

const kubectl = async (...args: string[]) => {
  const {code, stdout, stderr} = await cluster.kubectl('-n', 'kubectl-win', ...args);
  expect({code, stderr}).toEqual({code: 0, stderr: ''});
  return stdout;
};

const installed = '-l=app.kubernetes.io/component=installed-helper';
type Pods = {items: {metadata: {name: string}; status: {phase: string}}[]};
const pods = async () => (JSON.parse(await kubectl('get', 'pods', installed, '-o', 'json')) as Pods).items;

/** Replaces the pods of the DaemonSet with those of its template, and waits until they run. */
async function rolledOut(): Promise<void> {
  const old = new Set((await pods()).map(({metadata}) => metadata.name));
  await kubectl('delete', 'pods', installed, '--wait=false');
  await eventually('two new pods', async () => {
    const now = await pods();
    const fresh = now.filter(({metadata, status}) => !old.has(metadata.name) && status.phase === 'Running');
    return fresh.length === 2 && now.length === 2 ? fresh : undefined;
  });
}

test('a helper of another kubectl win version is reported by every command, and not used', async () => {
  const labels = {
    'kubectl-win/script': '0123456789ab',
    'kubectl-win/protocol': '7',
    'app.kubernetes.io/version': '9.9.9',
  };
  await kubectl(
    ...['patch', 'daemonset', 'kubectl-win-helper', '--type=merge', '-p'],
    JSON.stringify({metadata: {labels}, spec: {template: {metadata: {labels}}}}),
  );
  await rolledOut();
  const differs =
    /The installed helper of kubectl win 9\.9\.9 \(script 0123456789ab, protocol 7\) does not match this client \(kubectl win 0\.1\.0, script [0-9a-f]{12}, protocol 1\)\./;
  const repair = 'Run "kubectl win helper install" to update it, or use the version of kubectl win that installed it.';

  const doctor = await cluster.win('doctor', '-o', 'name');
  expect(doctor).toMatchObject({code: 1, stdout: 'node/win-1\n'});
  expect(doctor.stderr).toMatch(differs);
  expect(doctor.stderr).toContain(`This command used its own helper pods instead. ${repair}`);

  const cleanup = await cluster.win('cleanup', 'win-1', '--dry-run=client');
  expect(cleanup.code).toBe(0);
  expect(cleanup.stderr).toMatch(differs);

  const status = await cluster.win('helper', 'status');
  expect(status.stdout).toContain('Installed: 2 of 2 ready, not up to date.');
  expect(status.stdout).toMatch(differs);
  expect(status.stdout).toContain(repair);

  const version = await cluster.win('version');
  expect(version.stdout).toMatch(differs);
  expect(JSON.parse((await cluster.win('version', '-o', 'json')).stdout).server.installedHelper).toEqual({
    ...{namespace: 'kubectl-win', script: '0123456789ab', protocol: 7, version: '9.9.9', upToDate: false},
  });
});

test('installing again updates it; then it is used and nothing is reported', async () => {
  expect((await cluster.win('helper', 'install')).code).toBe(0);
  await rolledOut();
  expect((await cluster.win('helper', 'status')).stdout).toContain('Installed: 2 of 2 ready, up to date.');
  expect((await cluster.win('version')).stdout).toContain('matches this client.');
  const doctor = await cluster.win('doctor', '-o', 'name');
  expect(doctor).toMatchObject({code: 1, stdout: 'node/win-1\n'});
  expect(doctor.stderr).not.toContain('installed helper');
});

test('a script that was changed under its name is rejected, and replaced by installing again', async () => {
  const [name = ''] = (await kubectl('get', 'configmaps', '-o', 'name')).match(/kubectl-win-[0-9a-f]{12}$/m) ?? [];
  const changed = JSON.parse(await kubectl('get', 'configmap', name, '-o', 'json'));
  changed.data['helper.ps1'] += '\n# one line more\n';
  delete changed.metadata.resourceVersion;
  delete changed.metadata.uid;
  const file = join(cluster.folder, 'changed.json');
  writeFileSync(file, JSON.stringify(changed));
  await kubectl('delete', 'configmap', name);
  await kubectl('create', '-f', file);
  await rolledOut();

  const refused = await cluster.win('doctor', 'win-1');
  expect(refused.code).toBe(4);
  expect(refused.stdout).toMatch(/runs a different script \([0-9a-f]{12}\) than this client sent \([0-9a-f]{12}\)/);
  expect(refused.stdout).toContain('kubectl win helper install');

  expect((await cluster.win('helper', 'install')).code).toBe(0);
  await rolledOut();
  expect((await cluster.win('doctor', 'win-1', '-o', 'name')).stdout).toBe('node/win-1\n');
});
