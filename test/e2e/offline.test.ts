import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {TerminalProgram} from '../view/ink/terminal.js';
import {startCluster, win} from './support.js';

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-win-offline-'));
  const cluster = await startCluster('antrea-reboot');
  await cluster.win('collect', '-f', at('bundle.tar.gz'));
  await cluster.close();
});
afterAll(() => rmSync(folder, {recursive: true, force: true}));

test.each([
  {args: ['doctor', '--from'], code: 1, shows: /OVS bridge left over/},
  {args: ['inspect', 'win-1', '--from'], code: 0, shows: /^win-1 /},
  {args: ['preflight', 'kube-ovn', '--from'], code: 1, shows: /win-1/},
  {args: ['cleanup', 'win-1', '--dry-run=client', '--from'], code: 0, shows: /br-int/},
  {args: ['diff', 'win-1', 'win-2', '--from'], code: 1, shows: /antrea-hnsnetwork/},
  {args: ['logs', 'win-1', '--from'], code: 0, shows: /ovs-vswitchd/},
  {args: ['events', '--from'], code: 0, shows: /Service Control Manager/},
])('$args.0 works on a bundle without a cluster', async ({args, code, shows}) => {
  const ended = await win([...args, at('bundle.tar.gz')]);
  expect(ended.stderr).not.toMatch(/error:/);
  expect(ended).toMatchObject({code, stdout: expect.stringMatching(shows)});
});

test('the dashboard shows a bundle without a cluster, reads it again, and repairs nothing', async () => {
  const program = join(fileURLToPath(new URL('../../bin', import.meta.url)), 'kubectl-win');
  const env = {...process.env, KUBECONFIG: at('none'), HOME: folder};
  const args = ['dashboard', '--from', at('bundle.tar.gz')];
  const terminal = new TerminalProgram(program, args, {env, columns: 120, rows: 40});
  try {
    await terminal.shows(/bundle\.tar\.gz +2 nodes, 1 healthy, 1 unhealthy[\s\S]*✗ Stale OVS bridge/);
    terminal.press('f');
    await terminal.shows(/A snapshot cannot be repaired/);
    terminal.press('r');
    await terminal.shows(/2 nodes, 1 healthy, 1 unhealthy(?![\s\S]*cannot be repaired)/);
    terminal.press('5');
    await terminal.shows(/ovs-vswitchd\.log/);
  } finally {
    await terminal.close();
  }
});

test('the dashboard reads keys from stdin, and accepts no file there', async () => {
  expect(await win(['dashboard', '--from', '-'])).toMatchObject({code: 2, stderr: expect.stringMatching(/--from/)});
});

test('cleanup --from contacts no node, so --dry-run=server is rejected', async () => {
  const ended = await win(['cleanup', '--dry-run=server', '--from', at('bundle.tar.gz')]);
  expect(ended).toMatchObject({code: 2, stderr: expect.stringMatching(/--dry-run=server requires the node/)});
});
