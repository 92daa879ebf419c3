import {afterEach, expect, test} from 'vitest';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster;
afterEach(() => cluster.close());

test('cleanup survives an API server that is down longer than a request waits, and uncordons the node', async () => {
  cluster = await startCluster('antrea-reboot', {pace: {stepMs: 100, retryMs: 300}});
  const running = cluster.start('cleanup', 'win-1', '--yes', '--verify-timeout=90s');
  await running.printed(/✓ 6\/\d+ /);
  await cluster.simulation.restart(10_000, 2_000);
  const {code, stdout, stderr} = await running.ended;
  expect([code, code === 0 ? '' : `${stdout}${stderr}`]).toEqual([0, '']);
  await expect
    .poll(() => at(cluster.simulation.store.get(nodeType, undefined, 'win-1'), 'spec', 'unschedulable'))
    .not.toBe(true);
  expect(await cluster.leftovers()).toBe('');
}, 180_000);
