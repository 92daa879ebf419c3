// How fast recorded snapshots are diagnosed on one core, whether the cost of a node grows with the fleet, and where the
// time is spent. docs/performance.md has the results.
//   npm run bench:diagnose -- --nodes=100,1000,5000 --plugin=azure
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {loadavg, tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {rolldown} from 'rolldown';
import {viteTextModules} from '../text-modules.mjs';

const {values} = parseArgs({
  options: {
    nodes: {type: 'string', default: '100,1000,5000'},
    // The data of an Antrea node grows with the fleet: 5,000 nodes would be gigabytes. See fleet/scenario.ts.
    plugin: {type: 'string', default: 'azure'},
  },
});
const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-bench-'));
const here = fileURLToPath(new URL('./diagnose/', import.meta.url));

try {
  const record = await bundled('record');
  const measure = await bundled('measure');
  const rows = [];
  for (const nodes of values.nodes.split(',').map(Number)) {
    const file = join(folder, `${nodes}.ndjson`);
    const args = ['--max-old-space-size=8192', record, String(nodes), file, values.plugin];
    execFileSync(process.execPath, args, {stdio: 'inherit'});
    // One thread for JavaScript and one for the garbage collector; V8 would use more cores otherwise.
    const {stdout, status, stderr} = spawnSync(process.execPath, ['--single-threaded-gc', measure, file], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    rows.push({nodes, kib: statSync(file).size / nodes / 1024, ...JSON.parse(stdout)});
    rmSync(file);
  }
  print(rows);
} finally {
  rmSync(folder, {recursive: true, force: true});
}

async function bundled(name) {
  const file = join(folder, `${name}.mjs`);
  const build = await rolldown({
    input: join(here, `${name}.ts`),
    platform: 'node',
    transform: {target: 'node24'},
    plugins: [viteTextModules],
  });
  await build.write({file, format: 'esm', codeSplitting: false});
  await build.close();
  return file;
}

function print(rows) {
  const [first] = rows;
  const headings = [
    'nodes',
    'KiB per node',
    'nodes per second',
    'ms per node',
    'processor per node, ms',
    'nodes per processor second',
    'processor × the first row',
    ...Object.keys(first.parts),
  ];
  const lines = rows.map(({nodes, kib, ms, processorMs, parts, mib}) => [
    nodes,
    kib.toFixed(0),
    ((nodes / ms) * 1000).toFixed(0),
    (ms / nodes).toFixed(2),
    (processorMs / nodes).toFixed(2),
    ((nodes / processorMs) * 1000).toFixed(0),
    (processorMs / nodes / (first.processorMs / first.nodes)).toFixed(2),
    ...Object.values(parts).map(part => `${((part / ms) * 100).toFixed(0)} %`),
    mib.toFixed(0),
  ]);
  const table = [[...headings, 'memory, MiB'], [...headings, ''].map(() => '---'), ...lines];
  process.stdout.write(
    `${table.map(cells => `| ${cells.join(' | ')} |`).join('\n')}\n\nload ${loadavg()[0].toFixed(1)}\n`,
  );
}
