import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {V1Pod} from '@kubernetes/client-node';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {helperCommand, helperPod} from '../../src/helper/manifests.js';
import {shortHash} from '../../src/helper/version-skew.js';
import {type Cluster, startCluster} from '../e2e/support.js';
import {eventually} from '../eventually.js';
import {realApi} from './real-api.js';

const manifest = (name: string) => fileURLToPath(new URL(`../../manifests/${name}`, import.meta.url));
const image = 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0';

const {version} = realApi();
const lacksPolicies = Number(version.split('.')[1]) < 30;
if (lacksPolicies) {
  process.stderr.write(
    `\n  SKIPPED: manifests/admission-policy.yaml. ValidatingAdmissionPolicy is stable from 1.30 on, this is ${version}.\n\n`,
  );
}

describe.skipIf(lacksPolicies)('the admission policy of manifests/', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster('antrea-healthy');
    for (const file of ['namespace.yaml', 'admission-policy.yaml']) {
      expect(await cluster.kubectl('apply', '-f', manifest(file))).toMatchObject({code: 0});
    }
    // A policy takes effect some time after its creation.
    const strange = inContainer(ours(), {image: 'registry.example/other:1'});
    await eventually('the policy', async () => (await tried(strange)).includes('denied request') || undefined);
  });
  afterAll(() => cluster.close());

  const ours = (): V1Pod =>
    helperPod({
      namespace: 'kubectl-win',
      owner: 'test',
      run: '0123456789',
      name: 'odd',
      node: 'win-1',
      image,
      configMap: `kubectl-win-${shortHash}-0123456789`,
      lifetimeSeconds: 60,
    });
  const withSpec = (pod: V1Pod, spec: object) => ({...pod, spec: {...pod.spec, ...spec}}) as V1Pod;
  const inContainer = (pod: V1Pod, changes: object) =>
    withSpec(pod, {containers: (pod.spec?.containers ?? []).map(container => ({...container, ...changes}))});

  async function tried(pod: V1Pod): Promise<string> {
    const file = join(cluster.folder, 'pod.json');
    writeFileSync(file, JSON.stringify(pod));
    const {code, stdout, stderr} = await cluster.kubectl('create', '--dry-run=server', '-f', file);
    return `${code} ${stdout}${stderr}`;
  }

  test('lets the helper run: doctor finds the nodes healthy', async () => {
    const {code, stderr} = await cluster.win('doctor');
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    expect(await tried(ours())).toMatch(/^0 /);
  });

  test('lets an installed helper read its node on a schedule', async () => {
    expect(await tried(inContainer(ours(), {command: [...helperCommand, '-Keep', '300']}))).toMatch(/^0 /);
  });

  test.each<[string, (pod: V1Pod) => V1Pod, string]>([
    ['another image', pod => inContainer(pod, {image: 'registry.example/other:1'}), 'is not in the ConfigMap'],
    ['another command', pod => inContainer(pod, {command: ['cmd.exe']}), 'may only run the command of the helper'],
    [
      'a script before the sleep',
      pod => inContainer(pod, {command: (pod.spec?.containers[0]?.command ?? []).with(1, '-EncodedCommand')}),
      'may only run the command of the helper',
    ],
    [
      'another script on a schedule',
      pod =>
        inContainer(pod, {
          command: [...[...helperCommand].map(word => word.replace(/^.env:.*/, 'C:\\evil.ps1')), '-Keep', '300'],
        }),
      'may only run the command of the helper',
    ],
    [
      'an additional command',
      pod => inContainer(pod, {args: ['; calc.exe']}),
      'may only run the command of the helper',
    ],
    [
      'another container',
      pod => withSpec(pod, {containers: [...(pod.spec?.containers ?? []), {name: 'more', image}]}),
      'may have only the container',
    ],
    [
      'an init container',
      pod => withSpec(pod, {initContainers: [{name: 'more', image}]}),
      'may have only the container',
    ],
    [
      'a folder of the node',
      pod => withSpec(pod, {volumes: [{name: 'scripts', hostPath: {path: 'C:\\'}}]}),
      'may mount only a script of kubectl win',
    ],
    [
      'other scripts',
      pod => withSpec(pod, {volumes: [{name: 'scripts', configMap: {name: 'mine'}}]}),
      'may mount only a script of kubectl win',
    ],
    [
      'another folder',
      pod => inContainer(pod, {workingDir: 'C:\\Users\\Public'}),
      'only the working directory and the variables',
    ],
    [
      'another variable',
      pod =>
        inContainer(pod, {env: [...(pod.spec?.containers[0]?.env ?? []), {name: 'COR_PROFILER_PATH', value: 'x'}]}),
      'only the working directory and the variables',
    ],
    [
      'another PATH',
      pod => inContainer(pod, {env: [{name: 'PATH', value: 'C:\\Users\\Public;C:\\Windows'}]}),
      'only the working directory and the variables',
    ],
    [
      'a token',
      pod => withSpec(pod, {automountServiceAccountToken: true}),
      'may not have a service account or a token',
    ],
  ])('refuses a HostProcess pod with %s', async (_, change, message) => {
    const answer = await tried(change(ours()));
    expect(answer).toContain("ValidatingAdmissionPolicy 'kubectl-win-helper'");
    expect(answer).toContain(message);
  });

  test('allows pods that are not HostProcess', async () => {
    const spec = {containers: [{name: 'job', image: 'registry.example/job:1'}]};
    expect(
      await tried({apiVersion: 'v1', kind: 'Pod', metadata: {name: 'job', namespace: 'kubectl-win'}, spec}),
    ).toMatch(/^0 /);
  });

  test('is named by doctor when it rejects the image', async () => {
    const {code, stderr} = await cluster.win('doctor', '--helper-image=registry.example/other:1');
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/ValidatingAdmissionPolicy 'kubectl-win-helper'.*Add the image/s),
    ]);
    expect(await cluster.leftovers()).toBe('');
  });

  test('allows only the scripts whose hashes it lists', async () => {
    const allow = (hash: string) =>
      cluster.kubectl(
        'patch',
        'configmap',
        'kubectl-win-policy',
        '-n',
        'kubectl-win',
        '-p',
        JSON.stringify({data: {scripts: hash}}),
      );
    await allow('000000000000');
    await expect.poll(() => tried(ours()), {timeout: 60_000, interval: 1000}).toContain('with an allowed hash');
    await allow(shortHash);
    await expect.poll(() => tried(ours()), {timeout: 60_000, interval: 1000}).toMatch(/^0 /);
  });
});
