import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest';
import {keys, TerminalProgram} from '../view/ink/terminal.js';
import {type Cluster, startCluster} from './support.js';

const program = join(fileURLToPath(new URL('../../bin', import.meta.url)), 'kubectl-win');
const toAlternate = '\u001b[?1049h';
const fromAlternate = '\u001b[?1049l';

let cluster: Cluster;
let terminal: TerminalProgram | undefined;
beforeAll(async () => {
  cluster = await startCluster('fleet');
});
afterAll(() => cluster.close());
afterEach(() => terminal?.close());

function open(columns: number, rows: number, env: NodeJS.ProcessEnv = {}): TerminalProgram {
  terminal = new TerminalProgram(program, ['dashboard'], {env: {...cluster.env, ...env}, columns, rows});
  return terminal;
}

/** Ages differ between runs, and the number of checks between versions. */
function steady(screen: string): string {
  return screen
    .replace(/[ \d]\ds( ago)? ([│┃])/g, ' 0s$1 $2')
    .replace(/\d+ passed/, '<n> passed')
    .replace(/evidence, \d+ consequences/, 'evidence, <n> consequences');
}

const allRead = /12 nodes, 7 healthy, 5 unhealthy\s*\n/;

test.each([
  [80, 24],
  [120, 40],
  [200, 60],
])(
  'at %i by %i the dashboard shows health, findings, topology and plan of an unhealthy node',
  async (columns, rows) => {
    const shown = open(columns, rows);
    await shown.shows(allRead);
    shown.press('/rebooted', keys.enter);
    const golden = (name: string) => `golden/dashboard-${name}-${columns}x${rows}.txt`;
    const found = await shown.shows(
      /Filter: rebooted, 1 of 12[\s\S]*› *✗ antrea-win-reb[\s\S]*✗ Stale OVS bridge[\s\S]*q quit/,
    );
    await expect(steady(found)).toMatchFileSnapshot(golden('findings'));
    shown.press(keys.enter, keys.enter);
    await shown.shows(/Found +HNS network antrea-hnsnetwork:\s/);
    shown.press('2');
    const drawn = await shown.shows(/✗ antrea-hnsnetwork[\s\S]*← hns\/network-present/);
    await expect(steady(drawn)).toMatchFileSnapshot(golden('topology'));
    shown.press('3');
    const adapters = await shown.shows(/\[3 Adapters\][\s\S]*vEthernet \(nat\)/);
    await expect(steady(adapters)).toMatchFileSnapshot(golden('adapters'));
    shown.press('6');
    const plan = await shown.shows(/Press f to review[\s\S]*Deletes bridge br-int[\s\S]*undo: Adds the bridge/);
    await expect(steady(plan)).toMatchFileSnapshot(golden('plan'));
    shown.press('?');
    const help = await shown.shows(/Keys[\s\S]*Ctrl-D/);
    await expect(steady(help)).toMatchFileSnapshot(golden('keys'));
    shown.press('q', '1', 'e');
    await shown.shows(/What it means/);
    shown.press(keys.escape);
    await shown.shows(/HNS network antrea-hnsnetwork|✗ Stale OVS bridge/);
    shown.press('y');
    await shown.shows(/Copied the evidence of ovs\/stale-bridge/);
    const copied = shown.output.split('\u001b]52;c;')[1]?.split('\u0007')[0] ?? '';
    expect(Buffer.from(copied, 'base64').toString()).toMatch(
      /^antrea-win-rebooted: ovs\/stale-bridge: .*\nfound ovs Bridge br-int/,
    );
    expect(shown.screen().split('\n').length).toBeLessThanOrEqual(rows);
    // Only changed lines are drawn again: clearing the screen would flicker.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what clears a screen is looked for
    expect(shown.output.slice(shown.output.indexOf('\u001b[?2026l'))).not.toMatch(/\u001b\[[23]?J/);
    shown.press('q');
    const {code} = await shown.ended;
    expect(code).toBe(0);
    expect(shown.output.lastIndexOf(fromAlternate)).toBeGreaterThan(shown.output.lastIndexOf(toAlternate));
    expect(await cluster.leftovers()).toBe('');
  },
);

test('the dashboard follows the size of its terminal', async () => {
  const shown = open(80, 24);
  await shown.shows(allRead);
  shown.resize(160, 40);
  await shown.shows(/1 Findings[\s\S]*antrea-win-no-extension/);
  shown.resize(60, 16);
  await shown.shows(/^ kubectl win[\s\S]*q quit$/);
  expect(shown.screen().split('\n').length).toBeLessThanOrEqual(16);
  shown.press(keys.ctrlC);
  expect((await shown.ended).code).toBe(0);
});

test('f reviews a plan for the node on the plain screen, and returns to the dashboard', async () => {
  const shown = open(100, 30);
  await shown.shows(allRead);
  shown.press('/rebooted', keys.enter, 'f');
  await shown.shows(/type the node's name \(antrea-win-rebooted\)/);
  shown.press(keys.escape);
  await shown.shows(/^ antrea-win-rebooted: declined, nothing changed/m);
  shown.press('q');
  expect((await shown.ended).code).toBe(0);
  expect(await cluster.leftovers()).toBe('');
});

test('f does not wait for other nodes, and reading them continues afterwards', async () => {
  terminal = new TerminalProgram(program, ['dashboard', '--concurrency', '1'], {
    env: cluster.env,
    columns: 100,
    rows: 30,
  });
  await terminal.shows(/12 nodes, [1-9]\d* healthy.*in progress/);
  terminal.press('f');
  await terminal.shows(/^ antrea-win-1: .*/m);
  await terminal.shows(allRead);
  terminal.press('q');
  expect((await terminal.ended).code).toBe(0);
  expect(await cluster.leftovers()).toBe('');
});

test('a crash restores the terminal', async () => {
  const crash = join(cluster.folder, 'crash.mjs');
  writeFileSync(crash, "process.on('SIGUSR2', () => { throw new Error('a crash'); });\n");
  const shown = open(80, 24, {NODE_OPTIONS: `--import=${crash}`});
  await shown.shows(/q quit/);
  shown.kill('SIGUSR2');
  const {code, screen} = await shown.ended;
  expect(code).not.toBe(0);
  expect(screen).toContain('a crash');
  expect(shown.output.lastIndexOf(fromAlternate)).toBeGreaterThan(shown.output.lastIndexOf(toAlternate));
  expect(shown.output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown.output.lastIndexOf('\u001b[?25l'));
});

test('colours are readable on light and dark backgrounds, and faint text has signs', async () => {
  const shown = open(120, 40);
  await shown.shows(allRead);
  expect(
    shown
      .coloured()
      .filter(({colour}) => colour === 2)
      .map(({text}) => text.trim()),
  ).toContain('✓');
  shown.press(':node kovn-win-wrong', keys.enter, keys.enter, keys.enter);
  await shown.shows(/Found +Node kovn-win-wrong-nic/);
  for (const {colour, text} of shown.coloured()) {
    // Only red is also used for words. Nothing is white, bright, or has its own colour.
    expect([1, 2, 3, 6], text).toContain(colour);
    // The accent is for keys and labels.
    if (colour === 6) expect(text.trim()).toMatch(/^([›/:?\w]|↑↓|←→|↑↓←→|←|⏎|Tab|Enter|Fix)$/);
    else if (colour !== 1) expect(text.trim()).toMatch(/^[✓✗!?…↶]$/);
  }
  shown.press('q');
  await shown.ended;
});

test('without colour it uses signs, and the selection is highlighted', async () => {
  const shown = open(80, 24, {NO_COLOR: '1'});
  const screen = await shown.shows(allRead);
  expect(shown.coloured()).toEqual([]);
  expect(screen).toMatch(/›✗ antrea-win-rebooted/);
  expect(screen).toMatch(/ ✗ antrea-win-no-extension/);
  shown.press('q');
  expect((await shown.ended).code).toBe(0);
});

test('a locale without UTF-8 has the whole screen in ASCII, each line at its place', async () => {
  const shown = open(80, 24, {LC_ALL: 'C'});
  const screen = await shown.shows(allRead);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is allowed
  expect(screen).toMatch(/^[\u0000-\u007f]+$/);
  expect(screen.split('\n').slice(0, 3)).toEqual([
    ' kubectl win  fleet  12 nodes, 7 healthy, 5 unhealthy',
    '[1 Findings] 2 Topology  3 Adapters  4 Balancers  5 Services, logs  6 Plan ',
    expect.stringMatching(/^-{42}\+-{37}$/),
  ]);
  shown.press('q');
  expect((await shown.ended).code).toBe(0);
});

test('at 40 columns nodes and details have the screen in turns, and no word is cut', async () => {
  const shown = open(40, 24);
  const list = await shown.shows(/^ 12 nodes, 7 healthy, 5 unhealthy\s*\n/);
  expect(list).toMatch(/\n {3}NODE +PROBLEMS↓\n›✗ antrea-win-rebooted +2 *\n/);
  expect(list).not.toMatch(/…|Stale OVS/);
  shown.press(keys.enter);
  const details = await shown.shows(/✗ Stale OVS bridge[\s\S]*Fix +kubectl win/);
  expect(details).not.toMatch(/…|flannel/);
  shown.press(keys.escape);
  await shown.shows(/\n›✗ antrea-win-rebooted +2 *\n/);
  shown.press('q');
  expect((await shown.ended).code).toBe(0);
});

test('Ctrl-Z returns the terminal to the shell, and fg redraws the dashboard', async () => {
  const {KUBECONFIG, PATH} = cluster.env;
  const shell = new TerminalProgram('bash', ['--norc', '--noprofile', '-i'], {
    env: {KUBECONFIG, PATH, PS1: 'prompt> ', HOME: cluster.folder},
    columns: 100,
    rows: 30,
  });
  terminal = shell;
  await shell.shows(/prompt>$/);
  shell.press(`${program} dashboard`, keys.enter);
  await shell.shows(allRead);
  shell.press(keys.ctrlZ);
  await shell.shows(/Stopped[\s\S]*prompt>$/);
  expect(shell.output.lastIndexOf(fromAlternate)).toBeGreaterThan(shell.output.lastIndexOf(toAlternate));
  expect(shell.output.lastIndexOf('\u001b[?1000l')).toBeGreaterThan(shell.output.lastIndexOf('\u001b[?1000h'));
  shell.press('fg', keys.enter);
  await shell.shows(allRead);
  shell.press('j');
  await shell.shows(/\n ✗ antrea-win-rebooted.*\n›✗/);
  shell.press('q');
  await shell.shows(/prompt>$/);
  expect(shell.output.lastIndexOf('\u001b[?1000l')).toBeGreaterThan(shell.output.lastIndexOf('\u001b[?1000h'));
});

test('Ctrl-Z while nodes are read restores the cursor, and fg continues to the report', async () => {
  const {KUBECONFIG, PATH} = cluster.env;
  const shell = new TerminalProgram('bash', ['--norc', '--noprofile', '-i'], {
    env: {KUBECONFIG, PATH, PS1: 'prompt> ', HOME: cluster.folder},
    columns: 100,
    rows: 30,
  });
  terminal = shell;
  await shell.shows(/prompt>$/);
  shell.press(`${program} doctor --concurrency 1`, keys.enter);
  await shell.shows(/of 12/);
  shell.press(keys.ctrlZ);
  await shell.shows(/Stopped[\s\S]*prompt>$/);
  expect(shell.output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(shell.output.lastIndexOf('\u001b[?25l'));
  expect(shell.screen()).not.toMatch(/Reading nodes/);
  const words = Array.from({length: 12}, (_, i) => `line-${i}`);
  shell.press(`printf '%s\\n' ${words.join(' ')}`, keys.enter);
  await shell.shows(/line-11\nprompt>$/);
  shell.press('fg', keys.enter);
  const report = await shell.shows(/12 nodes: 7 healthy, 5 unhealthy[\s\S]*prompt>$/);
  // Nothing that the shell printed meanwhile was drawn over.
  expect(report).toContain(`\n${words.join('\n')}\nprompt> fg\n`);
});

test('at 120 columns tables are tables', async () => {
  const shown = open(120, 40);
  await shown.shows(allRead);
  shown.press(':node flannel-win-1', keys.enter, ':lb', keys.enter);
  await shown.shows(/SERVICE +ADDRESS +PORTS +TO +STATE[\s\S]*kube-system\/kube-dns +10\./);
  shown.press(':adapters', keys.enter);
  await shown.shows(/NAME +STATE +SPEED +MTU +MAC +ADDRESSES/);
  // A click on the second node, as a terminal reports it.
  shown.press('\u001b[<0;6;6M', '\u001b[<0;6;6m');
  await shown.shows(/\n ✗ antrea-win-rebooted.*\n›✗ /);
  shown.press(':quit', keys.enter);
  expect((await shown.ended).code).toBe(0);
});

test('without a terminal it names the alternative', async () => {
  const {code, stderr} = await cluster.win('dashboard');
  expect(stderr).toMatch(/requires a terminal[\s\S]*kubectl win doctor/);
  expect(code).toBe(2);
});
