import {expect, it} from 'vitest';
import {Permissions} from '../../src/kube/permissions.js';

it('knows what was allowed by kind, namespace and verb, for any object name', () => {
  const permissions = new Permissions();
  permissions.allowed('PATCH', '/api/v1/nodes/win-1');
  permissions.allowed('GET', '/api/v1/namespaces/kubectl-win/pods/a/exec');
  permissions.allowed('GET', '/apis/apps/v1/daemonsets');
  expect(permissions.expects('PATCH', '/api/v1/nodes/win-2')).toBe(true);
  expect(permissions.expects('GET', '/api/v1/nodes/win-2')).toBe(false);
  expect(permissions.expects('GET', '/api/v1/namespaces/kubectl-win/pods/b/exec')).toBe(true);
  expect(permissions.expects('GET', '/api/v1/namespaces/kubectl-win/pods/b')).toBe(false);
  expect(permissions.expects('GET', '/api/v1/namespaces/other/pods/b/exec')).toBe(false);
  expect(permissions.expects('GET', '/apis/apps/v1/daemonsets')).toBe(true);
  expect(permissions.expects('GET', '/apis/apps/v1/namespaces/a/daemonsets')).toBe(false);
});

it('expects everything for a while after the server was unavailable', () => {
  const permissions = new Permissions();
  expect(permissions.expects('DELETE', '/api/v1/namespaces/a/pods/b')).toBe(false);
  permissions.away();
  expect(permissions.expects('DELETE', '/api/v1/namespaces/a/pods/b')).toBe(true);
});
