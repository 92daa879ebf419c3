import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import {startFleet, statusOf} from './cleanup-support.js';
import type {Cluster} from './support.js';

const minutes = 60_000;
const mark = 'kubectl-win/cordoned-by';

describe('a node that a run left cordoned', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startFleet('rebooted', 1);
  });
  afterAll(() => cluster.close());

  const node = () => cluster.simulation.store.get(nodeType, undefined, 'win-1');
  const isCordoned = () => at(node(), 'spec', 'unschedulable') === true;

  it(
    'because it was killed right after is uncordoned by the next run',
    async () => {
      const running = cluster.start('cleanup', 'win-1', '--yes', '--verify-timeout=60s');
      await running.printed(/✓ 1\/\d+ Cordons/);
      running.child.kill('SIGKILL');
      await running.ended;
      expect(isCordoned()).toBe(true);
      expect(node().metadata.annotations?.[mark]).toMatch(/^[0-9a-f-]{36}$/);
      const runs = async () =>
        (await statusOf(cluster, 'win-1')).some(({plans}) => plans.some(({state}) => state === 'running'));
      await expect.poll(runs, {timeout: 60_000}).toBe(false);

      const {code, stdout, stderr} = await cluster.win('cleanup', 'win-1', '--yes', '--verify-timeout=60s');
      expect([code, stdout]).toEqual([0, expect.stringContaining('win-1: repaired and verified')]);
      expect(stderr).toMatch(/Plan [0-9a-f-]{36} left it cordoned\./);
      expect(stderr).not.toContain('Cordons win-1');
      expect(isCordoned()).toBe(false);
      expect(node().metadata.annotations).not.toHaveProperty([mark]);
    },
    2 * minutes,
  );

  it(
    'and that is healthy is reported by doctor, and cleanup uncordons it when permitted',
    async () => {
      await cluster.kubectl('cordon', 'win-1');
      await cluster.kubectl('annotate', 'node', 'win-1', `${mark}=5b0f6c3e-2a51-4d8f-8a8b-0c8d4c1f7e21`);
      const doctor = await cluster.win('doctor', 'win-1');
      expect(doctor.code).toBe(0);
      expect(doctor.stdout).toMatch(
        /repair\/left-cordoned[\s\S]*5b0f6c3e-2a51-4d8f-8a8b-0c8d4c1f7e21 cordoned the node[\s\S]*kubectl win cleanup win-1/,
      );
      const unasked = await cluster.win('cleanup');
      expect([unasked.code, unasked.stdout, unasked.stderr]).toEqual([
        2,
        '',
        expect.stringContaining('Uncordons win-1.'),
      ]);
      expect(isCordoned()).toBe(true);
      const {code, stdout} = await cluster.win('cleanup', '--yes');
      expect([code, stdout]).toEqual([0, expect.stringContaining('win-1: repaired and verified')]);
      expect(isCordoned()).toBe(false);
      expect((await cluster.win('doctor', 'win-1')).stdout).not.toContain('cordoned');
    },
    2 * minutes,
  );

  it('stays cordoned if the user cordoned it', async () => {
    await cluster.kubectl('cordon', 'win-1');
    const {code, stdout} = await cluster.win('cleanup', 'win-1', '--yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('win-1: nothing to do')]);
    expect(isCordoned()).toBe(true);
  });
});
