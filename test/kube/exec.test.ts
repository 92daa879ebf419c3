import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {describe, expect, it} from 'vitest';
import type {WebSocket} from 'ws';
import {connect} from '../../src/kube/client.js';
import type {ExecOptions} from '../../src/kube/exec.js';
import {ExitCode} from '../../src/lib/errors.js';
import {certificate, type LocalServerOptions, localServer, statusBody, tunnelProxy} from './local-server.js';
import {kubeconfigText, temporaryFolder} from './temporary.js';

const frame = (channel: number, data: string | Buffer) => Buffer.concat([Buffer.from([channel]), Buffer.from(data)]);
const success = frame(3, '{"metadata":{},"status":"Success"}');
const exitStatus = (code: number) =>
  frame(
    3,
    JSON.stringify({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: `command terminated with exit code ${code}`,
      details: {causes: [{reason: 'ExitCode', message: String(code)}]},
    }),
  );

/** Runs a command on a server with the given behaviour. */
async function run(
  onSocket: (socket: WebSocket) => void,
  options: Partial<ExecOptions> = {},
  behaviour: LocalServerOptions = {},
) {
  await using server = await localServer({onSocket, ...behaviour});
  const output: Buffer[] = [];
  const client = connect({server: server.url, token: 't'}, {HOME: '/nowhere'});
  const outcome = await client.exec({
    namespace: 'ns',
    pod: 'pod-1',
    container: 'main',
    command: ['powershell.exe', '-File', 'a b&c'],
    onStdout: chunk => void output.push(chunk),
    ...options,
  });
  return {outcome, output: Buffer.concat(output).toString('utf8'), requests: server.requests};
}

describe('a command in a container', () => {
  it('gets its input unchanged, returns its output in order, and succeeds', async () => {
    const {outcome, output, requests} = await run(
      socket => {
        socket.on('message', (data: Buffer) => {
          socket.send(frame(1, `got channel ${data[0]} `));
          socket.send(frame(2, 'not for stdout'));
          socket.send(frame(1, data.subarray(1)));
          socket.send(success);
          socket.close();
        });
      },
      {stdin: 'aGVsbG8=\n', onStderr: () => {}},
    );
    expect(output).toBe('got channel 0 aGVsbG8=\n');
    expect(outcome).toEqual({status: 'success'});
    expect(requests).toEqual([
      'UPGRADE /api/v1/namespaces/ns/pods/pod-1/exec?command=powershell.exe&command=-File&command=a+b%26c&container=main&stdin=true&stdout=true&stderr=true',
    ]);
  });

  it('loses nothing that the server sends together with its handshake', async () => {
    const {output} = await run(socket => {
      socket.send(frame(1, 'early'));
      socket.send(success);
      socket.close();
    });
    expect(output).toBe('early');
  });

  it('works with an API server before 1.30, which uses v4', async () => {
    const protocol = 'v4.channel.k8s.io';
    const end = (socket: WebSocket) => {
      expect(socket.protocol).toBe(protocol);
      socket.send(frame(1, 'old'));
      socket.send(success);
      socket.close();
    };
    const {outcome, output} = await run(end, {}, {protocol});
    expect(output).toBe('old');
    expect(outcome).toEqual({status: 'success'});
  });

  it('reports its exit code', async () => {
    const {outcome} = await run(socket => {
      socket.send(exitStatus(3));
      socket.close();
    });
    expect(outcome).toEqual({status: 'exit', code: 3});
  });

  it('ends with its status even if the server keeps the connection open', async () => {
    const {outcome} = await run(socket => socket.send(success));
    expect(outcome).toEqual({status: 'success'});
  });

  it('applies backpressure while its output is not read', async () => {
    const chunks = 400;
    const size = 32_000;
    let taken = 0;
    let sentWhenFirstTaken = 0;
    const {outcome} = await run(
      socket => {
        let sent = 0;
        const more = () => {
          if (sent === chunks) {
            socket.send(success);
            socket.close();
            return;
          }
          sent += 1;
          if (taken <= 1) sentWhenFirstTaken = sent;
          socket.send(frame(1, Buffer.alloc(size, 120)), more);
        };
        more();
      },
      {
        async onStdout(chunk) {
          if (taken === 0) await new Promise(resolve => setTimeout(resolve, 300));
          taken += chunk.length;
        },
      },
    );
    expect(outcome).toEqual({status: 'success'});
    expect(taken).toBe(chunks * size);
    expect(sentWhenFirstTaken).toBeLessThan(chunks);
  });
});

