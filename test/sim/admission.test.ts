import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {loadScenario} from '../../src/sim/scenarios.js';
import {lacksControllers} from '../apiserver/chosen-api.js';
import {type Cluster, cluster, namespace, pod, type Reply} from './support.js';

/** Rejections that do not depend on rights. Runs on the simulated and on a real server. */
let lab: Cluster;
beforeAll(async () => {
  lab = await cluster('antrea-healthy');
});
afterAll(() => lab?.[Symbol.asyncDispose]());

async function inNamespace(name: string, labels: Record<string, string> = {}): Promise<string> {
  await lab.post('/api/v1/namespaces', namespace(name, labels));
  // The controllers create its service account a moment later.
  await expect
    .poll(async () => (await lab.get(`/api/v1/namespaces/${name}/serviceaccounts/default`)).status, {timeout: 30_000})
    .toBe(200);
  return `/api/v1/namespaces/${name}`;
}

const requests = {cpu: '10m', memory: '64Mi'};

/** A pod like the helper's, in the namespace of the path. */
function helper(resources: object = {requests}): object {
  const made = pod('odd', 'win-1', {activeDeadlineSeconds: 60});
  const [container] = made.spec.containers;
  return {...made, metadata: {name: 'odd'}, spec: {...made.spec, containers: [{...container, resources}]}};
}

const told = ({status, body}: Reply) => `${status} ${body.reason}: ${body.message}`;
const tried = async (home: string, body: object) => told(await lab.post(`${home}/pods?dryRun=All`, body));

describe.skipIf(lacksControllers)('a quota', () => {
  const quota = (hard: object) => ({apiVersion: 'v1', kind: 'ResourceQuota', metadata: {name: 'small'}, spec: {hard}});

  it('on limits rejects pods without limits', async () => {
    const home = await inNamespace('limits');
    await lab.post(`${home}/resourcequotas`, quota({'limits.cpu': '1', 'limits.memory': '1Gi'}));
    await expect
      .poll(() => tried(home, helper()))
      .toBe(
        '403 Forbidden: pods "odd" is forbidden: failed quota: small: must specify limits.cpu for: helper; limits.memory for: helper',
      );
  });

  it('that is exhausted reports what was requested, what is used and the limit', async () => {
    const home = await inNamespace('full');
    await lab.post(`${home}/resourcequotas`, quota({pods: '0', 'requests.memory': '32Mi'}));
    await expect
      .poll(() => tried(home, helper()))
      .toBe(
        '403 Forbidden: pods "odd" is forbidden: exceeded quota: small, requested: pods=1,requests.memory=64Mi, used: pods=0,requests.memory=0, limited: pods=0,requests.memory=32Mi',
      );
  });
});

describe('a LimitRange', () => {
  const range = (limit: object) => ({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: {name: 'range'},
    spec: {limits: [{type: 'Container', ...limit}]},
  });

  it('rejects containers that request too little', async () => {
    const home = await inNamespace('least');
    await lab.post(`${home}/limitranges`, range({min: {cpu: '100m'}}));
    await expect
      .poll(() => tried(home, helper()))
      .toBe('403 Forbidden: pods "odd" is forbidden: minimum cpu usage per Container is 100m, but request is 10m');
  });

  it('sets its default on containers without a limit, which may be below their request', async () => {
    const home = await inNamespace('most');
    await lab.post(`${home}/limitranges`, range({max: {memory: '32Mi'}}));
    await expect
      .poll(() => tried(home, helper()))
      // Older servers omit the limit.
      .toMatch(
        /^422 Invalid: Pod "odd" is invalid: spec\.containers\[0\]\.resources\.requests: Invalid value: "64Mi": must be less than or equal to memory limit( of 32Mi)?$/,
      );
    const most = {limits: {memory: '128Mi'}, requests};
    expect(await tried(home, helper(most))).toBe(
      '403 Forbidden: pods "odd" is forbidden: maximum memory usage per Container is 32Mi, but limit is 128Mi',
    );
  });
});

describe('a ValidatingAdmissionPolicy', () => {
  it('denies with its name, its message and its own code', async ({skip}) => {
    skip(Number(lab.simulation.version.split('.')[1]) < 30, 'stable from 1.30 on');
    const home = await inNamespace('watched', {team: 'strict'});
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const path = `/apis/${apiVersion}`;
    const rule = {apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods']};
    const policy = await lab.post(`${path}/validatingadmissionpolicies`, {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: {name: 'no-pods'},
      spec: {matchConstraints: {resourceRules: [rule]}, validations: [{expression: 'false', message: 'not here'}]},
    });
    expect(policy.status).toBe(201);
    const binding = await lab.post(`${path}/validatingadmissionpolicybindings`, {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: {name: 'strict-teams'},
      spec: {
        policyName: 'no-pods',
        validationActions: ['Deny'],
        matchResources: {namespaceSelector: {matchLabels: {team: 'strict'}}},
      },
    });
    expect(binding.status).toBe(201);
    await expect
      .poll(() => tried(home, helper()), {timeout: 30_000})
      .toBe(
        `422 Invalid: pods "odd" is forbidden: ValidatingAdmissionPolicy 'no-pods' with binding 'strict-teams' denied request: not here`,
      );
    expect(await tried(await inNamespace('unwatched'), helper())).toMatch(/^201 /);
  });
});

describe('a namespace', () => {
  it('without its default service account accepts no pods', async () => {
    const home = await inNamespace('bare');
    const made = helper() as {spec: object};
    const stranger = {...made, spec: {...made.spec, serviceAccountName: 'nobody'}};
    expect(await tried(home, stranger)).toBe(
      '403 Forbidden: pods "odd" is forbidden: error looking up service account bare/nobody: serviceaccount "nobody" not found',
    );
  });

  it('without a Pod Security label has the level of the cluster', async () => {
    await using strict = await cluster({...loadScenario('antrea-healthy'), podSecurity: 'baseline'});
    await strict.post('/api/v1/namespaces', namespace('silent'));
    const path = '/api/v1/namespaces/silent';
    await expect.poll(async () => (await strict.get(`${path}/serviceaccounts/default`)).status).toBe(200);
    expect(told(await strict.post(`${path}/pods`, helper()))).toBe(
      '403 Forbidden: pods "odd" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true), hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    );
  });
});

describe('the QoS class of a pod', () => {
  it.each([
    [{}, 'BestEffort'],
    [{requests}, 'Burstable'],
    [{limits: requests}, 'Guaranteed'],
    [{limits: {cpu: '1'}, requests: {cpu: '1'}}, 'Burstable'],
  ])('with %j is %s', async (resources, expected) => {
    const home = await inNamespace('classes');
    const {body} = await lab.post(`${home}/pods?dryRun=All`, helper(resources));
    expect(body.status.qosClass).toBe(expected);
  });
});
