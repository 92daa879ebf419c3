// Pictures for the README: the real program in a real terminal on a simulated cluster, its screen written as SVG.
import {mkdirSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {spawn} from '@lydell/node-pty';
import headless from '@xterm/headless';

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
  {
    name: 'dashboard',
    scenario: 'fleet',
    command: ['kubectl-win', 'dashboard'],
    columns: 120,
    rows: 28,
    act: async ({shows, press}) => {
      await shows(/12 nodes, \d+ healthy, \d+ unhealthy\s*\n/);
      press('jjjj');
      await shows(/› *✗ antrea-win-rebooted/);
      press(enter);
      await shows(/›✗ ovs\/stale-bridge/);
      press(enter);
      await shows(/seen hnsNetworks/);
    },
  },
];

/** Runs one command in a terminal until its screen is as wanted, and gives the terminal. */
async function take({scenario, command, columns, rows, act}) {
  const terminal = new headless.Terminal({cols: columns, rows, allowProposedApi: true});
  const {NO_COLOR: _, CI: __, ...env} = process.env;
  const pty = spawn(`${root}/bin/kubectl-win`, ['demo', '--scenario', scenario, '--', ...command], {
    cols: columns,
    rows,
    name: 'xterm-256color',
    env: {...env, TERM: 'xterm-256color'},
  });
  const watchers = [];
  pty.onData(data => terminal.write(data, () => watchers.splice(0).forEach(watcher => void watcher())));
  const ended = new Promise(done => pty.onExit(() => terminal.write('', done)));
  const text = () =>
    linesOf(terminal)
      .map(line => line.translateToString(true))
      .join('\n');
  const shows = async pattern => {
    while (!pattern.test(text())) await new Promise(changed => watchers.push(changed));
  };
  await act({ended, shows, press: keys => pty.write(keys)});
  const picture = svg(terminal, columns);
  pty.kill('SIGTERM');
  await ended;
  return picture;
}

function linesOf({buffer: {active}}) {
  const lines = Array.from({length: active.length}, (_, i) => active.getLine(i));
  const last = lines.findLastIndex(line => line.translateToString(true) !== '');
  return lines.slice(0, last + 1);
}

const cell = {width: 8.4, height: 18};
const edge = 16;
const ground = '#16181d';
const ink = '#d7dae0';
const palette = ['#5c6370', '#ff6b6b', '#7bd88f', '#f2c55c', '#6cb6ff', '#d2a8ff', '#56d4dd', '#d7dae0'];

function svg(terminal, columns) {
  const lines = linesOf(terminal);
  const width = columns * cell.width + 2 * edge;
  const height = lines.length * cell.height + 2 * edge;
  const rows = lines.flatMap((line, y) => runsOf(line, columns).map(run => drawn(run, y)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="${ground}"/>
${rows.join('\n')}
</svg>
`;
}

/** Neighbours that look the same are one piece. */
function runsOf(line, columns) {
  const runs = [];
  for (let x = 0; x < columns; x += 1) {
    const one = line.getCell(x);
    if (!one || one.getWidth() === 0) continue;
    const look = lookOf(one);
    const before = runs.at(-1);
    const text = one.getChars() || ' ';
    if (before && before.key === JSON.stringify(look)) {
      before.text += text;
      before.cells += one.getWidth();
    } else runs.push({x, text, cells: one.getWidth(), look, key: JSON.stringify(look)});
  }
  return runs.filter(({text, look}) => text.trim() !== '' || look.inverse);
}

function lookOf(one) {
  const colour = one.isFgPalette() ? palette[one.getFgColor() % 8] : ink;
  return {colour, bold: Boolean(one.isBold()), dim: Boolean(one.isDim()), inverse: Boolean(one.isInverse())};
}

function drawn({x, text, cells, look}, y) {
  const left = edge + x * cell.width;
  const top = edge + y * cell.height;
  const width = cells * cell.width;
  const box = look.inverse
    ? `<rect x="${left.toFixed(1)}" y="${top}" width="${width.toFixed(1)}" height="${cell.height}" fill="${look.colour}"/>`
    : '';
  const attributes = [
    `x="${left.toFixed(1)}" y="${top + 13}" textLength="${width.toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"`,
    `fill="${look.inverse ? ground : look.colour}"`,
    look.bold ? 'font-weight="bold"' : '',
    look.dim ? 'opacity="0.65"' : '',
  ];
  return `${box}<text ${attributes.filter(Boolean).join(' ')}>${escaped(text)}</text>`;
}

function escaped(text) {
  return text.replace(/[&<>]/g, character => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[character]);
}

/** What a person types in the demo, and what the screen shows when the command has ended. */
const story = [
  'kubectl win nodes',
  'kubectl win doctor win-1',
  'kubectl win cleanup win-1 --yes',
  'kubectl win doctor',
];

/** The demo as a moving picture: one command after the other, each as long as it takes to read. */
async function film({columns, rows, seconds}) {
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
  for (const command of story) {
    pty.write(`clear; ${command} 2>/dev/null\r`);
    await new Promise(done => setTimeout(done, 1500));
    await ready();
    const lines = visible();
    const drawnRows = lines.flatMap((line, y) => runsOf(line, columns).map(run => drawn(run, y + 1)));
    const typed = drawn(
      {x: 0, text: `$ ${command}`, cells: command.length + 2, look: {colour: palette[6], bold: true}},
      0,
    );
    frames.push([typed, ...drawnRows].join('\n'));
  }
  pty.kill('SIGTERM');
  const total = frames.length * seconds;
  const width = columns * cell.width + 2 * edge;
  const height = (rows + 1) * cell.height + 2 * edge;
  const share = 100 / frames.length;
  const steps = frames.map((_, i) => {
    const [from, to] = [(i * share).toFixed(2), ((i + 1) * share - 0.01).toFixed(2)];
    const before = i === 0 ? '' : `0%,${(i * share - 0.01).toFixed(2)}%{opacity:0}`;
    const after = i === frames.length - 1 ? '' : `${((i + 1) * share).toFixed(2)}%,100%{opacity:0}`;
    return `@keyframes f${i}{${before}${from}%,${to}%{opacity:1}${after}}.f${i}{opacity:0;animation:f${i} ${total}s infinite step-end}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<style>${steps.join('')}@media (prefers-reduced-motion: reduce){g{animation:none!important}.f1{opacity:1}}</style>
<rect width="100%" height="100%" rx="8" fill="${ground}"/>
${frames.map((frame, i) => `<g class="f${i}">\n${frame}\n</g>`).join('\n')}
</svg>
`;
}

mkdirSync(`${root}/docs/screens`, {recursive: true});
writeFileSync(`${root}/docs/screens/demo.svg`, await film({columns: 112, rows: 34, seconds: 7}));
if (process.argv.includes('--demo')) process.exit(0);
for (const shot of shots) writeFileSync(`${root}/docs/screens/${shot.name}.svg`, await take(shot));
process.exit(0);
