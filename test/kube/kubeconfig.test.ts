import {delimiter, join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {resolveConnection} from '../../src/kube/kubeconfig.js';
import {ExitCode, WinError} from '../../src/lib/errors.js';
import {kubeconfigText, type TemporaryFolder, temporaryFolder} from './temporary.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

function failure(run: () => unknown): WinError {
  try {
    run();
  } catch (error) {
    if (error instanceof WinError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

const home = () => ({HOME: folder.path});

describe('finding the cluster', () => {
  it('reads ~/.kube/config by default', () => {
    folder.write('.kube/config', kubeconfigText('https://one:6443'));
    expect(resolveConnection({}, home())).toMatchObject({
      context: 'test',
      server: 'https://one:6443',
      namespace: 'default',
      user: {token: 'secret'},
    });
  });

  it('prefers the first file of a KUBECONFIG list, skips missing files and accepts duplicate names', () => {
    const first = folder.write('first', kubeconfigText('https://one:6443', {context: 'first'}));
    const second = folder.write('second', kubeconfigText('https://two:6443', {context: 'second'}));
    const KUBECONFIG = [join(folder.path, 'absent'), first, second].join(delimiter);
    expect(resolveConnection({}, {KUBECONFIG})).toMatchObject({context: 'first', server: 'https://one:6443'});
    expect(resolveConnection({context: 'second'}, {KUBECONFIG})).toMatchObject({server: 'https://one:6443'});
  });

  it('uses current-context of the first file that has one', () => {
    const first = folder.write('first', 'apiVersion: v1\nkind: Config\n');
    const second = folder.write('second', kubeconfigText('https://two:6443'));
    expect(resolveConnection({}, {KUBECONFIG: [first, second].join(delimiter)}).server).toBe('https://two:6443');
  });

  it('resolves relative paths against the file that names them', () => {
    const user = 'client-certificate: pki/me.crt, client-key: ../me.key, exec: {apiVersion: v1, command: ./bin/login}';
    const file = folder.write(
      'a/config',
      kubeconfigText('https://one', {user, cluster: 'certificate-authority: ca.crt'}),
    );
    const connection = resolveConnection({kubeconfig: file}, {});
    expect(connection.cluster['certificate-authority']).toBe(join(folder.path, 'a', 'ca.crt'));
    expect(connection.user['client-certificate']).toBe(join(folder.path, 'a', 'pki', 'me.crt'));
    expect(connection.user['client-key']).toBe(join(folder.path, 'me.key'));
    expect(connection.user.exec?.command).toBe(join(folder.path, 'a', 'bin', 'login'));
  });

  it('leaves a bare plugin command to a PATH search', () => {
    const user = 'exec: {apiVersion: v1, command: aws}';
    const file = folder.write('config', kubeconfigText('https://one', {user}));
    expect(resolveConnection({kubeconfig: file}, {}).user.exec?.command).toBe('aws');
  });

  it('uses the service account inside a pod if there is no kubeconfig', () => {
    folder.write('sa/token', 'pod-token');
    folder.write('sa/namespace', 'tools\n');
    const env = {...home(), KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443'};
    expect(resolveConnection({}, env, join(folder.path, 'sa'))).toMatchObject({
      server: 'https://[fd00::1]',
      namespace: 'tools',
      user: {tokenFile: join(folder.path, 'sa/token')},
    });
  });

  it('reads certificates of any length unchanged, also through an alias and beside what looks like one', () => {
    const long = `${'QUJD'.repeat(800)}==`;
    const text = [
      'apiVersion: v1',
      'kind: Config',
      'current-context: test',
      'contexts: [{name: test, context: {cluster: test, user: test}}]',
      'clusters:',
      '- name: test',
      '  cluster: &own',
      '    server: https://one',
      `    certificate-authority-data: ${long}`,
      '- {name: other, cluster: *own}',
      'users:',
      '- name: test',
      '  user:',
      `    client-certificate-data: ${long.slice(4)}`,
      '    client-key-data: |',
      `      client-key-data: ${long}`,
    ].join('\r\n');
    const connection = resolveConnection({kubeconfig: folder.write('config', text)}, {});
    expect(connection.cluster['certificate-authority-data']).toBe(long);
    expect(connection.user['client-certificate-data']).toBe(long.slice(4));
    expect(connection.user['client-key-data']).toBe(`client-key-data: ${long}\n`);
  });

  it('keeps the path of a server behind a gateway and drops the trailing slash', () => {
    const file = folder.write('config', kubeconfigText('https://rancher.example/k8s/clusters/c-1/'));
    expect(resolveConnection({kubeconfig: file}, {}).server).toBe('https://rancher.example/k8s/clusters/c-1');
  });
});

describe('flags over the kubeconfig', () => {
  it('replace server, token, namespace and certificates', () => {
    const user = 'exec: {apiVersion: v1, command: aws}';
    const cluster = 'certificate-authority-data: QUJD';
    const file = folder.write('config', kubeconfigText('https://one', {user, cluster}));
    const flags = {
      kubeconfig: file,
      server: 'https://other:1',
      token: 'mine',
      namespace: 'ns',
      certificateAuthority: '/ca',
      requestTimeout: '1m30s',
    };
    const connection = resolveConnection(flags, {});
    expect(connection).toMatchObject({server: 'https://other:1', namespace: 'ns', requestTimeoutMs: 90_000});
    expect(connection.user).toMatchObject({token: 'mine', exec: undefined});
    expect(connection.cluster).toMatchObject({'certificate-authority': '/ca', 'certificate-authority-data': undefined});
  });

  it('set the impersonated user, otherwise the kubeconfig does', () => {
    const user = 'token: t, as: robot, as-groups: [a, b], as-user-extra: {scope: [x]}';
    const file = folder.write('config', kubeconfigText('https://one', {user}));
    expect(resolveConnection({kubeconfig: file}, {}).impersonation).toMatchObject({
      user: 'robot',
      groups: ['a', 'b'],
      extra: {scope: ['x']},
    });
    expect(resolveConnection({kubeconfig: file, as: 'me', asGroup: ['c']}, {}).impersonation).toMatchObject({
      user: 'me',
      groups: ['c'],
    });
  });

  it('override each other: --insecure-skip-tls-verify and --certificate-authority', () => {
    const withAuthority = kubeconfigText('https://one', {cluster: 'certificate-authority-data: QUJD'});
    const file = folder.write('config', withAuthority);
    expect(resolveConnection({kubeconfig: file, insecureSkipTlsVerify: true}, {}).cluster).toMatchObject({
      'insecure-skip-tls-verify': true,
      'certificate-authority': undefined,
      'certificate-authority-data': undefined,
    });
    const insecure = folder.write('other', kubeconfigText('https://one', {cluster: 'insecure-skip-tls-verify: true'}));
    expect(resolveConnection({kubeconfig: insecure, certificateAuthority: '/ca'}, {}).cluster).toMatchObject({
      'insecure-skip-tls-verify': false,
      'certificate-authority': '/ca',
    });
    const both = {kubeconfig: insecure, certificateAuthority: '/ca', insecureSkipTlsVerify: true};
    expect(failure(() => resolveConnection(both, {})).message).toContain('insecure-skip-tls-verify');
  });

  it('accept a server without a scheme as HTTP, as kubectl does', () => {
    const cluster = 'certificate-authority-data: QUJD';
    const file = folder.write('config', kubeconfigText('one:6443', {cluster}));
    expect(resolveConnection({kubeconfig: file}, {}).server).toBe('http://one:6443');
    expect(resolveConnection({kubeconfig: file, server: '10.0.0.1:8080'}, {}).server).toBe('http://10.0.0.1:8080');
  });

  it('ignore errors of an unused user', () => {
    const user = '{exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Sometimes}}';
    const text = kubeconfigText('https://one').replace('users:', `users:\n- name: other\n  user: ${user}`);
    expect(resolveConnection({kubeconfig: folder.write('config', text)}, {}).server).toBe('https://one');
  });

  it('ignore an incomplete plugin of an unused user', () => {
    const text = kubeconfigText('https://one').replace('users:', 'users:\n- {name: other, user: {exec: {}}}');
    expect(resolveConnection({kubeconfig: folder.write('config', text)}, {}).server).toBe('https://one');
  });

  it('give a plugin an empty variable if the kubeconfig has no value', () => {
    const user =
      'exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Never, env: [{name: A}]}';
    const kubeconfig = folder.write('config', kubeconfigText('https://one', {user}));
    expect(resolveConnection({kubeconfig}, {}).plugin?.env).toEqual([{name: 'A', value: ''}]);
  });

  it('ignore a query in the address, and remove a user name and password from it', () => {
    const connection = resolveConnection({server: 'https://jane:p%40ss@one:6443/?a=b#c'}, home());
    expect(connection).toMatchObject({server: 'https://one:6443', user: {username: 'jane', password: 'p@ss'}});
    const other = resolveConnection({server: 'https://jane:pass@one:6443', token: 't'}, home());
    expect(other.user).toMatchObject({token: 't', username: undefined});
    const error = failure(() => resolveConnection({server: 'ftp://jane:hunter2@one'}, home()));
    expect(`${error.message} ${error.next}`).not.toContain('hunter2');
  });

  it('work with --server alone', () => {
    expect(resolveConnection({server: 'http://127.0.0.1:8001'}, home())).toMatchObject({
      context: '',
      server: 'http://127.0.0.1:8001',
    });
  });

  it.each([
    ['soon', '--request-timeout=soon is not a duration'],
    ['-1s', 'is not a duration'],
  ])('reject --request-timeout=%s', (requestTimeout, message) => {
    expect(failure(() => resolveConnection({server: 'http://a', requestTimeout}, home())).message).toContain(message);
  });
});

describe('an unusable kubeconfig', () => {
  it.each([
    ['not YAML', 'a: [', /^The kubeconfig file .*config is not valid YAML: /],
    ['the wrong format', 'clusters: {a: b}', /^The file .*config is not a valid kubeconfig at clusters: /],
    ['a text instead of entries', 'hello', /is not a valid kubeconfig/],
    ['a context without a cluster', 'current-context: a\ncontexts: [{name: a, context: {user: b}}]', /has no cluster/],
    [
      'a missing cluster',
      'current-context: a\ncontexts: [{name: a, context: {cluster: b}}]',
      /The cluster "b" does not exist/,
    ],
    ['a server that is not an address', kubeconfigText('ftp://one'), /"ftp:\/\/one" is not a valid API server address/],
    [
      'a path without a scheme',
      kubeconfigText('one:6443/prefix'),
      /"one:6443\/prefix" is not a valid API server address/,
    ],
    [
      'a certificate authority together with insecure-skip-tls-verify',
      kubeconfigText('https://one', {cluster: 'certificate-authority: ca.crt, insecure-skip-tls-verify: true'}),
      /The cluster "local" in .* has a certificate authority and insecure-skip-tls-verify/,
    ],
    [
      'a client certificate without its key',
      kubeconfigText('https://one', {user: 'token: t, client-certificate-data: QUJD'}),
      /The user "someone" in .* has a client certificate without its key/,
    ],
    [
      'an exec plugin of v1 without interactiveMode',
      kubeconfigText('https://one', {user: 'exec: {apiVersion: client.authentication.k8s.io/v1, command: a}'}),
      /an exec plugin of client.authentication.k8s.io\/v1 without interactiveMode/,
    ],
    [
      'an unknown interactiveMode',
      kubeconfigText('https://one', {
        user: 'exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Sometimes}',
      }),
      /the unknown interactiveMode "Sometimes"/,
    ],
    ['no server', kubeconfigText(''), /The cluster "local" in .* has no server/],
    [
      'a certificate authority as file and inside',
      kubeconfigText('https://one', {cluster: 'certificate-authority: ca.crt, certificate-authority-data: QUJD'}),
      /has certificate-authority and certificate-authority-data, which cannot be combined/,
    ],
    [
      'a client certificate as file and inside',
      kubeconfigText('https://one', {
        user: 'client-certificate: a.crt, client-certificate-data: QUJD, client-key-data: QUJD',
      }),
      /has client-certificate and client-certificate-data/,
    ],
    [
      'a client key as file and inside',
      kubeconfigText('https://one', {user: 'client-certificate-data: QUJD, client-key: a, client-key-data: QUJD'}),
      /has client-key and client-key-data/,
    ],
    [
      'a token and a password',
      kubeconfigText('https://one', {user: 'token: t, username: a, password: b'}),
      /has a token and a user name/,
    ],
    [
      'an exec plugin and an auth-provider',
      kubeconfigText('https://one', {
        user: 'exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Never}, auth-provider: {name: oidc}',
      }),
      /has an exec plugin and an auth-provider/,
    ],
    [
      'an exec plugin without a mode beside a token',
      kubeconfigText('https://one', {
        user: 'token: t, exec: {apiVersion: client.authentication.k8s.io/v1, command: a}',
      }),
      /without interactiveMode/,
    ],
    [
      'an exec plugin without a command',
      kubeconfigText('https://one', {user: 'exec: {apiVersion: client.authentication.k8s.io/v1}'}),
      /has an exec plugin without command/,
    ],
    [
      'an exec plugin without a version',
      kubeconfigText('https://one', {user: 'exec: {command: a}'}),
      /has an exec plugin without apiVersion/,
    ],
    ['another version', 'apiVersion: v2\nkind: Config', /is not a valid kubeconfig at apiVersion/],
    ['another kind', 'apiVersion: v1\nkind: Pod', /is not a valid kubeconfig at kind/],
    ['a cluster twice', 'clusters: [{name: a}, {name: a}]', /has the cluster "a" twice/],
  ])('is reported if it is or has %s, with exit code 2', (_, content, message) => {
    const kubeconfig = folder.write('config', content);
    const error = failure(() => resolveConnection({kubeconfig}, {}));
    expect(error.message).toMatch(message);
    expect(error.exit).toBe(ExitCode.usage);
    expect(error.next).not.toEqual([]);
  });

  it('lists the existing contexts if the requested one does not exist', () => {
    const kubeconfig = folder.write('config', kubeconfigText('https://one'));
    const error = failure(() => resolveConnection({kubeconfig, context: 'prod'}, {}));
    expect(error.message).toBe(`The context "prod" does not exist in ${kubeconfig}.`);
    expect(error.next.join()).toContain('test');
  });

  it('asks for a context if there are several and none is current', () => {
    const kubeconfig = folder.write(
      'config',
      'contexts: [{name: a, context: {cluster: x}}, {name: b, context: {cluster: y}}]',
    );
    const error = failure(() => resolveConnection({kubeconfig}, {}));
    expect(error.message).toContain('No context selected');
    expect(error.next.join()).toContain('a, b');
  });

  it('names the file of --kubeconfig if it does not exist', () => {
    const error = failure(() => resolveConnection({kubeconfig: '/absent/config'}, {}));
    expect(error.message).toBe('The kubeconfig file /absent/config does not exist.');
  });

  it('does not fall back to localhost if there is no configuration at all', () => {
    const error = failure(() => resolveConnection({}, home()));
    expect(error.message).toContain('No cluster configured');
    expect(error.exit).toBe(ExitCode.usage);
  });

  it('requires a user to impersonate if only a group is given', () => {
    const error = failure(() => resolveConnection({server: 'https://a', asGroup: ['g']}, home()));
    expect(error.next.join()).toContain('--as');
  });
});
