import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {fleet} from '../e2e/cleanup-support.js';
import {type Cluster, cluster} from './support.js';

/** What blocks an eviction. Runs on the simulated and on a real API server. */
let lab: Cluster;
beforeAll(async () => {
  lab = await cluster(fleet('without-extension', 2), {controllers: true});
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const home = '/api/v1/namespaces/shop/pods';
const budgets = '/apis/policy/v1/namespaces/shop/poddisruptionbudgets';

const budget = (name: string, spec: object) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: {name},
  spec: {selector: {matchLabels: {app: 'storefront'}}, ...spec},
});

/** A pod of the workload that is not being deleted. */
async function somePod(): Promise<string> {
  const {body} = await lab.get(home);
  return body.items.find(({metadata}: {metadata: {deletionTimestamp?: string}}) => !metadata.deletionTimestamp).metadata
    .name;
}

async function evict(name: string, query = '') {
  const eviction = {apiVersion: 'policy/v1', kind: 'Eviction', metadata: {name, namespace: 'shop'}};
  const {status, body} = await lab.post(`${home}/${name}/eviction${query}`, eviction);
  return {
    status,
    says: body.status,
    code: body.code,
    message: body.message,
    causes: (body.details?.causes ?? []).map(({reason, message}: {reason: string; message: string}) => [
      reason,
      message,
    ]),
  };
}

const refused = (cause: string) => ({
  status: 429,
  says: 'Failure',
  code: 429,
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  causes: [['DisruptionBudget', cause]],
});

describe('an eviction', () => {
  it.each([
    ['that needs all pods', {minAvailable: 2}],
    ['that lets none be away', {maxUnavailable: 0}],
    ['that needs more than half', {minAvailable: '60%'}],
  ])('against a budget %s is rejected with 429, and names the budget', async (_, spec) => {
    expect((await lab.post(budgets, budget('storefront', spec))).status).toBe(201);
    const name = await somePod();
    await expect
      .poll(() => evict(name), {timeout: 30_000})
      .toEqual(refused('The disruption budget storefront needs 2 healthy pods and has 2 currently'));
    await lab.delete(`${budgets}/storefront`);
    await expect.poll(async () => (await evict(name, '?dryRun=All')).status, {timeout: 30_000}).toBe(201);
  });

  it('of a pod with two budgets fails with 500 every time', async () => {
    for (const name of ['one', 'two']) await lab.post(budgets, budget(name, {maxUnavailable: 1}));
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    const name = await somePod();
    await expect
      .poll(() => evict(name), {timeout: 30_000})
      .toEqual({status: 500, says: 'Failure', code: 500, message, causes: []});
    for (const name of ['one', 'two']) await lab.delete(`${budgets}/${name}`);
    expect((await lab.get(`${home}/${name}`)).body.metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('that the budget allows deletes the pod, and the next one has to wait', async () => {
    await lab.post(budgets, budget('storefront', {maxUnavailable: 1}));
    const allowed = async () => (await lab.get(`${budgets}/storefront`)).body.status.disruptionsAllowed;
    await expect.poll(allowed, {timeout: 30_000}).toBe(1);
    const [first, second] = (await lab.get(home)).body.items.map(
      ({metadata}: {metadata: {name: string}}) => metadata.name,
    );
    expect((await evict(first)).status).toBe(201);
    expect(await evict(second)).toEqual(
      refused('The disruption budget storefront needs 1 healthy pods and has 1 currently'),
    );
  });
});
