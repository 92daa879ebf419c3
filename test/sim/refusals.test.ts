import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type Cluster, cluster, namespace, pod} from './support.js';

let lab: Cluster;
const pods = '/api/v1/namespaces/lab/pods';
const maps = '/api/v1/namespaces/lab/configmaps';
const configMap = (name: string, extra: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name},
  ...extra,
});
const message = async (reply: Promise<{status: number; body: {message: string}}>) => {
  const {status, body} = await reply;
  return `${status} ${body.message}`;
};

beforeAll(async () => {
  lab = await cluster('antrea-healthy');
  await lab.post('/api/v1/namespaces', namespace('lab'));
  await lab.post('/api/v1/namespaces', namespace('strict', {'pod-security.kubernetes.io/enforce': 'restricted'}));
  await lab.post('/api/v1/namespaces', namespace('base', {'pod-security.kubernetes.io/enforce': 'baseline'}));
});
afterAll(() => lab[Symbol.asyncDispose]());

describe('the server rejects', () => {
  it('a wrong token', async () => {
    const reply = await lab.request('GET', '/api/v1/nodes', undefined, {authorization: 'Bearer nonsense'});
    expect(reply).toMatchObject({status: 401, body: {reason: 'Unauthorized'}});
  });

  it('a missing object, in the wording of the real server', async () => {
    expect(await message(lab.get('/api/v1/nodes/nobody'))).toBe('404 nodes "nobody" not found');
    expect(await message(lab.get('/apis/apps/v1/namespaces/lab/daemonsets/x'))).toBe(
      '404 daemonsets.apps "x" not found',
    );
    expect(await message(lab.post('/api/v1/namespaces/nowhere/configmaps', configMap('a')))).toBe(
      '404 namespaces "nowhere" not found',
    );
    expect((await lab.get('/api/v1/gadgets')).status).toBe(404);
  });

  it('an existing name, and an outdated version', async () => {
    const {body} = await lab.post(maps, configMap('twice'));
    expect(await message(lab.post(maps, configMap('twice')))).toBe('409 configmaps "twice" already exists');
    await lab.patch(`${maps}/twice`, {data: {a: '1'}});
    expect(await message(lab.request('PUT', `${maps}/twice`, body))).toBe(
      '409 Operation cannot be fulfilled on configmaps "twice": the object has been modified; please apply your changes to the latest version and try again',
    );
    const stale = {metadata: {resourceVersion: body.metadata.resourceVersion}, data: {a: '2'}};
    expect((await lab.patch(`${maps}/twice`, stale)).status).toBe(409);
    const preconditions = {uid: 'other'};
    expect((await lab.delete(`${maps}/twice`, {preconditions})).status).toBe(409);
  });

  it('a change of an immutable ConfigMap', async () => {
    await lab.post(maps, configMap('frozen', {immutable: true, data: {a: '1'}}));
    expect(await message(lab.patch(`${maps}/frozen`, {data: {a: '2'}}))).toBe(
      '422 ConfigMap "frozen" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    );
    expect((await lab.patch(`${maps}/frozen`, {immutable: false})).status).toBe(422);
    expect((await lab.patch(`${maps}/frozen`, {metadata: {labels: {a: 'b'}}})).status).toBe(200);
  });

  it('invalid names, labels and keys', async () => {
    expect(await message(lab.post(maps, configMap('Big_Name')))).toMatch(
      /^422 ConfigMap "Big_Name" is invalid: metadata.name: Invalid value: "Big_Name": a lowercase RFC 1123 subdomain/,
    );
    const labels = {metadata: {name: 'x', labels: {'a b': 'c', ok: 'not/ok'}}};
    expect(await message(lab.post(maps, configMap('x', labels)))).toMatch(
      /^422 .*metadata.labels: .*name part.*metadata.labels: .*a valid label/,
    );
    expect(await message(lab.post(maps, configMap('x', {data: {'a/b': '1'}})))).toMatch(/a valid config key/);
    expect((await lab.post(maps, configMap('x', {data: {a: 'x'.repeat(2 ** 21)}}))).status).toBe(422);
  });

  it('unknown fields, as strictly as requested', async () => {
    const wrong = pod('odd', 'win-1', {hostNetwrok: true});
    const warned = await lab.post(`${pods}?dryRun=All`, wrong);
    expect(warned).toMatchObject({status: 201, warnings: '299 - "unknown field \\"spec.hostNetwrok\\""'});
    expect(await message(lab.post(`${pods}?fieldValidation=Strict`, wrong))).toBe(
      '400 Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.hostNetwrok"',
    );
    expect((await lab.post(`${pods}?fieldValidation=Ignore&dryRun=All`, wrong)).warnings).toBe('');
    const nested = pod('odd', 'win-1', {containers: [{name: 'c', image: 'i', imgPullPolicy: 'x'}], volumes: []});
    expect((await lab.post(`${pods}?dryRun=All`, nested)).warnings).toContain('spec.containers[0].imgPullPolicy');
  });

  it('values of the wrong type and missing values', async () => {
    expect((await lab.post(pods, pod('odd', 'win-1', {hostNetwork: 'yes'}))).status).toBe(400);
    expect(await message(lab.post(pods, pod('odd', 'win-1', {containers: [{name: 'c'}], volumes: []})))).toBe(
      '422 Pod "odd" is invalid: spec.containers[0].image: Required value',
    );
    expect(await message(lab.post(pods, pod('odd', 'win-1', {volumes: []})))).toContain(
      'spec.containers[0].volumeMounts[0].name: Not found: "scripts"',
    );
  });

  it('HostProcess pods that violate the HostProcess rules', async () => {
    expect(await message(lab.post(pods, pod('odd', 'win-1', {hostNetwork: false})))).toBe(
      '422 Pod "odd" is invalid: spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
    );
    const container = (name: string, hostProcess: boolean) => ({
      name,
      image: 'i',
      securityContext: {windowsOptions: {hostProcess}},
    });
    const mixed = {securityContext: {}, containers: [container('a', true), container('b', false)], volumes: []};
    expect(await message(lab.post(pods, pod('odd', 'win-1', mixed)))).toContain(
      'If pod contains any hostProcess containers then all containers must be HostProcess containers',
    );
    const contrary = {containers: [container('a', false)], volumes: []};
    expect(await message(lab.post(pods, pod('odd', 'win-1', contrary)))).toContain(
      'must be identical if both are specified',
    );
    const privileged = {containers: [{name: 'a', image: 'i', securityContext: {privileged: true}}], volumes: []};
    expect(await message(lab.post(pods, pod('odd', 'win-1', privileged)))).toContain(
      'spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod',
    );
  });

  it('the helper in namespaces whose Pod Security level is not privileged', async () => {
    const into = (name: string) =>
      lab.post(`/api/v1/namespaces/${name}/pods`, {...pod('odd', 'win-1'), metadata: {name: 'odd'}});
    expect(await message(into('base'))).toBe(
      '403 pods "odd" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true), hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    );
    expect(await message(into('strict'))).toMatch(
      /^403 .*"restricted:latest": .*runAsNonRoot != true \(pod or container "helper" must set/,
    );
  });

  it('a change of a running pod', async () => {
    const name = await lab.helperPod();
    expect(await message(lab.patch(`${pods}/${name}`, {spec: {nodeName: 'win-2'}}))).toContain(
      'pod updates may not change fields other than',
    );
    expect((await lab.patch(`${pods}/${name}`, {spec: {activeDeadlineSeconds: 99}})).status).toBe(200);
  });
});

describe('the rights of a token', () => {
  const yaml = (access: string) => `
description: test
kubernetes: v1.31.4
podNetwork: 10.124.0.0/16
plugins: {antrea: {}}
nodes:
  - {name: ctl, os: linux, controlPlane: true, address: 10.0.0.1/24, podCIDR: 10.124.0.0/24}
  - {name: win-1, address: 10.0.0.2/24, podCIDR: 10.124.1.0/24}
access: ${access}
`;

  it('are those of the scenario, and a denial names the user, verb, resource and namespace', async () => {
    const rules = [
      {verbs: ['get'], resources: ['nodes'], resourceNames: ['win-1']},
      {verbs: ['list', 'create'], resources: ['pods'], namespaces: ['lab']},
    ];
    await using narrow = await cluster(yaml(JSON.stringify({user: 'jane', rules})));
    expect((await narrow.get('/api/v1/nodes/win-1')).status).toBe(200);
    expect((await narrow.get('/api/v1/namespaces/lab/pods')).status).toBe(200);
    expect(await message(narrow.get('/api/v1/nodes'))).toBe(
      '403 nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    expect(await message(narrow.get('/api/v1/namespaces/kube-system/pods'))).toBe(
      '403 pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "kube-system"',
    );
    expect(await message(narrow.get('/apis/apps/v1/namespaces/lab/daemonsets/x'))).toBe(
      '403 daemonsets.apps "x" is forbidden: User "jane" cannot get resource "daemonsets" in API group "apps" in the namespace "lab"',
    );
    await expect(narrow.exec('x', ['hostname'])).rejects.toThrow(
      'pods \\"x\\" is forbidden: User \\"jane\\" cannot get resource \\"pods/exec\\" in API group \\"\\" in the namespace \\"lab\\"',
    );
    const ask = async (resourceAttributes: object) => {
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      return (await narrow.post(path, {spec: {resourceAttributes}})).body.status.allowed;
    };
    expect(await ask({verb: 'create', resource: 'pods', namespace: 'lab'})).toBe(true);
    expect(await ask({verb: 'create', resource: 'pods', subresource: 'exec', namespace: 'lab'})).toBe(false);
    expect(await ask({verb: 'get', resource: 'nodes', name: 'win-1'})).toBe(true);
    const review = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
    const {status} = (await narrow.post(review, {spec: {namespace: 'lab'}})).body;
    expect(status.resourceRules).toContainEqual({verbs: ['list', 'create'], apiGroups: [''], resources: ['pods']});
  });

  it('are read-only for a viewer', async () => {
    await using viewer = await cluster(yaml('viewer'));
    expect((await viewer.get('/api/v1/pods')).status).toBe(200);
    expect((await viewer.post('/api/v1/namespaces', namespace('lab'))).status).toBe(403);
  });

  it('are those of the impersonated user, if impersonation is allowed', async () => {
    const rules = [{verbs: ['impersonate'], resources: ['users'], resourceNames: ['bob']}];
    const others = {bob: [{verbs: ['list'], resources: ['nodes']}]};
    await using masked = await cluster(yaml(JSON.stringify({user: 'jane', rules, others})));
    expect((await masked.get('/api/v1/nodes', {'impersonate-user': 'bob'})).status).toBe(200);
    expect(await message(masked.get('/api/v1/nodes', {'impersonate-user': 'eve'}))).toContain(
      'users "eve" is forbidden: User "jane" cannot impersonate resource "users"',
    );
  });
});
