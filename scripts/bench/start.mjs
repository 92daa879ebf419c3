// Measures how long commands take to start. They take turns, so background load affects all of them equally: compare the
// ratios of one run, not the times.
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {kubectl} from '../kubectl.mjs';

const rounds = 20;
const root = fileURLToPath(new URL('../..', import.meta.url));
const bundle = [process.execPath, join(root, 'dist/kubectl-win.js')];
const executable = [join(root, 'dist/release/kubectl-win')];
const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-bench-'));
const cluster = spawn(bundle[0], [bundle[1], 'demo', '--keep'], {stdio: ['ignore', 'pipe', 'ignore']});

try {
  const [started] = await once(cluster.stdout, 'data');
  process.env.KUBECONFIG = /KUBECONFIG=(.*)/.exec(String(started))[1];
  const snapshot = join(folder, 'snapshot.json');
  run([...bundle, 'collect', 'win-1', '-f', snapshot]);
  const programs = [
    ['bare Node, `node -e 0`', [process.execPath, '-e', '0']],
    ['`kubectl version --client`', [kubectl(), 'version', '--client']],
    ...ours('bundle', bundle, snapshot),
    ...(existsSync(executable[0]) ? ours('executable', executable, snapshot) : []),
  ];
  print(measure(programs));
} finally {
  cluster.kill('SIGINT');
  rmSync(folder, {recursive: true, force: true});
}

function ours(form, program, snapshot) {
  return [
    [`\`--help\`, ${form}`, [...program, '--help']],
    [`\`version --client\`, ${form}`, [...program, 'version', '--client']],
    [`completion, ${form}`, [...program, '__complete', 'doctor', '--o']],
    [`\`doctor --from\` one node, ${form}`, [...program, 'doctor', 'win-1', '--from', snapshot]],
    [`\`nodes\` of the simulated cluster, ${form}`, [...program, 'nodes']],
  ];
}

function measure(programs) {
  const times = new Map(programs.map(([name]) => [name, {wall: [], processor: []}]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of programs) {
      const {wall, processor} = run(command);
      times.get(name).wall.push(wall);
      times.get(name).processor.push(processor);
    }
  }
  return times;
}

/** Elapsed time and processor time of a program, in milliseconds, measured by bash. */
function run(command) {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>&1';
  const {error, status, stderr} = spawnSync('bash', ['-c', script, 'bash', ...command], {encoding: 'utf8'});
  if (error || status > 1) throw new Error(`${command.join(' ')} exited with ${error ?? status}`);
  const [wall, user, system] = stderr.trim().split(' ').map(Number);
  return {wall: wall * 1000, processor: (user + system) * 1000};
}

function print(times) {
  const found = [...times].map(([name, {wall, processor}]) => ({
    name,
    wall: median(wall),
    least: Math.min(...wall),
    processor: median(processor),
  }));
  const [node, client] = found;
  const rows = found.map(({name, wall, least, processor}) => {
    const ratios = [wall / node.wall, wall / client.wall, processor / node.processor].map(ratio => ratio.toFixed(1));
    return `| ${[name, ...[wall, least, processor].map(ms => ms.toFixed(0)), ...ratios].join(' | ')} |`;
  });
  const headings = [
    '',
    'median, ms',
    'least, ms',
    'processor, ms',
    '× bare Node',
    '× kubectl',
    'processor × bare Node',
  ];
  process.stdout.write(
    `${[`| ${headings.join(' | ')} |`, `|${'---|'.repeat(headings.length)}`, ...rows].join('\n')}\n`,
  );
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2;
}
