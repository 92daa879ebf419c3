import {PassThrough} from 'node:stream';
import {
  AppsV1Api,
  CoreV1Api,
  Exec,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1Status,
  Watch,
} from '@kubernetes/client-node';
import {afterAll, beforeAll, expect, it} from 'vitest';
import {type Cluster, cluster, namespace} from './support.js';

let lab: Cluster;
const config = new KubeConfig();

beforeAll(async () => {
  lab = await cluster('flannel-overlay');
  config.loadFromString(lab.simulation.kubeconfig);
  await lab.post('/api/v1/namespaces', namespace('lab'));
});
afterAll(() => lab[Symbol.asyncDispose]());

it('client-node reads, patches and deletes objects', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const {items} = await core.listNode({labelSelector: 'kubernetes.io/os=windows'});
  expect(items.map(({metadata}) => metadata?.name)).toEqual(['fl-win-a', 'fl-win-b']);
  const body = {metadata: {annotations: {'example.com/a': 'b'}}};
  const options = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  const node = await core.patchNode({name: 'fl-win-a', body, fieldManager: 'test'}, options);
  expect(node.metadata?.annotations?.['example.com/a']).toBe('b');
  await core.createNamespacedConfigMap({namespace: 'lab', body: {metadata: {name: 'c'}, data: {a: 'b'}}});
  await core.deleteNamespacedConfigMap({namespace: 'lab', name: 'c'});
  await expect(core.readNamespacedConfigMap({namespace: 'lab', name: 'c'})).rejects.toMatchObject({code: 404});
  const {items: sets} = await config.makeApiClient(AppsV1Api).listDaemonSetForAllNamespaces();
  expect(sets.map(({metadata}) => metadata?.name)).toContain('kube-flannel-ds-windows-amd64');
});

it('client-node runs a command and gets its output and status', async () => {
  const pod = await lab.helperPod('fl-win-a');
  const stdout = new PassThrough();
  let output = '';
  stdout.on('data', chunk => {
    output += String(chunk);
  });
  const status = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config).exec('lab', pod, 'helper', ['hostname'], stdout, null, null, false, resolve).catch(reject);
  });
  expect(status.status).toBe('Success');
  expect(output).toBe('FL-WIN-A\r\n');
});

it('client-node watches', async () => {
  const seen = Promise.withResolvers<string>();
  const request = await new Watch(config).watch(
    '/api/v1/namespaces/lab/configmaps',
    {},
    (phase, object) => {
      if (object.metadata.name === 'watched') seen.resolve(phase);
    },
    () => {},
  );
  await lab.post('/api/v1/namespaces/lab/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name: 'watched'},
  });
  expect(await seen.promise).toBe('ADDED');
  request.abort();
});
