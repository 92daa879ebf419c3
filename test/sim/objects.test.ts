import {afterAll, beforeAll, describe, expect, it, vi} from 'vitest';
import {type Cluster, cluster, namespace, pod} from './support.js';

let lab: Cluster;
const maps = '/api/v1/namespaces/lab/configmaps';
const configMap = (name: string, extra: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name},
  data: {a: '1'},
  ...extra,
});

beforeAll(async () => {
  lab = await cluster('antrea-healthy');
  await lab.post('/api/v1/namespaces', namespace('lab'));
});
afterAll(() => lab[Symbol.asyncDispose]());

describe('objects', () => {
  it('are created with what a server adds, and read back', async () => {
    const {status, body} = await lab.post(`${maps}?fieldManager=tester`, configMap('made'));
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({
      name: 'made',
      namespace: 'lab',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      managedFields: [{manager: 'tester', operation: 'Update', fieldsV1: {'f:data': {'f:a': {}}}}],
    });
    expect((await lab.get(`${maps}/made`)).body).toEqual(body);
  });

  it('get a name from generateName', async () => {
    const {body} = await lab.post(maps, {...configMap(''), metadata: {generateName: 'any-'}});
    expect(body.metadata.name).toMatch(/^any-[a-z0-9]{5}$/);
  });

  it('are listed by label, field and page', async () => {
    for (const [name, tier] of Object.entries({one: 'x', two: 'x', three: 'y'})) {
      await lab.post(maps, {...configMap(name), metadata: {name, labels: {tier, sort: name}}});
    }
    const names = async (query: string) =>
      (await lab.get(`${maps}?${query}`)).body.items.map((item: {metadata: {name: string}}) => item.metadata.name);
    expect(await names('labelSelector=tier%3Dx')).toEqual(['one', 'two']);
    expect(await names('labelSelector=tier+notin+(x),sort')).toEqual(['three']);
    expect(await names('labelSelector=sort+in+(one,three)')).toEqual(['one', 'three']);
    expect(await names('fieldSelector=metadata.name%3Dtwo')).toEqual(['two']);
    const first = await lab.get(`${maps}?labelSelector=tier&limit=2`);
    expect(first.body.metadata).toMatchObject({remainingItemCount: 1, continue: expect.any(String)});
    expect(await names(`labelSelector=tier&limit=2&continue=${first.body.metadata.continue}`)).toEqual(['two']);
    expect((await lab.get('/api/v1/pods?fieldSelector=spec.color%3Dred')).body.message).toMatch(
      /not supported: spec.color/,
    );
  });

  it('are selected by the node they run on', async () => {
    const {body} = await lab.get('/api/v1/pods?fieldSelector=spec.nodeName%3Dwin-1,status.phase!%3DFailed');
    expect(body.items.length).toBeGreaterThan(2);
    expect(new Set(body.items.map((item: {spec: {nodeName: string}}) => item.spec.nodeName))).toEqual(
      new Set(['win-1']),
    );
  });

  it('change by merge, strategic merge and JSON patch', async () => {
    await lab.post(maps, configMap('patched'));
    expect((await lab.patch(`${maps}/patched`, {data: {b: '2', a: null}})).body.data).toEqual({b: '2'});
    const operations = [
      {op: 'test', path: '/data/b', value: '2'},
      {op: 'add', path: '/metadata/annotations', value: {'example.com/x': 'y'}},
      {op: 'replace', path: '/data/b', value: '3'},
    ];
    expect((await lab.patch(`${maps}/patched`, operations, 'json')).body).toMatchObject({
      data: {b: '3'},
      metadata: {annotations: {'example.com/x': 'y'}},
    });
    expect((await lab.patch(`${maps}/patched`, operations, 'json')).status).toBe(422);
    const taints = {spec: {taints: [{key: 'a', effect: 'NoSchedule'}]}, metadata: {labels: {zone: 'x'}}};
    const {body} = await lab.patch('/api/v1/nodes/win-1', taints, 'strategic-merge');
    expect(body).toMatchObject({spec: {podCIDR: expect.any(String)}, metadata: {labels: {zone: 'x'}}});
    expect(body.metadata.labels['kubernetes.io/os']).toBe('windows');
  });

  it('merge containers by name in a strategic merge patch', async () => {
    const path = '/apis/apps/v1/namespaces/kube-system/daemonsets/antrea-agent';
    const containers = [{name: 'antrea-ovs', env: [{name: 'A', value: '1'}]}];
    const {body} = await lab.patch(path, {spec: {template: {spec: {containers}}}}, 'strategic-merge');
    expect(body.spec.template.spec.containers).toMatchObject([
      {name: 'antrea-agent', image: expect.any(String)},
      {name: 'antrea-ovs', image: expect.any(String), env: [{name: 'A', value: '1'}]},
    ]);
    expect(body.metadata.generation).toBe(2);
  });

  it('are applied server-side: created, changed, fields removed, conflicts reported', async () => {
    const path = `${maps}/applied?fieldManager=one`;
    const manifest = (data: object) => ({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'applied'}, data});
    expect((await lab.patch(path, manifest({a: '1', b: '2'}), 'apply')).status).toBe(201);
    expect((await lab.patch(path, manifest({a: '5'}), 'apply')).body.data).toEqual({a: '5'});
    const other = path.replace('one', 'two');
    const refused = await lab.patch(other, manifest({a: '9'}), 'apply');
    expect(refused).toMatchObject({
      status: 409,
      body: {message: expect.stringContaining('conflict with "one": .data.a')},
    });
    expect((await lab.patch(`${other}&force=true`, manifest({a: '9'}), 'apply')).body.data).toEqual({a: '9'});
  });

  it('keep their status when the object changes, and vice versa', async () => {
    const path = '/api/v1/nodes/win-2';
    const before = (await lab.get(path)).body;
    await lab.patch(path, {status: {phase: 'Pending'}, metadata: {labels: {a: 'b'}}});
    const {body} = await lab.get(path);
    expect(body.status).toEqual(before.status);
    await lab.patch(`${path}/status`, {status: {phase: 'Running'}, metadata: {labels: {a: 'c'}}});
    expect((await lab.get(path)).body).toMatchObject({status: {phase: 'Running'}, metadata: {labels: {a: 'b'}}});
  });

  it('are unchanged in a dry run', async () => {
    expect((await lab.post(`${maps}?dryRun=All`, configMap('dry'))).status).toBe(201);
    expect((await lab.get(`${maps}/dry`)).status).toBe(404);
    await lab.post(maps, configMap('wet'));
    expect((await lab.patch(`${maps}/wet?dryRun=All`, {data: {a: '2'}})).body.data).toEqual({a: '2'});
    expect((await lab.delete(`${maps}/wet?dryRun=All`)).status).toBe(200);
    expect((await lab.get(`${maps}/wet`)).body.data).toEqual({a: '1'});
  });

  it('are deleted alone or as a collection, with their dependents', async () => {
    const owner = (await lab.post(maps, configMap('owner'))).body;
    const reference = {apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid};
    const metadata = {name: 'owned', ownerReferences: [reference]};
    await lab.post(maps, {...configMap('owned'), metadata});
    expect((await lab.delete(`${maps}/owner`)).body).toMatchObject({status: 'Success', details: {name: 'owner'}});
    expect((await lab.get(`${maps}/owned`)).status).toBe(404);
    await lab.post(maps, {...configMap('batch'), metadata: {name: 'batch', labels: {batch: 'yes'}}});
    expect((await lab.delete(`${maps}?labelSelector=batch%3Dyes`)).body.items).toHaveLength(1);
    expect((await lab.get(`${maps}/batch`)).status).toBe(404);
  });

  it('of a namespace are deleted before it', async () => {
    await using lab = await cluster('antrea-healthy', {podStopMs: 300});
    await lab.post('/api/v1/namespaces', namespace('doomed'));
    await lab.post('/api/v1/namespaces/doomed/configmaps', configMap('inside'));
    const body = {...pod('p', 'win-1'), metadata: {name: 'p'}};
    await lab.post('/api/v1/namespaces/doomed/pods', body);
    expect((await lab.delete('/api/v1/namespaces/doomed')).body.status).toEqual({phase: 'Terminating'});
    const late = await lab.post('/api/v1/namespaces/doomed/configmaps', configMap('late'));
    expect(late.status).toBe(403);
    await vi.waitFor(async () => expect((await lab.get('/api/v1/namespaces/doomed')).status).toBe(404));
  });
});
