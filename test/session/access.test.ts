import {describe, expect, it} from 'vitest';
import {ExitCode} from '../../src/lib/errors.js';
import {requireAccess, requireHelperAccess} from '../../src/session/access.js';
import {need, rightOf} from '../../src/session/rights.js';
import {simulatedCluster} from '../kube/simulated.js';

describe('access for helpers', () => {
  it('is granted to an administrator', async () => {
    await using cluster = await simulatedCluster();
    await expect(requireHelperAccess(cluster.client)).resolves.toBeUndefined();
  });

  it('lists everything that is missing together, before anything is created', async () => {
    await using cluster = await simulatedCluster({access: 'viewer'});
    await expect(requireHelperAccess(cluster.client)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^You are not allowed to create namespaces, create and delete configmaps in namespace "kubectl-win", create and delete pods in namespace "kubectl-win", .*pods\/exec/,
      ),
      exit: ExitCode.denied,
      next: [expect.stringContaining('rbac.yaml')],
    });
  });

  it('names the alternative, if the command has one', async () => {
    await using cluster = await simulatedCluster({access: 'viewer'});
    const instead = 'Use only the API.';
    await expect(requireHelperAccess(cluster.client, undefined, {instead})).rejects.toMatchObject({
      next: [expect.stringContaining('rbac.yaml'), instead],
    });
  });

  it('does not require the right to create an existing namespace', async () => {
    await using cluster = await simulatedCluster({access: 'viewer', namespaces: {'kubectl-win': {labels: {}}}});
    await expect(requireHelperAccess(cluster.client)).rejects.not.toMatchObject({
      message: expect.stringContaining('namespaces'),
    });
  });
});

it('can be checked for anything else a command is going to do', async () => {
  await using cluster = await simulatedCluster({access: 'viewer'});
  const needs = [
    need('repair', 'get nodes'),
    need('repair', 'patch nodes'),
    rightOf('patch daemonsets.apps', {namespace: 'kube-system', name: 'agent'}),
  ];
  await expect(requireAccess(cluster.client, needs, {next: ['Or leave it.']})).rejects.toMatchObject({
    message:
      'You are not allowed to patch nodes, patch daemonsets agent in namespace "kube-system" in context "antrea-healthy".',
    next: [expect.stringContaining('the role kubectl-win-repair of'), 'Or leave it.'],
  });
});

it('is only checked for rights that a role has', () => {
  expect(() => need('look', 'patch nodes')).toThrow('The role kubectl-win-look has no right to patch nodes.');
});
