import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import {alivePods, startFleet} from './cleanup-support.js';
import type {Cluster} from './support.js';

const minutes = 60_000;

describe('cleanup --drain where pods have a PodDisruptionBudget', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startFleet('without-extension', 2);
  });
  afterAll(() => cluster.close());

  const isCordoned = () =>
    at(cluster.simulation.store.get(nodeType, undefined, 'win-1'), 'spec', 'unschedulable') === true;
  const budget = (name: string, spec: object) => {
    const file = join(cluster.folder, `${name}.json`);
    const document = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: {name, namespace: 'shop'},
      spec: {selector: {matchLabels: {app: 'storefront'}}, ...spec},
    };
    writeFileSync(file, JSON.stringify(document));
    return cluster.kubectl('create', '-f', file);
  };
  const drain = ['cleanup', 'win-1', '--level=hard', '--drain', '--yes', '--verify-timeout=60s'];

  it(
    'more than one per pod: refuses with the reason, and removes nothing',
    async () => {
      for (const name of ['one', 'two']) expect(await budget(name, {maxUnavailable: 1})).toMatchObject({code: 0});
      const before = alivePods(cluster);
      const {code, stdout, stderr} = await cluster.win(...drain);
      expect(code, stderr).not.toBe(0);
      expect(`${stdout}${stderr}`).toContain('more than one PodDisruptionBudget selects it');
      expect(alivePods(cluster)).toEqual(before);
      expect(isCordoned()).toBe(false);
      await cluster.kubectl('delete', 'poddisruptionbudget', 'one', 'two', '-n', 'shop');
    },
    2 * minutes,
  );

  const storefrontBudget = async () => {
    expect(await budget('storefront', {minAvailable: 2})).toMatchObject({code: 0});
    const healthy = ['poddisruptionbudget', 'storefront', '-n', 'shop', '-o', 'jsonpath={.status.currentHealthy}'];
    await expect.poll(async () => (await cluster.kubectl('get', ...healthy)).stdout, {timeout: 30_000}).toBe('2');
  };
  const allow = () => cluster.kubectl('delete', 'poddisruptionbudget', 'storefront', '-n', 'shop');

  it(
    'timed out while waiting for it: reports that nothing was done, and uncordons the node',
    async () => {
      await storefrontBudget();
      const {code, stderr} = await cluster.win(...drain, '--timeout=10s');
      expect(stderr).toContain('PodDisruptionBudget storefront needs 2 healthy pods');
      expect(stderr).toMatch(
        /^error: timed out \(--timeout\): the network of win-1 was not changed, and the node is not cordoned\.$/m,
      );
      expect(stderr).not.toContain('could not be read');
      expect(code).toBe(4);
      expect((await cluster.kubectl('get', 'node', 'win-1')).stdout).not.toContain('SchedulingDisabled');
      await allow();
    },
    2 * minutes,
  );

  it(
    'waits for it, names it, and continues when it allows the eviction',
    async () => {
      await storefrontBudget();
      const before = alivePods(cluster);
      const running = cluster.start(...drain);
      await running.printed(
        /cannot be evicted yet: PodDisruptionBudget storefront needs 2 healthy pods and has 2 currently\./,
      );
      expect(alivePods(cluster)).toEqual(before);
      expect(isCordoned()).toBe(true);
      await allow();
      const {code, stdout, stderr} = await running.ended;
      expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/win-1: \S+ and verified/)]);
      expect(isCordoned()).toBe(false);
    },
    2 * minutes,
  );
});
