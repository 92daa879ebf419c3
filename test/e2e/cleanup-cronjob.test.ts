import {readFileSync} from 'node:fs';
import {loadAll} from 'js-yaml';
import {CronJob} from 'kubernetes-models/batch/v1/CronJob';
import {afterEach, expect, test} from 'vitest';
import {loadScenario} from '../../src/sim/scenarios.js';
import {type Cluster, startClusterOf} from './support.js';

interface Manifest {
  kind: string;
  metadata: {name: string; namespace?: string};
  roleRef: {name: string};
  rules: {verbs: string[]; apiGroups: string[]; resources: string[]}[];
  spec: {jobTemplate: {spec: {template: {spec: {containers: {args: string[]}[]}}}}};
}

const manifests = (file: string) =>
  loadAll(readFileSync(new URL(`../../manifests/${file}`, import.meta.url), 'utf8')) as Manifest[];

const objects = manifests('cleanup-cronjob.yaml');
const job = objects.find(({kind}) => kind === 'CronJob');
const roles = manifests('rbac.yaml');

/** The rights of the job's bindings: those in a namespace apply only there. */
const rules = objects
  .filter(({kind}) => kind.endsWith('RoleBinding'))
  .flatMap(({kind, metadata, roleRef}) => {
    const its = roles.find(role => role.metadata.name === roleRef.name)?.rules ?? [];
    return kind === 'RoleBinding' ? its.map(rule => ({...rule, namespaces: [metadata.namespace ?? '']})) : its;
  });

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

async function clusterOf(scenario: string): Promise<Cluster> {
  const labels = {'pod-security.kubernetes.io/enforce': 'privileged'};
  const user = 'system:serviceaccount:kubectl-win:kubectl-win-cleanup';
  const changes = {access: {user, rules, others: {}}, namespaces: {'kubectl-win': {labels}}};
  return startClusterOf({...loadScenario(scenario), ...changes});
}

test.each(['flannel-reboot', 'calico-reboot', 'antrea-reboot'])(
  '%s: the job repairs the node with the rights of its bindings, and then does nothing',
  async scenario => {
    const args = job?.spec.jobTemplate.spec.template.spec.containers[0]?.args ?? [];
    cluster = await clusterOf(scenario);
    const repaired = await cluster.win(...args);
    expect(repaired).toMatchObject({code: 0, stdout: expect.stringContaining('repaired and verified')});
    expect((await cluster.win('doctor')).code).toBe(0);
    const again = await cluster.win(...args);
    expect(again).toMatchObject({code: 0, stdout: expect.stringMatching(/nothing to do/i)});
    expect(again.stdout).not.toContain('repaired');
  },
);

test('the job is valid for Kubernetes', () => {
  expect(() => new CronJob(job as never).validate()).not.toThrow();
});
