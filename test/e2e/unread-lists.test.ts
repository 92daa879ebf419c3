import {afterEach, expect, test} from 'vitest';
import type {Disturbance, Disturbed} from '../../src/sim/api/disturbance.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {type Cluster, startClusterOf} from './support.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

/** Everything but one list of the cluster, as a role that forgot it would have it. Helper pods can be listed. */
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
  return startClusterOf({...loadScenario(scenario), access});
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
  expect(cleanup.stdout).toMatch(/win-1: could not be inspected: pods.* could not be read/);
});

/** The name of a list that a request asks for: kind, namespace and node; undefined: it asks for something else. */
function listOf({method, path, target}: Disturbed): string | undefined {
  if (method !== 'GET' || !target || target.name !== undefined) return undefined;
  const {searchParams} = new URL(path, 'https://cluster');
  return [target.type.plural, target.namespace ?? '', searchParams.get('fieldSelector') ?? ''].join(' ').trim();
}

/** Every list that a run asks for. */
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

test.each<[string, Disturbance]>([
  ['429', {code: 429, retryAfter: 0}],
  ['500', {code: 500}],
  ['a dropped connection', 'drop'],
])('a list that fails with %s, whichever it is, is neither empty nor green', async (_, disturbance) => {
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
