import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {afterEach, expect, test} from 'vitest';
import type {Disturbance, Disturbed} from '../../src/sim/api/disturbance.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {onRealApi} from '../apiserver/chosen-api.js';
import {type Cluster, startClusterOf} from './support.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

/** Everything except one list of the cluster, as in an incomplete role. Helper pods can be listed. */
const without = (resource: string, apiGroup: string) => [
  {verbs: ['get', 'create', 'update', 'patch', 'delete', 'watch'], apiGroups: ['*'], resources: ['*']},
  {verbs: ['list'], apiGroups: ['', 'apps', 'discovery.k8s.io'].filter(group => group !== apiGroup), resources: ['*']},
  {verbs: ['list'], apiGroups: [apiGroup], resources: listed.filter(other => other !== resource)},
  {verbs: ['list'], apiGroups: custom, resources: ['*']},
  {verbs: ['list'], apiGroups: [''], resources: ['pods'], namespaces: ['kubectl-win']},
  {verbs: ['get'], apiGroups: [], nonResourceURLs: ['*']},
];
const custom = [
  'crd.antrea.io',
  'kubeovn.io',
  'crd.projectcalico.org',
  'operator.tigera.io',
  'acn.azure.com',
  'operator.openshift.io',
];
const listed = [
  'nodes',
  'namespaces',
  'pods',
  'services',
  'configmaps',
  'events',
  'daemonsets',
  'deployments',
  'endpointslices',
];

async function start(scenario: string, resource: string, apiGroup: string): Promise<Cluster> {
  const access = {user: 'operator', rules: without(resource, apiGroup), others: {}};
  const namespaces = {'kubectl-win': {labels: {'pod-security.kubernetes.io/enforce': 'privileged'}}};
  return startClusterOf({...loadScenario(scenario), access, namespaces});
}

test.each([
  ['pods', ''],
  ['configmaps', ''],
  ['services', ''],
  ['daemonsets', 'apps'],
  ['deployments', 'apps'],
  ['endpointslices', 'discovery.k8s.io'],
])('a user who may not list %s gets no finding from it, and no all-clear', async (resource, group) => {
  cluster = await start('antrea-healthy', resource, group);
  const doctor = await cluster.win('doctor', '-o', 'json');
  const report = JSON.parse(doctor.stdout) as {
    cluster: {unread: string[]};
    summary: {errors: number; healthy: number};
  };
  expect(report.cluster.unread.join()).toContain(resource);
  expect(report.summary.errors).toBe(0);
  expect(doctor.code).toBe(4);
});

test('a user who may not list pods gets no cleanup: endpoints of running pods stay', async () => {
  cluster = await start('antrea-reboot', 'pods', '');
  const before = await cluster.win('doctor', 'win-1', '-o', 'json');
  expect(before.code).toBe(4);
  const cleanup = await cluster.win('cleanup', 'win-1', '--yes', '--level=medium');
  expect(cleanup.code).toBe(4);
  expect(cleanup.stdout).toMatch(/win-1: could not be inspected: .*pods on win-1 could not be read/);
});

test('a user who may not list pods: every command reports it, none guesses, and none fails unexpectedly', async () => {
  cluster = await start('antrea-healthy', 'pods', '');
  const bundle = join(cluster.folder, 'bundle.tar.gz');
  const denied = 'pods on win-1 could not be read: pods is forbidden';
  const commands: [string, string][] = [
    ['nodes', 'undetermined'],
    ['inspect win-1', `not read: network plugin: ${denied}`],
    ['preflight antrea', `Undetermined: ${denied}`],
    ['annotate-tunnel win-1 Ethernet0 --apply --yes', `error: ${denied}`],
    ['annotate-tunnel --show', `error: ${denied}`],
    ['doctor --fix --yes', 'not fully inspected'],
    [`collect -f ${bundle}`, 'Missing: pods on win-1, win-2: pods is forbidden'],
    ['helper install --cleanup-on-boot --dry-run=client', `No safe plan is possible: ${denied}`],
  ];
  for (const [command, said] of commands) {
    const {code, stdout, stderr} = await cluster.win(...command.split(' '));
    const text = stdout + stderr;
    expect([command, code, text.includes('unexpected')]).toEqual([command, 4, false]);
    expect(text, command).toContain(said);
    expect(text.match(/^warning: pods on/gm)?.length, command).toBe(1);
  }
  expect(execFileSync('tar', ['-tzf', bundle], {encoding: 'utf8'})).toContain('nodes/win-1/node.json');
});

/** The name of a requested list: kind, namespace and node; undefined: another request. */
function listOf({method, path, target}: Disturbed): string | undefined {
  if (method !== 'GET' || !target || target.name !== undefined) return undefined;
  const {searchParams} = new URL(path, 'https://cluster');
  return [target.type.plural, target.namespace ?? '', searchParams.get('fieldSelector') ?? ''].join(' ').trim();
}

/** Every list that a run requests. */
async function listsOf(running: Cluster, ...args: string[]): Promise<string[]> {
  const seen = new Set<string>();
  running.simulation.disturb(request => {
    const list = listOf(request);
    if (list !== undefined) seen.add(list);
    return undefined;
  });
  expect(await running.win(...args)).toMatchObject({code: 0});
  return [...seen];
}

// Priority and fairness of a real API server lets one request pass even at its limit: it rejects at no fixed place.
test.skipIf(onRealApi)('rejected pod lists (429) cause no finding, no all-clear and no cleanup', async () => {
  cluster = await startClusterOf(loadScenario('antrea-healthy'));
  cluster.simulation.disturb(request =>
    listOf(request)?.startsWith('pods') && !request.target?.namespace ? {code: 429, retryAfter: 0} : undefined,
  );
  const doctor = await cluster.win('doctor', '--request-timeout=1s', '-o', 'json');
  const report = JSON.parse(doctor.stdout) as {cluster: {unread: string[]}; summary: {errors: number}};
  expect(report.cluster.unread.join()).toContain('pods');
  expect([doctor.code, report.summary.errors]).toEqual([4, 0]);
  const cleanup = await cluster.win('cleanup', 'win-1', '--yes', '--level=medium', '--request-timeout=1s');
  expect(cleanup.code).toBe(4);
  expect(cleanup.stdout).toMatch(/win-1: could not be inspected: .*pods on win-1 could not be read/);
});

// A real API server cannot be made to fail: test/apiserver/restart.real.ts covers it.
test.skipIf(onRealApi).each<[string, Disturbance]>([
  ['429', {code: 429, retryAfter: 0}],
  ['500', {code: 500}],
  ['a dropped connection', 'drop'],
])('any list that fails with %s is neither empty nor green', async (_, disturbance) => {
  cluster = await startClusterOf(loadScenario('antrea-healthy'));
  const run = ['doctor', '--no-helper', '--request-timeout=1s', '-o', 'json'];
  const lists = await listsOf(cluster, ...run);
  expect(lists.length).toBeGreaterThan(8);
  const wrong: string[] = [];
  for (const list of lists) {
    cluster.simulation.disturb(request => (listOf(request) === list ? disturbance : undefined));
    const {code, stdout} = await cluster.win(...run);
    const {errors, warnings} = stdout === '' ? {errors: 0, warnings: 0} : JSON.parse(stdout).summary;
    const isRight = code === 4 || code === 3;
    if (!isRight || errors + warnings > 0) wrong.push(`${list}: exit ${code}, ${errors} errors, ${warnings} warnings`);
  }
  expect(wrong).toEqual([]);
});
