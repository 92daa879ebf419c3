// How long commands take to start. All of them in turn, round after round, so that whatever else the machine does
// falls on all alike: the ratios of one run mean something where its times do not.
import {spawnSync} from 'node:child_process';
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

try {
  const snapshot = join(folder, 'snapshot.json');
  run([...bundle, 'demo', '--', ...bundle, 'collect', 'win-1', '-f', snapshot]);
  const programs = [
    ['bare Node, `node -e 0`', [process.execPath, '-e', '0']],
    ['`kubectl version --client`', [kubectl(), 'version', '--client']],
    ...ours('bundle', bundle, snapshot),
    ...(existsSync(executable[0]) ? ours('executable', executable, snapshot) : []),
  ];
  print(measure(programs));
} finally {
  rmSync(folder, {recursive: true, force: true});
}

function ours(form, program, snapshot) {
  return [
    [`\`--help\`, ${form}`, [...program, '--help']],
    [`\`version --client\`, ${form}`, [...program, 'version', '--client']],
    [`completion, ${form}`, [...program, '__complete', 'doctor', '--o']],
    [`\`doctor --from\` one node, ${form}`, [...program, 'doctor', 'win-1', '--from', snapshot]],
  ];
}

function measure(programs) {
  const times = new Map(programs.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of programs) {
      const start = performance.now();
      run(command);
      times.get(name).push(performance.now() - start);
    }
  }
  return times;
}

function run([program, ...args]) {
  const {error, status} = spawnSync(program, args, {stdio: 'ignore'});
  if (error || status > 1) throw new Error(`${program} ${args.join(' ')} ended with ${error ?? status}`);
}

function print(times) {
  const medians = [...times].map(([name, all]) => [name, median(all), Math.min(...all)]);
  const [[, node], [, client]] = medians;
  const rows = medians.map(
    ([name, middle, least]) =>
      `| ${name} | ${middle.toFixed(0)} | ${least.toFixed(0)} | ${(middle / node).toFixed(1)} | ${(middle / client).toFixed(1)} |`,
  );
  const head = '| | median, ms | least, ms | × bare Node | × kubectl |\n|---|---|---|---|---|';
  process.stdout.write(`${head}\n${rows.join('\n')}\n`);
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2;
}
