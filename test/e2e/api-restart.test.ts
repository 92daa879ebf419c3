import {describe, expect, it} from 'vitest';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {everyRole, rightsOf, withRules} from '../roles.js';
import {fleet} from './cleanup-support.js';
import {type Cluster, startClusterOf} from './support.js';

const planned = fleet('without-extension', 1);
const users: readonly (readonly [string, Scenario])[] = [
  ['an administrator', planned],
  ['a user with exactly the roles', withRules(planned, rightsOf(...everyRole))],
];

/** When the restart happens: after this output of the client. */
const places = [/✓ 1\/\d+ Cordons/, /✓ 3\/\d+ /, /✓ 7\/\d+ /, /✓ 8\/\d+ /, /Verifying the node/];

const pace = {stepMs: 400, timeScale: 0.05, cutMs: 300, retryMs: 200};

describe.each(users)('an API server that is restarted during a cleanup by %s', (_, scenario) => {
  it.each(places)(
    'after %s: the plan finishes, the node is uncordoned, and nothing is left behind',
    async place => {
      const cluster: Cluster = await startClusterOf(scenario, {pace});
      try {
        const args = [
          'cleanup',
          'win-1',
          '--level=hard',
          '--force',
          '--yes',
          '--confirm=win-1',
          '--verify-timeout=90s',
        ];
        const running = cluster.start(...args);
        await running.printed(place);
        await cluster.simulation.restart(1500, 4000);
        const {code, stdout, stderr} = await running.ended;
        expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('win-1: repaired and verified'), stderr]);
        const node = cluster.simulation.store.get(nodeType, undefined, 'win-1');
        expect(at(node, 'spec', 'unschedulable')).not.toBe(true);
        await expect.poll(() => cluster.leftovers(), {timeout: 20_000}).toBe('');
      } finally {
        await cluster.close();
      }
    },
    180_000,
  );
});
