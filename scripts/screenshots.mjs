// Generates the SVG pictures in docs/screens: the program in a terminal, on a simulated cluster.
import {mkdirSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {spawn} from '@lydell/node-pty';
import headless from '@xterm/headless';
import {drawLines, drawPrompt, frame, themes} from './screens/picture.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const enter = '\r';

const shots = [
  {
    name: 'doctor',
    scenario: 'antrea-reboot',
    command: ['kubectl-win', 'doctor'],
    columns: 100,
    rows: 46,
    act: async ({ended}) => ended,
  },
  {
    name: 'topology',
    scenario: 'antrea-reboot',
    command: ['kubectl-win', 'inspect', 'win-1'],
    columns: 134,
    rows: 40,
    act: async ({ended}) => ended,
  },
  {
    name: 'plan-review',
    scenario: 'antrea-reboot',
    command: ['kubectl-win', 'cleanup', 'win-1'],
    columns: 100,
    rows: 22,
    act: async ({shows}) => shows(/type the node's name/),
  },
  ...['dark', 'light'].map(theme => ({
    name: theme === 'dark' ? 'dashboard' : 'dashboard-light',
    theme,
    scenario: 'fleet',
    command: ['kubectl-win', 'dashboard'],
    columns: 120,
    rows: 34,
    act: async ({shows, press}) => {
      await shows(/12 nodes, 7 healthy, 5 unhealthy\s*\n/);
      await shows(/› *✗ antrea-win-rebooted/);
      press(enter);
      await shows(/›✗ Stale OVS bridge/);
      press(enter);
      await shows(/Found +HNS network/);
    },
  })),
];

/** Runs one command in a terminal until the screen shows what is wanted, and returns the picture. */
async function take({scenario, command, columns, rows, act, theme = 'dark'}) {
  const terminal = new headless.Terminal({cols: columns, rows, allowProposedApi: true});
  const {NO_COLOR: _, CI: __, ...env} = process.env;
  const pty = spawn(`${root}/bin/kubectl-win`, ['demo', '--scenario', scenario, '--', ...command], {
    cols: columns,
    rows,
    name: 'xterm-256color',
    env: {...env, TERM: 'xterm-256color'},
  });
  const watchers = [];
  let last = Date.now();
  pty.onData(data => {
    last = Date.now();
    terminal.write(data, () => watchers.splice(0).forEach(watcher => void watcher()));
  });
  const ended = new Promise(done => pty.onExit(() => terminal.write('', done)));
  const text = () =>
    linesOf(terminal)
      .map(line => line.translateToString(true))
      .join('\n');
  const shows = async pattern => {
    while (!pattern.test(text())) await new Promise(changed => watchers.push(changed));
  };
  await act({ended, shows, press: keys => pty.write(keys)});
  // A screen may arrive in several writes.
  while (Date.now() - last < 300) await new Promise(done => setTimeout(done, 100));
  const lines = linesOf(terminal);
  const look = {columns, theme: themes[theme]};
  const picture = frame({...look, rows: lines.length}, drawLines(lines, look));
  pty.kill('SIGTERM');
  await ended;
  return picture;
}

function linesOf({buffer: {active}}) {
  const lines = Array.from({length: active.length}, (_, i) => active.getLine(i));
  const last = lines.findLastIndex(line => line.translateToString(true) !== '');
  return lines.slice(0, last + 1);
}

/** The commands of the demo, and how long to show the result of each. */
const story = [
  {command: 'kubectl win nodes', seconds: 3},
  {command: 'kubectl win doctor win-1', seconds: 10},
  {command: 'kubectl win cleanup win-1 --yes', seconds: 6},
  {command: 'kubectl win doctor', seconds: 6},
];

/** The demo as an animation: one command after the other, each shown long enough to read. */
async function film({columns, rows}) {
  const frames = [];
  const terminal = new headless.Terminal({cols: columns, rows, allowProposedApi: true});
  const {NO_COLOR: _, CI: __, ...env} = process.env;
  const shell = ['sh', '-c', 'PS1="$ " exec sh -i'];
  const pty = spawn(`${root}/bin/kubectl-win`, ['demo', '--scenario', 'antrea-reboot', '--', ...shell], {
    cols: columns,
    rows,
    name: 'xterm-256color',
    env: {...env, PATH: `${root}/bin:${root}/node_modules/.bin:${env.PATH}`, TERM: 'xterm-256color'},
  });
  const watchers = [];
  pty.onData(data => terminal.write(data, () => watchers.splice(0).forEach(watcher => void watcher())));
  const visible = () => {
    const {active} = terminal.buffer;
    return Array.from({length: rows}, (_, i) => active.getLine(active.baseY + i));
  };
  const ready = async () => {
    const text = () =>
      visible()
        .map(line => line.translateToString(true))
        .join('\n')
        .trimEnd();
    while (!/\n?\$$/.test(text())) await new Promise(changed => watchers.push(changed));
  };
  await ready();
  for (const {command} of story) {
    pty.write(`clear; ${command} 2>/dev/null\r`);
    await new Promise(done => setTimeout(done, 1500));
    await ready();
    const lines = visible();
    frames.push(`${drawPrompt(command)}\n${drawLines(lines, {columns, from: 1})}`);
  }
  pty.kill('SIGTERM');
  const total = story.reduce((sum, {seconds}) => sum + seconds, 0);
  const percent = (frame, less = 0) => {
    const seconds = story.slice(0, frame).reduce((sum, one) => sum + one.seconds, 0);
    return ((100 * seconds) / total - less).toFixed(2);
  };
  const steps = frames.map((_, i) => {
    const [from, to] = [percent(i), percent(i + 1, 0.01)];
    const before = i === 0 ? '' : `0%,${percent(i, 0.01)}%{opacity:0}`;
    const after = i === frames.length - 1 ? '' : `${percent(i + 1)}%,100%{opacity:0}`;
    return `@keyframes f${i}{${before}${from}%,${to}%{opacity:1}${after}}.f${i}{opacity:0;animation:f${i} ${total}s infinite step-end}`;
  });
  const still = '@media (prefers-reduced-motion: reduce){g{animation:none!important}.f1{opacity:1}}';
  const body = frames.map((drawn, i) => `<g class="f${i}">\n${drawn}\n</g>`).join('\n');
  return frame({columns, rows: rows + 1, style: `<style>${steps.join('')}${still}</style>\n`}, body);
}

mkdirSync(`${root}/docs/screens`, {recursive: true});
writeFileSync(`${root}/docs/screens/demo.svg`, await film({columns: 112, rows: 34}));
if (process.argv.includes('--demo')) process.exit(0);
for (const shot of shots) writeFileSync(`${root}/docs/screens/${shot.name}.svg`, await take(shot));
process.exit(0);
