import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, afterEach, beforeAll, beforeEach, expect, test} from 'vitest';
import {eventually} from '../../eventually.js';
import {TerminalProgram} from './terminal.js';

const program = join(fileURLToPath(new URL('../../../bin', import.meta.url)), 'kubectl-win');
const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-held-'));
const kubeconfig = join(folder, 'kubeconfig');

/** An API server that accepts every request and answers none. */
const server = createServer(() => {
  requests += 1;
});
let requests = 0;
let terminal: TerminalProgram | undefined;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'held',
      clusters: [{name: 'held', cluster: {server: `http://127.0.0.1:${port}`}}],
      users: [{name: 'held', user: {token: 'x'}}],
      contexts: [{name: 'held', context: {cluster: 'held', user: 'held'}}],
    }),
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, {recursive: true});
});
beforeEach(() => {
  requests = 0;
});
afterEach(() => terminal?.close());

function start(...args: string[]): TerminalProgram {
  const {NO_COLOR: _, ...env} = process.env;
  terminal = new TerminalProgram(program, args, {env: {...env, KUBECONFIG: kubeconfig}, columns: 80, rows: 24});
  return terminal;
}

async function requested(): Promise<void> {
  await eventually('a request', () => requests > 0);
}

test('the dashboard is drawn and handles keys before the API has answered', async () => {
  const dashboard = start('dashboard');
  await requested();
  const screen = await dashboard.shows(
    /^ kubectl win {2}held {2}Reading the cluster…\s+\[1 Findings\] 2 Topology[\s\S]*q quit$/,
  );
  expect(screen).not.toMatch(/0 nodes/);
  // Something is shown before Ink is loaded.
  expect(dashboard.output).toMatch(/kubectl win {2}Starting…[\s\S]*\[1 Findings\]/);
  dashboard.press('?');
  await dashboard.shows(/review a plan for this node/);
  dashboard.press('q');
  await dashboard.shows(/\[1 Findings\][\s\S]*q quit$/);
  dashboard.press('q');
  expect((await dashboard.ended).code).toBe(0);
});

test('doctor reports its start before the API has answered, and exits with one line', async () => {
  const doctor = start('doctor');
  await requested();
  await doctor.shows(/^. Reading the cluster…$/);
  expect(doctor.output).toContain('Starting…');
  doctor.kill('SIGINT');
  const {code, screen} = await doctor.ended;
  expect(screen).toBe('error: interrupted (SIGINT).');
  expect(code).toBe(130);
});