describe('a connection that ends too early', () => {
  it('is an outcome if it is cut', async () => {
    const {outcome, output} = await run(socket => {
      socket.send(frame(1, 'half'), () => socket.terminate());
    });
    expect(output).toBe('half');
    expect(outcome).toEqual({status: 'lost', why: expect.stringContaining('closed (code 1006)')});
  });

  it('is an outcome if the server closes it without a status', async () => {
    const {outcome} = await run(socket => socket.close());
    expect(outcome.status).toBe('lost');
  });

  it('is an outcome if it is idle for too long', async () => {
    const {outcome} = await run(socket => socket.pause(), {idleTimeoutMs: 60});
    expect(outcome).toEqual({status: 'lost', why: 'no data for 0.06s'});
  });

  it('is an outcome if the command takes too long', async () => {
    const {outcome} = await run(() => {}, {deadlineMs: 50});
    expect(outcome).toEqual({status: 'lost', why: 'timed out after 0.05s'});
  });

  it('is an outcome if the status is garbage', async () => {
    const {outcome} = await run(socket => {
      socket.send(frame(3, '<html>'));
      socket.close();
    });
    expect(outcome.status).toBe('lost');
  });

  it('is dropped immediately with the signal', async () => {
    const controller = new AbortController();
    const running = run(() => controller.abort(new Error('Ctrl-C')), {signal: controller.signal});
    await expect(running).rejects.toThrow('Ctrl-C');
  });
});

describe('a command that cannot be started', () => {
  it('fails with the message of the API server', async () => {
    const body = JSON.stringify(
      statusBody(500, 'InternalError', 'error dialing backend: dial tcp 10.0.0.7:10250: i/o timeout'),
    );
    await using server = await localServer({onUpgrade: () => ({status: 500, body})});
    const client = connect({server: server.url, token: 't'}, {HOME: '/nowhere'});
    await expect(client.exec({namespace: 'a', pod: 'b', command: ['c']})).rejects.toMatchObject({
      message: expect.stringContaining('error dialing backend: dial tcp 10.0.0.7:10250: i/o timeout'),
      exit: ExitCode.uninspected,
    });
  });

  it('fails as denied if the user lacks the right', async () => {
    const body = JSON.stringify(statusBody(403, 'Forbidden', 'pods "b" is forbidden'));
    await using server = await localServer({onUpgrade: () => ({status: 403, body})});
    const client = connect({server: server.url, token: 't'}, {HOME: '/nowhere'});
    await expect(client.exec({namespace: 'a', pod: 'b', command: ['c']})).rejects.toMatchObject({
      exit: ExitCode.denied,
    });
  });

  it('does not wait for a handshake that never comes', async () => {
    // A server that accepts connections and sends nothing represents a load balancer without a backend.
    const mute = createServer(socket => void socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const {port} = mute.address() as AddressInfo;
    const muted = connect({server: `http://127.0.0.1:${port}`, token: 't'}, {HOME: '/nowhere'});
    await expect(muted.exec({namespace: 'a', pod: 'b', command: ['c'], handshakeTimeoutMs: 50})).rejects.toMatchObject({
      exit: ExitCode.uninspected,
    });
    mute.close();
  });
});

it('uses TLS, proxy, user and groups as requests do', async () => {
  using folder = temporaryFolder();
  const tls = await certificate({names: ['api.internal']});
  const seen: NodeJS.Dict<string[]>[] = [];
  await using proxy = await tunnelProxy();
  await using server = await localServer({
    tls,
    onSocket(socket, request) {
      seen.push(request.headersDistinct);
      socket.send(success);
      socket.close();
    },
  });
  const cluster = `proxy-url: "${proxy.url}", tls-server-name: api.internal, certificate-authority: ${folder.write('ca.crt', tls.cert)}`;
  const kubeconfig = folder.write('config', kubeconfigText(server.url, {cluster}));
  const client = connect({kubeconfig, as: 'jane', asGroup: ['a', 'b']}, {});
  expect(await client.exec({namespace: 'a', pod: 'b', command: ['c']})).toEqual({status: 'success'});
  expect(proxy.targets).toEqual([`127.0.0.1:${server.port}`]);
  expect(seen[0]).toMatchObject({
    authorization: ['Bearer secret'],
    'impersonate-user': ['jane'],
    'impersonate-group': ['a', 'b'],
    'sec-websocket-protocol': ['v5.channel.k8s.io,v4.channel.k8s.io'],
  });
});
