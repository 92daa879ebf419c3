import {afterEach, expect, test} from 'vitest';
import {loadScenario} from '../../src/sim/scenarios.js';
import {startSimulation} from '../../src/sim/simulation.js';
import {Cluster} from './support.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

/** Everything but one list, as a role that forgot it would have it. */
const without = (resource: string, apiGroup: string) => [
  {verbs: ['get', 'create', 'update', 'patch', 'delete', 'watch'], apiGroups: ['*'], resources: ['*']},
  {verbs: ['list'], apiGroups: ['', 'apps', 'discovery.k8s.io'].filter(group => group !== apiGroup), resources: ['*']},
  {verbs: ['list'], apiGroups: [apiGroup], resources: listed.filter(other => other !== resource)},
  {verbs: ['list'], apiGroups: custom, resources: ['*']},
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
  return new Cluster(await startSimulation({scenario: {...loadScenario(scenario), access}, controllers: true}));
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
