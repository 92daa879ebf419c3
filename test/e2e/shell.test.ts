import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest';
import {commandShell, EndMark, scriptIn} from '../../src/helper/shell-command.js';
import {pause} from '../../src/lib/pause.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {eventually} from '../eventually.js';
import {rightsOf, withRules} from '../roles.js';
import {keys, TerminalProgram} from '../view/ink/terminal.js';
import {type Cluster, startCluster, startClusterOf} from './support.js';

const program = join(fileURLToPath(new URL('../../bin', import.meta.url)), 'kubectl-win');

let cluster: Cluster;
let terminal: TerminalProgram | undefined;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
});
afterAll(() => cluster.close());
afterEach(() => terminal?.close());

const prompt = /\[win-1\]: PS C:\\>$/;

function openShell(): TerminalProgram {
  terminal = new TerminalProgram(program, ['shell', 'win-1'], {env: cluster.env, columns: 80, rows: 24});
  return terminal;
}

test('a command after -- runs as SYSTEM, its streams are kept apart, and nothing is left behind', async () => {
  const {code, stdout, stderr} = await cluster.win('shell', 'win-1', '--', 'whoami');
  expect({code, stdout, stderr}).toEqual({code: 0, stdout: 'nt authority\\system\r\n', stderr: ''});
  const failed = await cluster.win('shell', 'win-1', '--', 'nonsense');
  expect(failed).toMatchObject({code: 1, stdout: ''});
  expect(failed.stderr).toMatch(/^nonsense : The term 'nonsense' is not recognized/);
  expect(await cluster.leftovers()).toBe('');
});

test('shell exits with the code of the command, and never with 0 instead of another', async () => {
  expect(await cluster.win('shell', 'win-1', '--', 'cmd', '/c', 'exit 7')).toMatchObject({code: 7});
  expect(await cluster.win('shell', 'win-1', '--', 'exit 256')).toMatchObject({code: 255});
});

test('several words reach PowerShell as a command with arguments, one word as a script', () => {
  const script = (...words: string[]) => scriptIn(commandShell(words).words).script;
  expect(script('Get-Item', '-LiteralPath', "C:\\Program Files\\it's")).toBe(
    "& 'Get-Item' -LiteralPath 'C:\\Program Files\\it''s'",
  );
  expect(script('Get-Service | Sort-Object Name')).toBe('Get-Service | Sort-Object Name');
});

test('what a Windows command line cannot contain is rejected before anything is created', async () => {
  const {code, stderr} = await cluster.win('shell', 'win-1', '--', 'x'.repeat(4000));
  expect(code).toBe(2);
  expect(stderr).toMatch(/too long for a Windows command line/);
});

test('an interactive shell follows the size of the terminal, and exits with its own code', async () => {
  const shell = openShell();
  await shell.shows(prompt);
  shell.press('$Host.UI.RawUI.WindowSize', keys.enter);
  await shell.shows(/ {3}80 {5}24/);
  shell.resize(100, 40);
  // A terminal reports its new size at any time, not in the order of the keys.
  await eventually('the new size', async () => {
    shell.press('$Host.UI.RawUI.WindowSize', keys.enter);
    await pause(200, undefined);
    return / {2}100 {5}40/.test(shell.screen());
  });
  shell.press('abc', keys.ctrlC);
  await shell.shows(/abc\^C/);
  shell.press('exit 9', keys.enter);
  const {code, screen} = await shell.ended;
  expect(code).toBe(9);
  expect(screen).toMatch(/^PowerShell on win-1 as NT AUTHORITY\\SYSTEM\. Changes take effect immediately\./);
  expect(await cluster.leftovers()).toBe('');
});

test('a command that was cut off exits with 4, even if the API server reports success', async () => {
  const running = cluster.start('shell', 'win-1', '--', 'hostname; Start-Sleep 60; hostname');
  await running.printed(/WIN-1/);
  cluster.simulation.disconnect('win-1');
  const {code, stdout, stderr} = await running.ended;
  expect({code, stdout}).toEqual({code: 4, stdout: 'WIN-1\r\n'});
  expect(stderr).toMatch(/the connection to win-1 was lost: its output was cut short/);
  expect(await cluster.leftovers()).toBe('');
});

test('text that looks like the start of the end mark is shown', () => {
  const mark = new EndMark('<end 12>');
  const shown = ['a <en', 'd 1', '3> <end 12', '>b'].map(text => mark.take(Buffer.from(text)).toString());
  expect(shown).toEqual(['a ', '', '<end 13> ', 'b']);
  expect([mark.seen, mark.rest().toString()]).toEqual([true, '']);
});

test('without a terminal and a command nothing is created', async () => {
  const {code, stderr} = await cluster.win('shell', 'win-1');
  expect(code).toBe(2);
  expect(stderr).toMatch(/requires a terminal, or a command after "--"/);
});

test('even if a helper is installed the shell has its own pod, which is deleted with it', async () => {
  expect(await cluster.win('helper', 'install')).toMatchObject({code: 0});
  const before = await cluster.leftovers();
  const shell = openShell();
  await shell.shows(prompt);
  const during = await cluster.leftovers();
  expect(during.split('\n').length).toBeGreaterThan(before.split('\n').length);
  shell.press('exit', keys.enter);
  await shell.ended;
  expect(await cluster.leftovers()).toBe(before);
  await cluster.win('helper', 'uninstall');
});

test('shell works with the roles in its help, and reports a missing one before it creates anything', async () => {
  const scenario = loadScenario('antrea-reboot');
  const allowed = await startClusterOf(withRules(scenario, rightsOf('look', 'inspect')));
  expect(await allowed.win('shell', 'win-1', '--', 'hostname')).toMatchObject({code: 0, stdout: 'WIN-1\r\n'});
  await allowed.close();
  const denied = await startClusterOf(withRules(scenario, rightsOf('look')));
  const {code, stderr} = await denied.win('shell', 'win-1', '--', 'hostname');
  expect(code).toBe(3);
  expect(stderr).toMatch(/You are not allowed to .*pods\/exec.*kubectl-win-inspect/s);
  await denied.close();
});
