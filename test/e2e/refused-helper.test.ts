import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {lacksControllers} from '../apiserver/chosen-api.js';
import {type Cluster, startCluster} from './support.js';

/** A cluster that rejects every helper pod by admission denies access: exit code 3. */
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-healthy');
  await cluster.kubectl('create', 'namespace', 'tools');
  await cluster.kubectl('label', 'namespace', 'tools', 'pod-security.kubernetes.io/enforce=privileged');
});
afterAll(() => cluster?.close());

function create(object: object, ...args: string[]) {
  const file = join(cluster.folder, 'object.json');
  writeFileSync(file, JSON.stringify(object));
  return cluster.kubectl('create', '-n', 'tools', '-f', file, ...args);
}

async function refused(...args: string[]) {
  const {code, stdout, stderr} = await cluster.win(...args, '--helper-namespace=tools');
  return {code, stdout, stderr};
}

const commands = ['doctor', 'doctor -o json', 'inspect win-1', 'preflight antrea', 'cleanup win-1 --yes', 'collect'];

describe.skipIf(lacksControllers)('a quota without room for the helper', () => {
  test('rejects pods', async () => {
    await create({apiVersion: 'v1', kind: 'ResourceQuota', metadata: {name: 'small'}, spec: {hard: {pods: '0'}}});
    const spec = {containers: [{name: 'probe', image: 'probe'}]};
    const probe = () => create({apiVersion: 'v1', kind: 'Pod', metadata: {name: 'probe'}, spec}, '--dry-run=server');
    await expect.poll(async () => (await probe()).stderr, {timeout: 20_000}).toContain('exceeded quota: small');
  });

  test.each(commands)('%s exits with 3 and names the quota once', async command => {
    const {code, stdout, stderr} = await refused(...command.split(' '));
    expect(stderr).toContain('exceeded quota: small');
    expect(stderr.match(/Raise the ResourceQuota small of namespace tools/g)).toHaveLength(1);
    expect(stdout).toBe('');
    expect(code).toBe(3);
  });

  test('doctor offers to use only the API', async () => {
    expect((await refused('doctor')).stderr).toContain('Or read only the Kubernetes API: pass --no-helper.');
  });

  test('nothing is left behind', async () => {
    expect(await cluster.leftovers()).toBe('');
  });
});
