import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest';
import {type Cluster, startCluster} from '../../e2e/support.js';
import {keys, TerminalProgram} from './terminal.js';

const program = join(fileURLToPath(new URL('../../../bin', import.meta.url)), 'kubectl-win');

let cluster: Cluster;
let terminal: TerminalProgram | undefined;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
});
afterAll(() => cluster.close());
afterEach(() => terminal?.close());

function inspect(): TerminalProgram {
  terminal = new TerminalProgram(program, ['inspect'], {env: cluster.env, columns: 100, rows: 24});
  return terminal;
}

test('inspect without a node lets the user pick one, and draws it', async () => {
  const picker = inspect();
  const screen = await picker.shows(/Enter select/);
  expect(screen).toMatch(/› win-1 {2}\w+ {2}10\.21\.40\.61/);
  expect(screen).not.toContain('lx-ctl-1');
  await expect(screen).toMatchFileSnapshot('golden/node-picker.txt');
  picker.press(keys.down);
  await picker.shows(/› win-2/);
  picker.press(keys.enter);
  const {code, screen: last} = await picker.ended;
  expect(last).toMatch(/^win-2 {2}10\.21\.40\.62 {2}antrea/);
  expect(last).not.toContain('Which node?');
  expect(code).toBe(0);
});

test('an exited picker picks nothing', async () => {
  const picker = inspect();
  await picker.shows(/Enter select/);
  picker.press(keys.escape);
  const {code, screen} = await picker.ended;
  expect(screen).toBe('error: no node selected.');
  expect(code).toBe(2);
});
