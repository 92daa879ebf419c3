import {readFileSync} from 'node:fs';
import {loadAll} from 'js-yaml';
import {expect, it} from 'vitest';
import {collect} from '../../src/helper/collect.js';
import {HelperRun} from '../../src/helper/helper-run.js';
import {requireHelperAccess} from '../../src/session/access.js';
import {readClusterObjects} from '../../src/session/objects.js';
import {simulatedCluster} from './simulated.js';

interface Role {
  metadata: {name: string};
  rules: {verbs: string[]; apiGroups: string[]; resources: string[]}[];
}

const roles = loadAll(readFileSync(new URL('../../manifests/rbac.yaml', import.meta.url), 'utf8')) as Role[];
const rulesOf = (name: string) => roles.find(({metadata}) => metadata.name === name)?.rules ?? [];

it('is enough to read the cluster and to look at nodes, bound as the manifest says', async () => {
  const rules = [
    ...rulesOf('kubectl-win-read'),
    ...rulesOf('kubectl-win-helper').map(rule => ({...rule, namespaces: ['kubectl-win']})),
  ];
  const labels = {'pod-security.kubernetes.io/enforce': 'privileged'};
  // From 1.35 on exec takes one right more than before.
  for (const kubernetes of ['v1.29.4', 'v1.35.0']) {
    await using cluster = await simulatedCluster({
      access: {user: 'operator', rules, others: {}},
      namespaces: {'kubectl-win': {labels}},
      kubernetes,
    });
    const {client} = cluster;
    await requireHelperAccess(client);
    expect((await readClusterObjects(client)).lists.filter(({error}) => error)).toEqual([]);
    const run = new HelperRun(client, {startTimeoutMs: 5000});
    const session = await run.open(await cluster.windowsNode());
    const {sections} = await collect(session, {sections: ['os'], deadlineMs: 5000, sectionTimeoutMs: 1000});
    expect(sections).toHaveProperty('os');
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  }
});
