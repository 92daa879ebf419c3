// Measures how long a fleet takes: our program in its three modes, shell scripts with kubectl, and the delays of the
// nodes alone. All against one simulated cluster in its own process, one after the other. docs/performance.md has the
// results.
//   npm run bench:fleet -- --nodes=10,100 --scripts=8,32
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {loadavg, tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {kubectl} from '../kubectl.mjs';
import {idealMs, idealReadMs} from './fleet/ideal.mjs';
import {runOurs, runScript} from './fleet/run.mjs';
import {bundleCluster, startCluster} from './fleet/server.mjs';

const {values} = parseArgs({
  options: {
    nodes: {type: 'string', default: '10,100,500,1000'},
    scripts: {type: 'string', default: '8,16,32'},
    modes: {type: 'string', default: 'pods,daemonset,max-age'},
    output: {type: 'string', default: 'json'},
  },
});
const numbers = text => text.split(',').filter(Boolean).map(Number);
const modes = values.modes.split(',');
const script = fileURLToPath(new URL('./fleet/script.sh', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-bench-'));

/** The time for a cached answer, as a fraction of the time to read a node. See fleet/recorded.ts. */
const keptPart = 1 / 3;

/** The default limits of the program. */
const limits = nodes => ({starting: Math.min(nodes, 128), reading: Math.min(nodes, 64)});

try {
  const program = await bundleCluster(folder);
  for (const nodes of numbers(values.nodes)) await compare(program, nodes);
} finally {
  rmSync(folder, {recursive: true, force: true});
}

async function compare(program, nodes) {
  const rows = [];
  let ideal = 0;
  await withCluster(program, nodes, 'pods', async cluster => {
    ideal = idealMs(cluster.names, limits(nodes));
    const doctor = ['doctor', '-o', values.output, '--timeout=30m'];
    if (modes.includes('pods')) rows.push({name: 'ours, pods', ideal, ...(await runOurs(cluster, folder, doctor))});
    if (modes.includes('collect')) {
      const collect = ['collect', '-f', join(folder, 'bundle.tar.gz'), '--timeout=30m'];
      rows.push({name: 'ours, `collect -f`', ideal, ...(await runOurs(cluster, folder, collect))});
    }
    writeScriptFiles(cluster.forScripts);
    for (const parallel of numbers(values.scripts)) {
      const took = await runScript(cluster, [script, kubectl(), String(parallel), folder]);
      rows.push({name: `script, ${parallel} at once`, script: true, ideal, ...took});
    }
  });
  if (modes.includes('daemonset') || modes.includes('max-age')) {
    await withCluster(program, nodes, 'daemonset', async cluster => {
      const install = ['helper', 'install', '--interval=1h', '--helper-timeout=10m'];
      await runOurs(cluster, folder, install);
      const read = idealReadMs(cluster.names, limits(nodes));
      const doctor = ['doctor', '-o', values.output, '--timeout=30m'];
      if (modes.includes('daemonset'))
        rows.push({name: 'ours, DaemonSet', ideal: read, ...(await runOurs(cluster, folder, doctor))});
      const kept = idealReadMs(cluster.names, limits(nodes), keptPart);
      if (modes.includes('max-age'))
        rows.push({
          name: 'ours, `--max-age`',
          ideal: kept,
          ...(await runOurs(cluster, folder, [...doctor, '--max-age=2h'])),
        });
    });
  }
  print(nodes, ideal, rows);
}

async function withCluster(program, nodes, mode, body) {
  const cluster = await startCluster(program, nodes, mode, folder);
  try {
    await body(cluster);
  } finally {
    cluster.close();
  }
}

function writeScriptFiles({shared, pod, command, request}) {
  writeFileSync(join(folder, 'shared.json'), JSON.stringify(shared));
  writeFileSync(join(folder, 'pod.json'), JSON.stringify(pod));
  writeFileSync(join(folder, 'command'), command.join('\n'));
  writeFileSync(join(folder, 'request'), request);
}

function print(nodes, ideal, rows) {
  const best = Math.min(...rows.filter(row => row.script).map(({ms}) => ms));
  const headings = [
    `${nodes} nodes`,
    'time, s',
    '× ideal',
    'best script / it',
    'memory, MiB',
    'processor per node, ms',
    'requests',
    'requests per node',
    'connections',
    'peak connections',
    'KiB per node',
    'server per node, ms',
  ];
  const lines = rows.map(row => [
    row.name,
    (row.ms / 1000).toFixed(1),
    (row.ms / row.ideal).toFixed(2),
    Number.isFinite(best) ? (best / row.ms).toFixed(1) : '',
    row.mib.toFixed(0),
    (row.processorMs / nodes).toFixed(1),
    row.requests,
    (row.requests / nodes).toFixed(1),
    row.connections,
    row.mostConnections,
    (row.bytes / nodes / 1024).toFixed(0),
    (row.serverMs / nodes).toFixed(1),
  ]);
  const table = [headings, headings.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`);
  process.stdout.write(
    `${table.join('\n')}\n\nideal ${(ideal / 1000).toFixed(1)} s, load ${loadavg()[0].toFixed(1)}\n\n`,
  );
}
