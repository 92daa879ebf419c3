import {afterEach, describe, expect, test} from 'vitest';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {startSimulation} from '../../src/sim/simulation.js';
import {Cluster} from '../e2e/support.js';
import {everyRole, rightsOf, withRules} from '../roles.js';
import {type RealApi, realApi} from './real-api.js';

const users: Record<string, Partial<Scenario>> = {
  administrator: {},
  'the roles': withRules(loadScenario('antrea-reboot'), rightsOf(...everyRole)),
};

let cluster: Cluster | undefined;
let api: RealApi;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

async function start(user: string, slow: boolean): Promise<Cluster> {
  api = realApi();
  const scenario = {...loadScenario('antrea-reboot'), ...users[user]};
  cluster = new Cluster(await startSimulation({scenario, api, controllers: true, pace: {stepMs: 400, retryMs: 300}}));
  if (slow) for (const node of cluster.simulation.nodes.values()) node.fault({helper: {kind: 'slow', ms: 60}});
  return cluster;
}

/** The API server is stopped with a signal and restarted after a short time. */
async function bounce(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  await api.plane.stopServer(signal);
  await api.plane.startServer();
}

const ways = Object.keys(users).flatMap(user =>
  (['SIGTERM', 'SIGKILL'] as const).map(signal => [signal, user] as const),
);

describe('an API server that stops during a command and comes back', () => {
  test.each(ways)(
    'with %s, as %s: doctor is complete or reports what is missing, and leaves nothing behind',
    async (signal, user) => {
      const own = await start(user, true);
      const running = own.start('doctor');
      await running.printed(/Inspecting/);
      await expect.poll(() => own.leftovers(), {timeout: 20_000}).toContain('pod/');
      await bounce(signal);
      const {code, stdout, stderr} = await running.ended;
      expect([1, 4], `${stdout}${stderr}`).toContain(code);
      if (code === 1) expect(stdout).toContain('ovs/stale-bridge');
      expect(await own.leftovers()).toBe('');
    },
  );

  test.each(ways)('with %s, as %s: cleanup finishes, and the node is schedulable again', async (signal, user) => {
    const own = await start(user, false);
    const running = own.start('cleanup', 'win-1', '--yes', '--verify-timeout=90s');
    await running.printed(/✓ 2\/\d+ /);
    await bounce(signal);
    const {code, stdout, stderr} = await running.ended;
    expect([code, code === 0 ? '' : `${stdout}${stderr}`]).toEqual([0, '']);
    expect(stdout).toContain('win-1: ');
    await expect
      .poll(() => at(own.simulation.store.get(nodeType, undefined, 'win-1'), 'spec', 'unschedulable'))
      .not.toBe(true);
    expect(await own.leftovers()).toBe('');
  });
});
