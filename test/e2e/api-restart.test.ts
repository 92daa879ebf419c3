import {readFileSync} from 'node:fs';
import {loadAll} from 'js-yaml';
import {describe, expect, it} from 'vitest';
import type {AccessRule} from '../../src/sim/api/access.js';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import type {ScenarioAccess} from '../../src/sim/scenario.js';
import {fleet} from './cleanup-support.js';
import {type Cluster, startClusterOf} from './support.js';

interface Role {
  metadata: {name: string};
  rules: (AccessRule & {apiGroups: string[]})[];
}

/** The roles as the manifest says to bind them. */
const rules = (loadAll(readFileSync(new URL('../../manifests/rbac.yaml', import.meta.url), 'utf8')) as Role[]).flatMap(
  ({metadata, rules}) =>
    metadata.name === 'kubectl-win-helper' ? rules.map(rule => ({...rule, namespaces: ['kubectl-win']})) : rules,
) as Exclude<ScenarioAccess, string>['rules'];

const users: readonly (readonly [string, ScenarioAccess])[] = [
  ['an administrator', 'admin'],
  ['a user with exactly the roles', {user: 'operator', rules, others: {}}],
];

/** Where in the run: after what the client prints as it goes on. */
const places = [/✓ 1\/\d+ Cordons/, /✓ 3\/\d+ /, /✓ 7\/\d+ /, /✓ 8\/\d+ /, /Looking at the node again/];

const pace = {stepMs: 400, timeScale: 0.05, cutMs: 300, retryMs: 200};
const labels = {'pod-security.kubernetes.io/enforce': 'privileged'};

describe.each(users)('an API server that is restarted in the middle of a cleanup by %s', (_, access) => {
  it.each(places)(
    'after %s: the plan comes to its end, the node is uncordoned, and nothing is left',
    async place => {
      const scenario = {...fleet('without-extension', 1), access, namespaces: {'kubectl-win': {labels}}};
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
