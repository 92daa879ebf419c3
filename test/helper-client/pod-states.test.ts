import type {V1Node} from '@kubernetes/client-node';
import {describe, expect, it} from 'vitest';
import {HelperRun} from '../../src/helper/helper-run.js';
import type {Disturbed} from '../../src/sim/api/disturbance.js';
import {type SimulatedCluster, simulatedCluster} from '../kube/simulated.js';

const options = {startTimeoutMs: 20_000, stuckGraceMs: 50};

/** Client requests from now on, as `GET pods`, `WATCH pods`, `DELETE pods`. */
function requestsOf({simulation}: SimulatedCluster): string[] {
  const seen: string[] = [];
  simulation.disturb(({method, path, target}: Disturbed) => {
    const verb = path.includes('watch=true') ? 'WATCH' : method;
    if (target?.namespace === 'kubectl-win') seen.push(`${verb} ${target.type.plural}${target.name ? '/…' : ''}`);
    return undefined;
  });
  return seen;
}

const count = (seen: readonly string[], what: string) => seen.filter(one => one === what).length;
const times = <T>(number: number, make: () => T): T[] => Array.from({length: number}, make);

/** All rights except these verbs on pods. */
const without = (...verbs: string[]) => ({
  user: 'jane',
  rules: [
    {verbs: ['*'], apiGroups: ['*'], resources: ['configmaps', 'namespaces', 'nodes', 'events', 'pods/exec']},
    {
      verbs: ['list', 'watch', 'create', 'delete', 'deletecollection'].filter(verb => !verbs.includes(verb)),
      apiGroups: [''],
      resources: ['pods'],
    },
  ],
  others: {},
});

describe('the pods of a run', () => {
  it('need one watch and one delete request for any number of pods', async () => {
    await using cluster = await simulatedCluster();
    const node = await cluster.windowsNode();
    const seen = requestsOf(cluster);
    const run = new HelperRun(cluster.client, options);
    await Promise.all(times(12, () => run.open(node)));
    await run.close();
    expect([count(seen, 'POST pods'), count(seen, 'WATCH pods'), count(seen, 'GET pods/…')]).toEqual([12, 1, 0]);
    expect([count(seen, 'DELETE pods'), count(seen, 'DELETE pods/…')]).toEqual([1, 0]);
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('of one read are removed together, and the others stay', async () => {
    await using cluster = await simulatedCluster();
    const node = await cluster.windowsNode();
    const run = new HelperRun(cluster.client, options);
    const read = await Promise.all(times(3, () => run.open(node, {reading: '1'})));
    const kept = await run.open(node);
    await run.removeReading(
      '1',
      read.map(({pod}) => pod),
    );
    expect((await cluster.leftovers()).filter(name => !/^kubectl-win-[0-9a-f]{12}-/.test(name))).toEqual([kept.pod]);
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('are listed if watching is not allowed, and removed one by one if a collection delete is not', async () => {
    await using cluster = await simulatedCluster({access: without('watch', 'deletecollection')});
    const node = await cluster.windowsNode();
    const seen = requestsOf(cluster);
    const run = new HelperRun(cluster.client, options);
    await Promise.all(times(3, () => run.open(node)));
    await run.close();
    expect([count(seen, 'WATCH pods'), count(seen, 'DELETE pods/…')]).toEqual([1, 3]);
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('are followed after the server ended the watch and compacted its version', async () => {
    await using cluster = await simulatedCluster({faults: {slowStart: 8000}});
    const node = await cluster.windowsNode();
    const run = new HelperRun(cluster.client, options);
    const seen = requestsOf(cluster);
    const opening = openTwo(run, node);
    await expect.poll(() => count(seen, 'WATCH pods'), {timeout: 20_000}).toBe(1);
    // Changes without a watch, and compacted, are found by a list.
    const away = cluster.simulation.restart(300, 0);
    await cluster.client
      .create('/api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'other'}})
      .catch(() => {});
    cluster.simulation.store.compact();
    await away;
    await opening;
    expect(count(seen, 'GET pods')).toBeGreaterThanOrEqual(2);
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('are created once each although the API server is too busy for some time', async () => {
    await using cluster = await simulatedCluster();
    const node = await cluster.windowsNode();
    const run = new HelperRun(cluster.client, options);
    const busyUntil = Date.now() + 2500;
    const made: string[] = [];
    cluster.simulation.disturb(({method, target}) => {
      if (method !== 'POST' || target?.type.plural !== 'pods') return undefined;
      made.push(method);
      if (Date.now() > busyUntil) return undefined;
      return made.length % 2 === 0 ? {code: 503} : {code: 429, retryAfter: 1};
    });
    await openTwo(run, node);
    expect((await cluster.leftovers()).length).toBe(3);
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  });
});

const openTwo = (run: HelperRun, node: V1Node) => Promise.all([run.open(node), run.open(node)]);
