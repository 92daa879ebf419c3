import {writeFileSync} from 'node:fs';
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

/** Runs in the program: applies what the file says, when it says so. */
const fate = (file: string) => `
import {readFileSync} from 'node:fs';
const clock = setInterval(() => {
  let fate = '';
  try { fate = readFileSync(${JSON.stringify(file)}, 'utf8'); } catch { return; }
  if (fate === '') return;
  // Once: a second signal ends the program without cleaning up, as it should.
  clearInterval(clock);
  if (fate === 'crash') throw new Error('a crash');
  if (fate === 'rejection') { Promise.reject(new Error('a crash')); return; }
  process.kill(process.pid, fate);
}, 50);
clock.unref();`;

let runs = 0;

/** A shell runs the command, and then reports the state of its terminal. */
function underShell(...args: string[]) {
  runs += 1;
  const file = join(cluster.folder, `fate-${runs}`);
  const hook = join(cluster.folder, `fate-${runs}.mjs`);
  writeFileSync(hook, fate(file));
  const env = {...cluster.env, NODE_OPTIONS: `--import=${hook}`};
  const script = '"$@"; echo "ended with $?"; stty -a';
  terminal = new TerminalProgram('/bin/sh', ['-c', script, 'sh', program, ...args], {env, columns: 80, rows: 24});
  return {shown: terminal, meets: (what: string) => writeFileSync(file, what)};
}

const screens = [
  {name: 'the dashboard', args: ['dashboard'], ready: /2 nodes, 1 healthy, 1 unhealthy\s*\n/},
  {name: 'the review of a plan', args: ['cleanup', 'win-1'], ready: /type the node's name/},
  {name: 'a picker', args: ['inspect'], ready: /Enter select/},
  {name: 'a shell', args: ['shell', 'win-1'], ready: /\[win-1\]: PS C:\\>$/},
];

test.each(screens.flatMap(screen => ['crash', 'rejection', 'SIGTERM', 'SIGHUP'].map(what => ({...screen, what}))))(
  '$name restores the terminal after $what',
  async ({args, ready, what}) => {
    const signalled = what.startsWith('SIG');
    const before = await cluster.leftovers();
    const {shown, meets} = underShell(...args);
    await shown.shows(ready);
    meets(what);
    const {screen} = await shown.ended;
    expect(screen).not.toMatch(/ended with 0/);
    expect(screen).toMatch(/ icanon /);
    expect(screen).toMatch(/ echo /);
    // A crash may leave output in the scrollback; a normal exit leaves nothing. A shell is not included.
    if (args[0] !== 'shell' && (signalled || args[0] === 'dashboard')) expect(screen).not.toMatch(ready);
    const {output} = shown;
    expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'));
    expect(output.lastIndexOf('\u001b[?1049l')).toBeGreaterThanOrEqual(output.lastIndexOf('\u001b[?1049h'));
    if (signalled) expect(await cluster.leftovers()).toBe(before);
  },
);

test.each(screens.filter(({name}) => /picker|review/.test(name)))(
  '$name is taken off the screen by Ctrl-Z, and fg draws it again, with its keys',
  async ({args, ready}) => {
    const {KUBECONFIG, PATH} = cluster.env;
    terminal = new TerminalProgram('bash', ['--norc', '--noprofile', '-i'], {
      env: {KUBECONFIG, PATH, PS1: 'prompt> ', HOME: cluster.folder},
      columns: 100,
      rows: 40,
    });
    const shell = terminal;
    await shell.shows(/prompt>$/);
    shell.press(`${program} ${args.join(' ')}`, keys.enter);
    await shell.shows(ready);
    shell.press(keys.ctrlZ);
    expect(await shell.shows(/Stopped[\s\S]*prompt>$/)).not.toMatch(ready);
    shell.press('stty -a', keys.enter);
    await shell.shows(/ icanon [\s\S]*prompt>$/);
    shell.press('fg', keys.enter);
    await shell.shows(ready);
    shell.press(keys.escape);
    expect(await shell.shows(/prompt> fg[\s\S]*prompt>$/)).not.toMatch(ready);
  },
);
