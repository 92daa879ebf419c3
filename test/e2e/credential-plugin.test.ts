import {existsSync, readFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {kubeconfigText, type TemporaryFolder, temporaryFolder} from '../kube/temporary.js';
import {Running, win} from './support.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** A kubeconfig whose credential plugin writes its process ID and then never answers, even to signals. */
function hanging(): {kubeconfig: string; pid: () => number} {
  const pidFile = join(folder.path, 'pid');
  const script = folder.write(
    'plugin.mjs',
    `import {writeFileSync} from 'node:fs';
     process.on('SIGTERM', () => {});
     process.on('SIGINT', () => {});
     setInterval(() => {}, 1000);
     writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`,
  );
  const user = `exec: {apiVersion: client.authentication.k8s.io/v1, command: ${process.execPath}, args: [${script}, --password=hunter2], interactiveMode: Never}`;
  const kubeconfig = folder.write('config', kubeconfigText('https://127.0.0.1:1', {user}));
  return {kubeconfig, pid: () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0)};
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a credential plugin that hangs', () => {
  it.each([
    [['doctor', '--timeout=3s'], 4, /--timeout/],
    [['nodes', '--request-timeout=3s'], 4, /--request-timeout/],
  ])('%j ends when it times out, and the plugin with it', async (args, code, message) => {
    const {kubeconfig, pid} = hanging();
    const ended = await win([...args, `--kubeconfig=${kubeconfig}`]);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toContain('hunter2');
    await expect.poll(() => isAlive(pid()), {timeout: 10_000}).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('does not keep the program from ending with %s', async signal => {
    const {kubeconfig, pid} = hanging();
    const running = new Running(process.execPath, ['dist/kubectl-win.js', 'doctor', `--kubeconfig=${kubeconfig}`], {
      ...process.env,
      HOME: folder.path,
    });
    await expect.poll(pid, {timeout: 20_000}).toBeGreaterThan(0);
    running.child.kill(signal);
    const {code} = await running.ended;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    await expect.poll(() => isAlive(pid()), {timeout: 10_000}).toBe(false);
  });
});

describe('secrets of a kubeconfig', () => {
  const plugin = (args: string) =>
    `exec: {apiVersion: client.authentication.k8s.io/v1, command: ${process.execPath}, args: [${args}], interactiveMode: Never}`;

  it('of a plugin that fails are in no message, not even with -v', async () => {
    const user = plugin('-e, process.exit(3), --, --password=hunter2');
    const kubeconfig = folder.write('config', kubeconfigText('https://127.0.0.1:1', {user}));
    const {code, stderr} = await win(['nodes', '-v', `--kubeconfig=${kubeconfig}`]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('failed with exit code 3')]);
    expect(stderr).not.toContain('hunter2');
  });

  it('of addresses and proxies are in no message, not even with -v', async () => {
    const refusing = createServer(socket => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
    await new Promise<void>(resolve => refusing.listen(0, '127.0.0.1', resolve));
    const {port} = refusing.address() as {port: number};
    try {
      for (const [server, proxy] of [
        ['https://jane:hunter2@127.0.0.1:1', undefined],
        ['https://10.255.255.1:6443', `http://jane:hunter2@127.0.0.1:${port}`],
        ['https://10.255.255.1:6443', `socks5://jane:hunter2@127.0.0.1:${port}`],
        ['https://10.255.255.1:6443', 'http://jane:hunter2@127.0.0.1:1'],
      ]) {
        const cluster = proxy ? {cluster: `proxy-url: "${proxy}"`} : {};
        const kubeconfig = folder.write('config', kubeconfigText(server ?? '', {...cluster, user: 'token: hunter2'}));
        const {code, stderr} = await win(['nodes', '-v', `--kubeconfig=${kubeconfig}`]);
        expect([server, proxy, code]).toEqual([server, proxy, 4]);
        expect(stderr).not.toContain('hunter2');
      }
    } finally {
      refusing.close();
    }
  });
});
