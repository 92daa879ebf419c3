import {readFileSync} from 'node:fs';
import {loadAll} from 'js-yaml';
import {describe, expect, it} from 'vitest';
import {collect} from '../../src/helper/collect.js';
import {HelperRun} from '../../src/helper/helper-run.js';
import {requireHelperAccess} from '../../src/session/access.js';
import {readClusterObjects} from '../../src/session/objects.js';
import type {Disturbed} from '../../src/sim/api/disturbance.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {fleet} from '../e2e/cleanup-support.js';
import {startClusterOf} from '../e2e/support.js';
import {simulatedCluster} from './simulated.js';

interface Role {
  metadata: {name: string};
  rules: {verbs: string[]; apiGroups: string[]; resources: string[]; resourceNames?: string[]}[];
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

/** All three roles, bound as the manifest says. */
const everyRole = roles.flatMap(({metadata, rules}) =>
  metadata.name === 'kubectl-win-helper' ? rules.map(rule => ({...rule, namespaces: ['kubectl-win']})) : rules,
);
const labels = {'pod-security.kubernetes.io/enforce': 'privileged'};
const withRules = (scenario: Scenario, rules: Role['rules']): Scenario => ({
  ...scenario,
  access: {user: 'operator', rules, others: {}},
  namespaces: {'kubectl-win': {labels}},
});

const rightName = (verb: string, group: string, resource: string) => `${verb} ${resource}${group && `.${group}`}`;

/** Every right of the roles. */
const granted = new Set(
  roles.flatMap(({rules}) =>
    rules.flatMap(({verbs, apiGroups, resources}) =>
      verbs.flatMap(verb => apiGroups.flatMap(group => resources.map(resource => rightName(verb, group, resource)))),
    ),
  ),
);

/** The right that a request takes, as a role names it. */
function rightOf({method, path, target}: Disturbed): string | undefined {
  if (!target) return undefined;
  const {type, name, subresource} = target;
  const reading = path.includes('watch=true') ? 'watch' : name ? 'get' : 'list';
  const removing = name ? 'delete' : 'deletecollection';
  const verb = {POST: 'create', PATCH: 'patch', DELETE: removing}[method] ?? reading;
  return rightName(verb, type.group, subresource ? `${type.plural}/${subresource}` : type.plural);
}

/** Plugins' groups that no scenario has. */
const absent = /\.(operator\.tigera\.io|operator\.openshift\.io)$/;
/** What the simulation does not show: a WebSocket is no request to it. */
const unseen = /^(get|create) pods\/exec$/;

const commands: readonly (readonly [string, Scenario, readonly (readonly [number, ...string[]])[]])[] = [
  [
    'antrea',
    loadScenario('antrea-healthy'),
    [
      [0, 'nodes'],
      [0, 'doctor'],
      [0, 'annotate-tunnel', '--all', 'Ethernet0', '--apply', '--yes'],
      [0, 'helper', 'install'],
      [0, 'helper', 'install'],
      [0, 'helper', 'status'],
      [0, 'helper', 'uninstall'],
    ],
  ],
  ['a drain', fleet('without-extension', 2), [[0, 'cleanup', 'win-2', '--level=hard', '--drain', '--yes']]],
  ['kube-ovn', loadScenario('kube-ovn'), [[0, 'annotate-tunnel', 'kovn-win-2', 'Ethernet0']]],
  ['calico', loadScenario('calico'), [[0, 'doctor', '--no-helper']]],
  ['azure', loadScenario('azure'), [[0, 'doctor', '--no-helper']]],
];

describe('a user with exactly the roles', () => {
  const used = new Set<string>();

  it.each(commands)('can run every command, and nothing asks for more: %s', async (_, scenario, runs) => {
    const pace = {stepMs: 60, timeScale: 0.01, cutMs: 300, retryMs: 200};
    const cluster = await startClusterOf(withRules(scenario, everyRole), {pace});
    try {
      cluster.simulation.disturb(request => {
        const right = rightOf(request);
        if (right && request.user === 'operator') used.add(right);
        return undefined;
      });
      for (const [code, ...args] of runs) {
        const ended = await cluster.win(...args);
        expect([args, ended.code, ended.code === code ? '' : ended.stderr]).toEqual([args, code, '']);
      }
    } finally {
      await cluster.close();
    }
    const everybodys = /^create selfsubject/;
    expect([...used].filter(right => !granted.has(right) && !everybodys.test(right))).toEqual([]);
  });

  it('has no right that nothing asks for', () => {
    expect([...granted].filter(right => !used.has(right) && !absent.test(right) && !unseen.test(right))).toEqual([]);
  });
});

it('annotate-tunnel --apply writes nothing without the right to change the setting of the plugin', async () => {
  const rules = everyRole.filter(({resourceNames}) => resourceNames === undefined);
  const cluster = await startClusterOf(withRules(loadScenario('antrea-healthy'), rules));
  try {
    const {code, stderr} = await cluster.win('annotate-tunnel', '--all', 'Ethernet0', '--apply', '--yes');
    expect(stderr).toContain('You may not patch configmaps antrea-windows-config in namespace "kube-system"');
    expect(code).toBe(3);
  } finally {
    await cluster.close();
  }
});
