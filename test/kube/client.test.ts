import {chmodSync, mkdirSync, readFileSync} from 'node:fs';
import type {ServerResponse} from 'node:http';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {TLSSocket} from 'node:tls';
import {gzipSync} from 'node:zlib';
import {describe, expect, it, vi} from 'vitest';
import {isTemporary} from '../../src/kube/api-errors.js';
import {connect, type KubeClient} from '../../src/kube/client.js';
import {ExitCode, WinError} from '../../src/lib/errors.js';
import {certificate, json, localServer, socksProxy, statusBody, tunnelProxy} from './local-server.js';
import {kubeconfigText, temporaryFolder} from './temporary.js';

async function failure(work: Promise<unknown>): Promise<WinError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    reason => reason,
  );
  if (error instanceof WinError) return error;
  throw error;
}

/** A client of a server described only by flags. */
const clientOf = (server: string, flags = {}, env: NodeJS.ProcessEnv = {}): KubeClient =>
  connect({server, token: 'secret', ...flags}, {HOME: '/nowhere', ...env});

describe('requests', () => {
  it('reads a list page by page and sets apiVersion and kind of its items', async () => {
    await using server = await localServer({
      onRequest(request, response) {
        const next = new URL(request.url ?? '', 'http://a').searchParams.get('continue');
        const name = next ? 'second' : 'first';
        json(response, 200, {
          apiVersion: 'apps/v1',
          kind: 'DaemonSetList',
          metadata: {resourceVersion: '7', ...(!next && {continue: 'page-2'})},
          items: [{metadata: {name}}],
        });
      },
    });
    const list = await clientOf(server.url).list('/apis/apps/v1/daemonsets', {labelSelector: 'a=b'});
    expect(list).toEqual({
      items: [
        {apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: {name: 'first'}},
        {apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: {name: 'second'}},
      ],
      resourceVersion: '7',
      more: 0,
    });
    expect(server.requests).toEqual([
      'GET /apis/apps/v1/daemonsets?labelSelector=a%3Db&limit=250',
      'GET /apis/apps/v1/daemonsets?labelSelector=a%3Db&limit=250&continue=page-2',
    ]);
  });

  it('reuses its connections', async () => {
    await using server = await localServer({onRequest: (_, response) => json(response, 200, {gitVersion: 'v1'})});
    const client = clientOf(server.url);
    for (let call = 0; call < 10; call += 1) await client.version();
    expect(server.connections()).toBeLessThan(4);
  });

  it('stops waiting when the answer arrives before the whole request is sent', async () => {
    let received = false;
    await using server = await localServer({
      onRequest(request, response) {
        request.resume().once('end', () => {
          received = true;
        });
        json(response, 200, {});
      },
    });
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
    try {
      await clientOf(server.url).create('/api/v1/namespaces', {long: 'x'.repeat(30_000_000)});
      await expect.poll(() => received).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('stops a list that is too long and says how many items are left', async () => {
    await using server = await localServer({
      onRequest: (_, response) =>
        json(response, 200, {metadata: {continue: 'x', remainingItemCount: 41}, items: [{}, {}]}),
    });
    const list = await clientOf(server.url).list('/api/v1/services', {atMost: 2});
    expect(list).toMatchObject({items: [{}, {}], more: 41});
  });

  it('reads the whole list if its next page has expired', async () => {
    await using server = await localServer({
      onRequest(request, response) {
        if (request.url?.includes('continue')) json(response, 410, statusBody(410, 'Expired', 'too old'));
        else if (request.url?.includes('limit')) json(response, 200, {metadata: {continue: 'x'}, items: [{n: 1}]});
        else json(response, 200, {metadata: {}, items: [{n: 1}, {n: 2}]});
      },
    });
    const {items} = await clientOf(server.url).list('/api/v1/nodes');
    expect(items).toHaveLength(2);
  });

  it('understands compressed answers', async () => {
    await using server = await localServer({
      onRequest(request, response) {
        expect(request.headers['accept-encoding']).toBe('gzip');
        response.writeHead(200, {'Content-Encoding': 'gzip'}).end(gzipSync('{"gitVersion":"v1.30.1"}'));
      },
    });
    expect(await clientOf(server.url).version()).toBe('v1.30.1');
  });

  it('sends impersonation headers, one per group', async () => {
    let headers: NodeJS.Dict<string[]> = {};
    await using server = await localServer({
      tls: await certificate(),
      onRequest(request, response) {
        headers = request.headersDistinct;
        json(response, 200, {gitVersion: ''});
      },
    });
    const flags = {as: 'jane', asGroup: ['dev', 'ops'], asUid: '7', insecureSkipTlsVerify: true};
    await clientOf(server.url, flags).version();
    expect(headers).toMatchObject({
      authorization: ['Bearer secret'],
      'impersonate-user': ['jane'],
      'impersonate-group': ['dev', 'ops'],
      'impersonate-uid': ['7'],
    });
  });

  it('sends no credentials without TLS, as kubectl does', async () => {
    let headers: NodeJS.Dict<string[]> = {};
    await using server = await localServer({
      onRequest(request, response) {
        headers = request.headersDistinct;
        json(response, 200, {gitVersion: ''});
      },
    });
    await clientOf(server.url, {as: 'jane'}).version();
    expect(headers).toMatchObject({'impersonate-user': ['jane']});
    expect(headers.authorization).toBeUndefined();
  });

  it('ignores that an object to delete is already gone', async () => {
    await using server = await localServer({
      onRequest: (_, response) => json(response, 404, statusBody(404, 'NotFound', 'gone')),
    });
    await clientOf(server.url).remove('/api/v1/namespaces/a/pods/b');
    expect(server.requests).toEqual(['DELETE /api/v1/namespaces/a/pods/b']);
  });
});

describe('a temporarily failing server', () => {
  const busy = (response: ServerResponse, code: number, headers = {}) =>
    json(response, code, statusBody(code, 'Trouble', 'not now'), headers);

  it.each([429, 500, 502, 503, 504])('is asked again after a %i, if the request only reads', async code => {
    let answers = 0;
    await using server = await localServer({
      onRequest(_, response) {
        answers += 1;
        if (answers < 3) busy(response, code);
        else json(response, 200, {gitVersion: 'v1.34.0'});
      },
    });
    expect(await clientOf(server.url).version()).toBe('v1.34.0');
  });

  it('is given up if it keeps failing, with its message', async () => {
    await using server = await localServer({
      onRequest: (_, response) =>
        json(response, 503, statusBody(503, 'ServiceUnavailable', 'overloaded'), {'Retry-After': '0'}),
    });
    const error = await failure(clientOf(server.url).version());
    expect(error.message).toBe('Error from server (ServiceUnavailable): overloaded');
    expect(error.exit).toBe(ExitCode.uninspected);
    expect(server.requests.length).toBeGreaterThan(3);
  });

  it('is not waited for if Retry-After exceeds --request-timeout', async () => {
    await using server = await localServer({onRequest: (_, response) => busy(response, 429, {'Retry-After': '60'})});
    const error = await failure(clientOf(server.url, {requestTimeout: '30s'}).version());
    expect(error.message).toBe('Error from server (Trouble): not now');
    expect(server.requests).toHaveLength(1);
  });

  it('that is too busy all the time is reported, and not asked without pauses', async () => {
    await using server = await localServer({onRequest: (_, response) => busy(response, 429, {'Retry-After': '0'})});
    const error = await failure(clientOf(server.url, {requestTimeout: '2s'}).version());
    expect(error.message).toBe('Error from server (Trouble): not now');
    expect(server.requests.length).toBeLessThanOrEqual(11);
  });

  it('has --request-timeout for all attempts together', async () => {
    let answers = 0;
    await using mute = await localServer({
      onRequest(_, response) {
        answers += 1;
        if (answers === 1) busy(response, 500, {'Retry-After': '0'});
      },
    });
    const error = await failure(clientOf(mute.url, {requestTimeout: '2s'}).version());
    expect(error.message).toBe(`The API server ${mute.url} did not answer within 2s (--request-timeout).`);
    expect(answers).toBe(2);
  });

  it.each([500, 502, 503, 504])('gets no repeated change after a %i', async code => {
    await using server = await localServer({
      onRequest: (_, response) => busy(response, code, {'Retry-After': '0'}),
    });
    const client = clientOf(server.url);
    await failure(client.create('/api/v1/namespaces', {}));
    await failure(client.patch('/api/v1/nodes/a', 'merge', {}));
    await failure(client.remove('/api/v1/namespaces/a'));
    expect(server.requests.map(request => request.split(' ')[0])).toEqual(['POST', 'PATCH', 'DELETE']);
  });

  it('gets a change again only if it sent Retry-After', async () => {
    let answers = 0;
    await using server = await localServer({
      onRequest(request, response) {
        answers += 1;
        if (request.method === 'PATCH') busy(response, 429);
        else if (answers === 1) busy(response, 429, {'Retry-After': '0'});
        else json(response, 201, {});
      },
    });
    const client = clientOf(server.url);
    await client.create('/api/v1/namespaces', {});
    await failure(client.patch('/api/v1/nodes/a', 'merge', {}));
    expect(server.requests.map(request => request.split(' ')[0])).toEqual(['POST', 'POST', 'PATCH']);
  });

  it('is asked again if it drops the connection, before or during its answer', async () => {
    let count = 0;
    await using server = await localServer({
      onRequest(request, response) {
        count += 1;
        if (count === 2) return void request.socket.destroy();
        if (count > 2 && count < 5) {
          response.writeHead(200, {'Content-Length': 100}).write('{"gitVersion":', () => response.destroy());
          return;
        }
        json(response, 200, {gitVersion: `v${count}`});
      },
    });
    const client = clientOf(server.url);
    expect(await client.version()).toBe('v1');
    expect(await client.version()).toBe('v5');
  });

  it('gets no repeated change after it dropped the connection', async () => {
    await using server = await localServer({onRequest: request => void request.socket.destroy()});
    const error = await failure(clientOf(server.url).create('/api/v1/namespaces', {}));
    expect(error.message).toContain('closed the connection');
    expect(server.requests).toHaveLength(1);
  });

  it('is asked again while it restarts, once it has answered before', async () => {
    const first = await localServer({onRequest: (_, response) => json(response, 200, {gitVersion: 'v1'})});
    const client = clientOf(first.url);
    expect(await client.version()).toBe('v1');
    await first[Symbol.asyncDispose]();
    const second = client.version();
    await delay(100);
    await using _server = await localServer({
      port: first.port,
      onRequest: (_, response) => json(response, 200, {gitVersion: 'v2'}),
    });
    expect(await second).toBe('v2');
  });

  it('is asked again if it forbids what it allowed before, as after a restart', async () => {
    const forbidden = (what: string) =>
      statusBody(403, 'Forbidden', `${what} is forbidden: User "jane" cannot list resource "${what}" in API group ""`);
    const seen: string[] = [];
    await using server = await localServer({
      onRequest({url = ''}, response) {
        const count = seen.push(url.split('?')[0] ?? '');
        if (url.startsWith('/api/v1/pods') || (count > 1 && count < 4)) {
          return json(response, 403, forbidden(url.startsWith('/api/v1/pods') ? 'pods' : 'nodes'));
        }
        json(response, 200, {items: []});
      },
    });
    const client = clientOf(server.url);
    await client.list('/api/v1/nodes');
    await client.list('/api/v1/nodes');
    const error = await failure(client.list('/api/v1/pods'));
    expect(seen).toEqual([...Array(4).fill('/api/v1/nodes'), '/api/v1/pods']);
    expect(isTemporary(error)).toBe(false);
    expect(error.next.join()).toContain('manifests/rbac.yaml');
  });

  it('is asked once if requested', async () => {
    await using server = await localServer({onRequest: (_, response) => busy(response, 503)});
    await failure(clientOf(server.url).get('/api/v1/nodes/a/proxy/stats/summary', {retry: false}));
    expect(server.requests).toHaveLength(1);
  });
});

describe('refused requests', () => {
  it.each([
    [401, 'Unauthorized', ExitCode.denied, 'Sign in again'],
    [403, 'Forbidden', ExitCode.denied, 'manifests/rbac.yaml'],
    [404, 'NotFound', ExitCode.usage, ''],
    [409, 'AlreadyExists', ExitCode.uninspected, ''],
    [422, 'Invalid', ExitCode.uninspected, ''],
  ])('word a %i as kubectl does', async (code, reason, exit, next) => {
    await using server = await localServer({
      onRequest: (_, response) => json(response, code, statusBody(code, reason, 'pods "x": no')),
    });
    const error = await failure(clientOf(server.url).get('/api/v1/pods'));
    expect(error.message).toBe(`Error from server (${reason}): pods "x": no`);
    expect(error.exit).toBe(exit);
    expect(error.next.join()).toContain(next);
  });

  it.each([
    [403, 'configmaps "x" is forbidden: exceeded quota: maps, requested: configmaps=1', 'Raise the ResourceQuota maps'],
    [403, 'nodes is forbidden: User "system:anonymous" cannot list resource "nodes"', 'Sign in: user "'],
    [422, "nodes \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no", 'Policy p.'],
    [409, 'admission webhook "w.example" denied the request: no', 'webhook w.example.'],
  ])('have one exit code for denied access, and a specific remedy: %i %s', async (code, message, next) => {
    await using server = await localServer({
      onRequest: (_, response) => json(response, code, statusBody(code, 'Forbidden', message)),
    });
    const error = await failure(clientOf(server.url).create('/api/v1/namespaces/a/configmaps', {}));
    expect(error.exit).toBe(ExitCode.denied);
    expect(error.next).toEqual([expect.stringContaining(next)]);
    expect(error.next.join()).not.toContain('Ask an administrator');
  });

  it('keep the cause at the end of a long Go error, and no URL', async () => {
    const url = `https://10.0.0.5:10250/exec/kubectl-win/x/helper?${'command=C%3A%5CWindows&'.repeat(20)}`;
    const message = `error sending request: Post "${url}": ${'proxied '.repeat(100)}: dial tcp 10.0.0.5:10250: connect: connection refused`;
    await using server = await localServer({
      onRequest: (_, response) => json(response, 500, statusBody(500, 'InternalError', message), {'Retry-After': '0'}),
    });
    const error = await failure(clientOf(server.url).get('/api/v1/pods'));
    expect(error.message).toMatch(/: error sending request: proxied .*….*: connect: connection refused$/);
    expect(error.message).not.toContain('https://');
    expect(error.message.length).toBeLessThan(700);
  });

  it('show the message of a gateway as harmless text', async () => {
    await using server = await localServer({
      onRequest: (_, response) =>
        response.writeHead(502, {'Retry-After': '0'}).end('<html><b>Bad\u001b[31m gateway</b></html>'),
    });
    const error = await failure(clientOf(server.url).get('/api/v1/pods'));
    expect(error.message).toBe('Error from server: Bad gateway');
  });

  it('detect that the server is not an API server', async () => {
    await using server = await localServer({onRequest: (_, response) => response.end('<html>welcome</html>')});
    const error = await failure(clientOf(server.url).version());
    expect(error.message).toBe('Not a Kubernetes API server: the response was not JSON.');
  });
});

describe('an unreachable server', () => {
  it('is named with its context if it refuses the connection', async () => {
    using folder = temporaryFolder();
    const server = await localServer({});
    await server[Symbol.asyncDispose]();
    const kubeconfig = folder.write('config', kubeconfigText(server.url, {context: 'prod-eu'}));
    const error = await failure(connect({kubeconfig}, {}).version());
    expect(error.message).toBe(`The API server ${server.url} (context "prod-eu") refused the connection.`);
    expect(error.exit).toBe(ExitCode.uninspected);
  });

  it('is named if its name does not resolve', async () => {
    const error = await failure(clientOf('https://no-such-host.invalid:6443').version());
    expect(error.message).toMatch(/no-such-host\.invalid:6443 cannot be (found|reached)/);
  });

  it('is not waited for longer than --request-timeout', async () => {
    await using server = await localServer({onRequest: () => {}});
    const error = await failure(clientOf(server.url, {requestTimeout: '50ms'}).version());
    expect(error.message).toBe(`The API server ${server.url} did not answer within 0.05s (--request-timeout).`);
    expect(error.next.join()).toContain('--request-timeout');
  });

  it('is dropped immediately when the user gives up', async () => {
    const controller = new AbortController();
    await using server = await localServer({onRequest: () => controller.abort(new Error('Ctrl-C'))});
    await expect(clientOf(server.url).version({signal: controller.signal})).rejects.toThrow('Ctrl-C');
  });
});

describe('TLS', () => {
  const answer = {
    onRequest: (_: unknown, response: Parameters<typeof json>[0]) => json(response, 200, {gitVersion: 'v1'}),
  };
  const data = (pem: string) => Buffer.from(pem).toString('base64');

  it('trusts the CA of the kubeconfig and sends the client certificate', async () => {
    using folder = temporaryFolder();
    const [tls, mine] = await Promise.all([certificate(), certificate({names: ['jane']})]);
    let shown: string | string[] | undefined;
    await using server = await localServer({
      tls,
      onRequest(request, response) {
        shown = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
        json(response, 200, {gitVersion: 'v1'});
      },
    });
    const kubeconfig = folder.write(
      'config',
      kubeconfigText(server.url, {
        cluster: `certificate-authority-data: ${data(tls.cert)}`,
        user: `client-certificate-data: ${data(mine.cert)}, client-key-data: ${data(mine.key)}`,
      }),
    );
    expect(await connect({kubeconfig}, {}).version()).toBe('v1');
    expect(shown).toBe('jane');
  });

  it('reports that the certificate has expired', async () => {
    using folder = temporaryFolder();
    const tls = await certificate({notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01')});
    await using server = await localServer({tls, ...answer});
    const error = await failure(
      clientOf(server.url, {certificateAuthority: folder.write('ca.crt', tls.cert)}).version(),
    );
    expect(error.message).toContain('presents an expired certificate');
    expect(error.exit).toBe(ExitCode.uninspected);
  });

  it('reports that the CA is unknown, and the flag for it', async () => {
    await using server = await localServer({tls: await certificate(), ...answer});
    const error = await failure(clientOf(server.url).version());
    expect(error.message).toContain('signed by an unknown authority');
    expect(error.next.join()).toContain('--certificate-authority');
  });

  it('reports that the certificate is for another host, and supports --tls-server-name', async () => {
    using folder = temporaryFolder();
    const tls = await certificate({names: ['api.internal']});
    const certificateAuthority = folder.write('ca.crt', tls.cert);
    await using server = await localServer({tls, ...answer});
    const error = await failure(clientOf(server.url, {certificateAuthority}).version());
    expect(error.message).toContain('certificate for another host name');
    expect(error.next.join()).toContain('--tls-server-name');
    const flags = {certificateAuthority, tlsServerName: 'api.internal'};
    expect(await clientOf(server.url, flags).version()).toBe('v1');
  });

  it('verifies nothing with --insecure-skip-tls-verify', async () => {
    await using server = await localServer({tls: await certificate({names: ['other']}), ...answer});
    expect(await clientOf(server.url, {insecureSkipTlsVerify: true}).version()).toBe('v1');
  });

  it('reports that the server does not use TLS', async () => {
    await using server = await localServer(answer);
    const error = await failure(clientOf(server.url.replace('http:', 'https:')).version());
    expect(error.message).toContain('does not use TLS');
  });

  it('reports unreadable certificates as an error of the kubeconfig', async () => {
    using folder = temporaryFolder();
    const flags = {certificateAuthority: folder.write('ca.crt', 'no certificate')};
    const error = await failure(clientOf('https://127.0.0.1:1', flags).version());
    expect(error.message).toContain('The certificates in');
    expect(error.exit).toBe(ExitCode.usage);
  });
});

describe('proxies', () => {
  const answer = {
    onRequest: (_: unknown, response: Parameters<typeof json>[0]) => json(response, 200, {gitVersion: 'v1'}),
  };

  it.each([
    ['an HTTP proxy', tunnelProxy],
    ['a SOCKS5 proxy', socksProxy],
  ])('are used: %s of the kubeconfig, with one connection for many requests', async (_, start) => {
    using folder = temporaryFolder();
    await using proxy = await start();
    await using server = await localServer({tls: await certificate(), ...answer});
    const cluster = `proxy-url: "${proxy.url}", insecure-skip-tls-verify: true`;
    const kubeconfig = folder.write('config', kubeconfigText(server.url, {cluster}));
    const client = connect({kubeconfig}, {});
    expect(await client.version()).toBe('v1');
    expect(await client.version()).toBe('v1');
    expect(proxy.targets).toEqual([`127.0.0.1:${server.port}`]);
    await client.close();
  });

  it.each([
    ['an HTTP proxy', tunnelProxy],
    ['a SOCKS5 proxy', socksProxy],
  ])('resolve the name of the server: %s', async (_, start) => {
    using folder = temporaryFolder();
    const tls = await certificate({names: ['api.internal']});
    await using proxy = await start();
    await using server = await localServer({tls, ...answer});
    const HTTPS_PROXY = proxy.url;
    const flags = {certificateAuthority: folder.write('ca.crt', tls.cert)};
    const client = clientOf(`https://api.internal:${server.port}`, flags, {HTTPS_PROXY});
    expect(await client.version()).toBe('v1');
    expect(proxy.targets).toEqual([`api.internal:${server.port}`]);
    await client.close();
  });

  it.each([
    ['an HTTP proxy', tunnelProxy],
    ['a SOCKS5 proxy', socksProxy],
  ])('report an unknown CA of a server behind %s', async (_, start) => {
    await using proxy = await start();
    await using server = await localServer({tls: await certificate({names: ['api.internal']}), ...answer});
    const error = await failure(
      clientOf(`https://api.internal:${server.port}`, {}, {HTTPS_PROXY: proxy.url}).version(),
    );
    expect(error.message).toContain('signed by an unknown authority');
    expect(error.message).toContain(`through proxy ${new URL(proxy.url).host}`);
  });

  it('are named if they refuse, without their password', async () => {
    using folder = temporaryFolder();
    await using proxy = await tunnelProxy({refuse: true});
    const cluster = `proxy-url: "${proxy.url.replace('//', '//jane:pass-word@')}"`;
    const kubeconfig = folder.write('config', kubeconfigText('https://api.example:6443', {cluster}));
    const error = await failure(connect({kubeconfig}, {}).version());
    expect(error.message).toContain(`The proxy ${new URL(proxy.url).host} of the API server https://api.example:6443`);
    expect(error.message).toContain('407 Proxy Authentication Required');
    expect(error.message).not.toContain('pass-word');
    expect(error.next.join()).toContain('NO_PROXY');
  });

  it.each(['http', 'socks5'])('are named if an %s proxy is down, instead of the API server', async scheme => {
    using folder = temporaryFolder();
    const gone = await localServer({});
    await gone[Symbol.asyncDispose]();
    const cluster = `proxy-url: "${scheme}://127.0.0.1:${gone.port}"`;
    const kubeconfig = folder.write('config', kubeconfigText('https://api.example:6443', {cluster}));
    const error = await failure(connect({kubeconfig}, {}).version());
    expect(error.message).toBe(
      `The proxy 127.0.0.1:${gone.port} of the API server https://api.example:6443 (context "test") refused the connection.`,
    );
    expect(error.exit).toBe(ExitCode.uninspected);
    expect(error.next.join()).toContain('proxy-url');
  });
});

describe('watching', () => {
  it('yields events as they arrive and ends with the server', async () => {
    await using server = await localServer({
      onRequest(_, response) {
        const line = (type: string, name: string) => `${JSON.stringify({type, object: {metadata: {name}}})}\n`;
        response.write(line('ADDED', 'ä').slice(0, 40));
        response.write(line('ADDED', 'ä').slice(40));
        response.write(line('BOOKMARK', ''));
        response.end(line('DELETED', 'b'));
      },
    });
    const seen: unknown[] = [];
    const watching = clientOf(server.url).watch('/api/v1/pods', {
      resourceVersion: '5',
      fieldSelector: 'metadata.name=x',
    });
    for await (const event of watching) seen.push(event);
    expect(seen).toEqual([
      {type: 'ADDED', object: {metadata: {name: 'ä'}}},
      {type: 'DELETED', object: {metadata: {name: 'b'}}},
    ]);
    expect(server.requests[0]).toContain('resourceVersion=5&fieldSelector=metadata.name%3Dx&watch=true');
  });

  it('ends without an error when the user gives up', async () => {
    const controller = new AbortController();
    await using server = await localServer({
      onRequest: (_, response) => void response.write('{"type":"ADDED","object":{}}\n'),
    });
    const {signal} = controller;
    const seen: unknown[] = [];
    for await (const event of clientOf(server.url).watch('/api/v1/pods', {resourceVersion: '5', signal})) {
      seen.push(event);
      controller.abort();
    }
    expect(seen).toHaveLength(1);
  });

  it('fails with the message of the server if the version is too old', async () => {
    await using server = await localServer({
      onRequest: (_, response) =>
        response.end(`${JSON.stringify({type: 'ERROR', object: statusBody(410, 'Expired', 'too old')})}\n`),
    });
    const watching = clientOf(server.url).watch('/api/v1/pods', {resourceVersion: '5'});
    const error = await failure(watching.next());
    expect(error.message).toBe('Error from server (Expired): too old');
  });
});

describe('credential plugins', () => {
  const cluster = 'insecure-skip-tls-verify: true';
  const plugin = (script: string, more = '') =>
    `exec: {apiVersion: client.authentication.k8s.io/v1, command: ${process.execPath}, args: [${script}], interactiveMode: Never${more}}`;
  const printsToken = (token: string, extra = '') =>
    `console.log(JSON.stringify({apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: {token: ${token}${extra}}}))`;

  it('are run once, get the cluster, and are run again if the token is rejected', async () => {
    using folder = temporaryFolder();
    const tokens: (string | undefined)[] = [];
    await using server = await localServer({
      tls: await certificate(),
      onRequest(request, response) {
        tokens.push(request.headers.authorization);
        if (tokens.length === 3) json(response, 401, statusBody(401, 'Unauthorized', 'Unauthorized'));
        else json(response, 200, {gitVersion: 'v1'});
      },
    });
    const log = folder.write('log', '');
    const script = folder.write(
      'plugin.mjs',
      `import {appendFileSync, readFileSync} from 'node:fs';
       appendFileSync(${JSON.stringify(log)}, process.env.KUBERNETES_EXEC_INFO + ' ' + process.env.EXTRA + '\\n');
       const count = readFileSync(${JSON.stringify(log)}, 'utf8').split('\\n').length - 1;
       ${printsToken("'token-' + count")}`,
    );
    const user = plugin(script, ', provideClusterInfo: true, env: [{name: EXTRA, value: more}]');
    const kubeconfig = folder.write('config', kubeconfigText(server.url, {user, cluster}));
    const client = connect({kubeconfig}, process.env);
    await Promise.all([client.version(), client.version()]);
    await client.version();
    expect(tokens).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
    const [first = ''] = readFileSync(log, 'utf8').split('\n');
    expect(first.endsWith(' more')).toBe(true);
    expect(JSON.parse(first.slice(0, -5))).toMatchObject({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: {cluster: {server: server.url}},
    });
  });

  it('are run again after the credentials expire', async () => {
    using folder = temporaryFolder();
    await using server = await localServer({
      tls: await certificate(),
      onRequest: (_, response) => json(response, 200, {gitVersion: 'v1'}),
    });
    const log = folder.write('log', '');
    const script = folder.write(
      'plugin.mjs',
      `import {appendFileSync} from 'node:fs';
       appendFileSync(${JSON.stringify(log)}, 'asked;');
       ${printsToken("'t'", ", expirationTimestamp: '2020-01-01T00:00:00Z'")}`,
    );
    const kubeconfig = folder.write('config', kubeconfigText(server.url, {user: plugin(script), cluster}));
    const client = connect({kubeconfig}, process.env);
    await client.version();
    await client.version();
    expect(readFileSync(log, 'utf8')).toBe('asked;asked;');
  });

  it.each([
    [
      'is missing',
      'exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-login, interactiveMode: Never, installHint: get it}',
      /"no-such-login" .* was not found/,
      'get it',
    ],
    [
      'uses an old version',
      'exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}',
      /uses client.authentication.k8s.io\/v1alpha1/,
      '',
    ],
    ['fails', plugin('-e, "process.exit(3)"'), /failed with exit code 3/, 'manually'],
    ['does not print JSON', plugin('-e, "console.log(1+String())"'), /did not print an ExecCredential/, ''],
  ])('are named with what to do if one %s', async (_, user, message, next) => {
    using folder = temporaryFolder();
    const kubeconfig = folder.write('config', kubeconfigText('https://127.0.0.1:1', {user}));
    const error = await failure(connect({kubeconfig}, process.env).version());
    expect(error.message).toMatch(message);
    expect(error.next.join()).toContain(next);
    expect(error.exit).toBe(ExitCode.denied);
  });
});

it('a missing credential plugin is reported as not found, even if a PATH folder is not readable', async () => {
  using folder = temporaryFolder();
  const closed = join(folder.path, 'closed');
  mkdirSync(closed, {mode: 0});
  const user = 'exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-login, interactiveMode: Never}';
  const kubeconfig = folder.write('config', kubeconfigText('https://127.0.0.1:1', {user}));
  const error = await failure(connect({kubeconfig}, {...process.env, PATH: closed}).version());
  chmodSync(closed, 0o700);
  expect(error.message).toContain('was not found');
});

it('a credential plugin without execute permission is reported as not startable', async () => {
  using folder = temporaryFolder();
  folder.write('no-login', '');
  const user = 'exec: {apiVersion: client.authentication.k8s.io/v1, command: no-login, interactiveMode: Never}';
  const kubeconfig = folder.write('config', kubeconfigText('https://127.0.0.1:1', {user}));
  const error = await failure(connect({kubeconfig}, {...process.env, PATH: folder.path}).version());
  expect(error.message).toContain('could not be started (EACCES)');
});

describe('other authentication methods', () => {
  const jwt = (exp: number) => `x.${Buffer.from(JSON.stringify({exp})).toString('base64url')}.y`;

  async function authorization(user: string): Promise<string | undefined> {
    using folder = temporaryFolder();
    folder.write('token', 'from-file\n');
    let seen: string | undefined;
    await using server = await localServer({
      tls: await certificate(),
      onRequest(request, response) {
        seen = request.headers.authorization;
        json(response, 200, {gitVersion: 'v1'});
      },
    });
    const text = kubeconfigText(server.url, {user, cluster: 'insecure-skip-tls-verify: true'});
    await connect({kubeconfig: folder.write('config', text)}, {}).version();
    return seen;
  }

  it('reads a token from a file, trimmed', async () => {
    expect(await authorization('tokenFile: token')).toBe('Bearer from-file');
  });

  it('sends user name and password', async () => {
    expect(await authorization('username: jane, password: pw')).toBe(
      `Basic ${Buffer.from('jane:pw').toString('base64')}`,
    );
  });

  it('uses a valid OIDC token', async () => {
    const token = jwt(4_000_000_000);
    expect(await authorization(`auth-provider: {name: oidc, config: {id-token: ${token}}}`)).toBe(`Bearer ${token}`);
  });

  it('leaves the renewal of an OIDC token to kubectl', async () => {
    const config = `{id-token: ${jwt(1)}, refresh-token: r}`;
    const error = await failure(authorization(`auth-provider: {name: oidc, config: ${config}}`));
    expect(error.message).toBe('The OIDC token of the user "someone" expired at 1970-01-01T00:00:01.000Z.');
    expect(error.next.join()).toContain('kubectl renews the token');
    expect(error.exit).toBe(ExitCode.denied);
  });

  it('reports that an OIDC token without a refresh-token cannot be renewed', async () => {
    const error = await failure(authorization(`auth-provider: {name: oidc, config: {id-token: ${jwt(1)}}}`));
    expect(error.next.join()).toContain('Sign in again: the kubeconfig has no refresh-token');
  });

  it('reports a rejected token as expired', async () => {
    await using server = await localServer({
      tls: await certificate(),
      onRequest: (_, response) => json(response, 401, statusBody(401, 'Unauthorized', 'Unauthorized')),
      onUpgrade: () => ({status: 401, body: JSON.stringify(statusBody(401, 'Unauthorized', 'Unauthorized'))}),
    });
    const client = clientOf(server.url, {token: jwt(1), insecureSkipTlsVerify: true});
    const expired = /^Sign in again: the token of user .* expired at 1970-01-01T00:00:01.000Z\.$/;
    for (const work of [
      client.version(),
      client.watch('/api/v1/pods', {resourceVersion: '5'}).next(),
      client.exec({namespace: 'a', pod: 'b', command: ['c']}),
    ]) {
      expect((await failure(work)).next.join()).toMatch(expired);
    }
  });

  it('rejects providers that kubectl no longer supports', async () => {
    const error = await failure(authorization('auth-provider: {name: gcp}'));
    expect(error.message).toContain('auth-provider gcp, which is not supported');
  });
});
