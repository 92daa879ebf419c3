import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {namespaceType, podType} from '../../src/sim/api/resource-types.js';
import {startFleet} from './cleanup-support.js';
import type {Cluster} from './support.js';

interface PlanDocument {
  after: {do: string; with: Record<string, unknown>}[];
}

describe('a plan file with invalid names', () => {
  let cluster: Cluster;
  let plan: PlanDocument;
  beforeAll(async () => {
    cluster = await startFleet('without-extension', 1);
    const {stdout} = await cluster.win('cleanup', 'win-1', '--level=medium', '--dry-run=client', '-o', 'json');
    plan = JSON.parse(stdout);
  });
  afterAll(() => cluster.close());

  const objects = () => [
    ...cluster.simulation.store.list(namespaceType).map(({metadata}) => metadata.name),
    ...cluster.simulation.store.list(podType).map(({metadata}) => metadata.name),
  ];

  it.each([
    {namespace: 'shop', name: '..'},
    {namespace: 'shop', name: '.'},
    {namespace: 'shop', name: ''},
    {namespace: '..', name: 'shop'},
    {namespace: 'shop', name: 'a/../..'},
    {namespace: 'shop', name: '%2e%2e'},
    {namespace: 'Shop', name: 'storefront'},
  ])('with %j is rejected, and deletes nothing', async names => {
    const before = objects();
    const file = join(cluster.folder, 'plan.json');
    const deletion = {do: 'pod.delete', with: {...names, awaits: false}};
    writeFileSync(file, JSON.stringify({...plan, after: [deletion, ...plan.after]}));
    const {code, stderr} = await cluster.win('cleanup', '--plan', file, '--yes');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is not a repair plan|is not a valid repair plan/)]);
    expect(objects()).toEqual(before);
  });
});
