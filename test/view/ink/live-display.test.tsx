import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {renderToString} from 'ink';
import stringWidth from 'string-width';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {LiveView, viewOf} from '../../../src/view/ink/live-display.js';
import {LiveState} from '../../../src/view/ink/live-state.js';
import {type Cluster, startCluster} from '../../e2e/support.js';
import {TerminalProgram} from './terminal.js';

const program = join(fileURLToPath(new URL('../../../bin', import.meta.url)), 'kubectl-win');
const names = Array.from({length: 500}, (_, i) => `win-${i + 1}`);

function atWork(active: number, done: number): LiveState {
  const state = new LiveState();
  state.stage = 'Reading nodes…';
  state.begin(names);
  for (const name of names.slice(0, done)) {
    state.node(name, 'reading', '30/30', 0);
    state.found(name, {id: 'ovs/stale-bridge', severity: 'error', message: `Bridge br-int of ${name} is stale.`});
    state.node(name, 'done', '', 0);
  }
  for (const name of names.slice(done, done + active)) state.node(name, 'reading', '14/30', 0);
  return state;
}

function drawn(state: LiveState, rows: number, width: number): string {
  return renderToString(<LiveView {...viewOf(state, rows)} width={width} sign="⠋" now={12_000} />, {columns: width});
}

test('500 nodes fit on a small screen: those in progress are drawn, the others are counted', () => {
  const text = drawn(atWork(20, 300), 24, 80);
  expect(text.split('\n').length).toBeLessThan(24);
  expect(text).toMatch(/^⠋ Reading nodes… █{12}░{8} 300 of 500 nodes, 300 with problems$/m);
  expect(text).toMatch(/^ {2}win-301 {2}reading 14\/30 +12 s$/m);
  expect(text).toMatch(/^ {2}and 12 more$/m);
  expect(text).toMatch(/✗ win-300 {2}ovs\/stale-bridge/);
});

test('a window of a few rows still shows a node in progress and a finding', () => {
  const text = drawn(atWork(3, 5), 8, 40);
  expect(text.split('\n').length).toBeLessThan(8);
  expect(text).toMatch(/win-6 {2}reading/);
  expect(text).toMatch(/✗ win-5/);
});

test('a node that could not be inspected is among the findings, and no longer counts as in progress', () => {
  const state = new LiveState();
  state.begin(['win-1']);
  state.node('win-1', 'starting helper', '', 0);
  state.node('win-1', 'not inspected', 'its kubelet does not answer.', 0);
  expect(state.active).toEqual([]);
  expect(drawn(state, 24, 80)).toMatch(/! win-1 {2}not inspected {2}its kubelet does not answer\./);
});

test('names with wide characters keep their columns', () => {
  const state = new LiveState();
  state.begin(['节点一号', 'win-2']);
  for (const name of ['节点一号', 'win-2']) state.node(name, 'reading', '3/30', 0);
  const [, ...rows] = drawn(state, 24, 80).split('\n');
  const places = rows.map(row => stringWidth(row.slice(0, row.indexOf('reading'))));
  expect(places).toHaveLength(2);
  expect(places[0]).toBe(places[1]);
});

test('a node shows its phases: its helper pod, its start, the read, the checks', () => {
  const state = new LiveState();
  state.begin(['win-1']);
  const row = () => drawn(state, 24, 80).split('\n')[1];
  state.node('win-1', 'starting helper', '', 0);
  expect(row()).toMatch(/win-1 {2}helper pod +12 s$/);
  state.node('win-1', 'starting helper', 'phase Pending', 0);
  expect(row()).toMatch(/win-1 {2}starting +12 s {2}phase Pending$/);
  state.node('win-1', 'reading', '14/30', 0);
  expect(row()).toMatch(/win-1 {2}reading 14\/30 +12 s$/);
  state.node('win-1', 'checking', '', 0);
  expect(row()).toMatch(/win-1 {2}checking +12 s$/);
});

let cluster: Cluster;
beforeAll(async () => {
  // Slow pods, so that the display is visible for a while.
  cluster = await startCluster('fleet', {podStartMs: 400});
});
afterAll(() => cluster.close());

test('doctor shows findings as they arrive, and leaves only the report on the terminal', async () => {
  const terminal = new TerminalProgram(program, ['doctor', '--concurrency=4'], {
    env: cluster.env,
    columns: 80,
    rows: 24,
  });
  await terminal.shows(/starting helper|reading \d+\/\d+ /);
  await terminal.shows(/✗ antrea-win-rebooted {2}ovs\/stale-bridge/);
  const {code, screen} = await terminal.ended;
  expect(code).toBe(1);
  expect(screen).toMatch(/12 nodes: 7 healthy/);
  expect(screen).not.toMatch(/Reading nodes…|Removing helpers…/);
  expect(terminal.output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.output.lastIndexOf('\u001b[?25l'));
});

test('an interrupted doctor leaves one line, and restores the cursor', async () => {
  const terminal = new TerminalProgram(program, ['doctor', '--concurrency=4'], {
    env: cluster.env,
    columns: 80,
    rows: 24,
  });
  await terminal.shows(/starting helper|reading \d+\/\d+ /);
  terminal.kill('SIGTERM');
  const {screen} = await terminal.ended;
  expect(screen).toBe('error: interrupted (SIGTERM).');
  expect(terminal.output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.output.lastIndexOf('\u001b[?25l'));
  expect(await cluster.leftovers()).toBe('');
});

test.each([{NO_COLOR: '1'}, {CI: 'true'}, {TERM: 'dumb'}, {INK_SCREEN_READER: 'true'}])(
  'with %o doctor writes lines and moves no cursor',
  async env => {
    const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const terminal = new TerminalProgram('/usr/bin/env', [...words, program, 'doctor'], {env: cluster.env});
    await terminal.ended;
    expect(terminal.output).toContain('Inspecting 12 Windows nodes');
    expect(terminal.output).toMatch(/^antrea-win-rebooted: read in \d+ s \(\d+ of 12\)/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: cursor movements are what is looked for
    expect(terminal.output).not.toMatch(/\u001b\[(\?25|\d*[A-HJK])/);
  },
);

test('with JSON piped to a file a terminal shows lines; without a terminal there is only JSON', async () => {
  const file = join(cluster.folder, 'report.json');
  const words = ['-c', '"$0" doctor -o json > "$1"', program, file];
  const terminal = new TerminalProgram('/bin/sh', words, {env: cluster.env});
  const {screen} = await terminal.ended;
  expect(screen).toMatch(/^Inspecting 12 Windows nodes…[\s\S]*12 of 12\)$/);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({kind: 'DoctorReport'});
  expect((await cluster.win('doctor', '-o', 'json')).stderr).toBe('');
});
