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

function review(columns: number, rows: number): TerminalProgram {
  terminal = new TerminalProgram(program, ['cleanup', 'win-1'], {env: cluster.env, columns, rows});
  return terminal;
}

test.each([
  [60, 18],
  [80, 24],
  [120, 40],
  [200, 60],
])(
  'a plan is reviewed in a terminal of %i by %i: interruption, undo and question are on the screen',
  async (columns, rows) => {
    const shown = review(columns, rows);
    const screen = await shown.shows(/type the node's name/);
    expect(screen).toMatch(/› 1 {2}client {7}Cordons win-1\./);
    expect(screen).toMatch(/undo {4}Uncordons it\./);
    expect(screen.split('\n').length).toBeLessThanOrEqual(rows);
    await expect(screen).toMatchFileSnapshot(`golden/plan-review-${columns}x${rows}.txt`);
    shown.press(keys.down);
    await shown.shows(/undo {4}Adds the bridge and its ports again/);
    shown.press(keys.enter);
    await shown.shows(/why {5}Its switch is gone[\s\S]*step {4}ovs\.deleteBridge bridge=br-int/);
    shown.press(keys.escape);
    await shown.shows(/› 2[\s\S]*Enter details/);
    shown.press('win-2', keys.enter);
    await shown.shows(/That is not the node's name/);
    shown.press(keys.escape);
    const {code, screen: last} = await shown.ended;
    expect(last).toBe('win-1: declined, nothing changed');
    expect(code).toBe(2);
    expect(await cluster.leftovers()).toBe('');
  },
);

test('Ctrl-C in a review changes nothing and exits as interrupted', async () => {
  const shown = review(80, 24);
  await shown.shows(/type the node's name/);
  shown.press(keys.ctrlC);
  const {code, screen} = await shown.ended;
  expect(screen).toMatch(/interrupted: nothing was changed/);
  expect(code).toBe(130);
  expect(await cluster.leftovers()).toBe('');
});

test('an approved plan stays on the screen, is shown step by step, and repairs the node', async () => {
  const own = await startCluster('antrea-reboot', {controllers: true});
  try {
    terminal = new TerminalProgram(program, ['cleanup', 'win-1'], {env: own.env, columns: 120, rows: 40});
    await terminal.shows(/type the node's name/);
    terminal.press('win-1', keys.enter);
    await terminal.shows(/win-1 {2}7\/8 Deletes pod \S+; its controller creates a new one\. {2}\d+ s/);
    const {code, screen} = await terminal.ended;
    expect(screen).toMatch(/^Antrea on win-1: remove stale objects/m);
    for (const step of [1, 2, 3, 4, 5, 6, 7, 8]) expect(screen).toContain(`win-1  ✓ ${step}/8 `);
    expect(screen).toMatch(/^win-1: repaired and verified$/m);
    expect(screen).not.toMatch(/type the node's name|Verifying the node/);
    expect(code).toBe(0);
    expect(await own.leftovers()).toBe('');
  } finally {
    terminal?.close();
    await own.close();
  }
});
