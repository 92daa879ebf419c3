// Runs a program and measures time, processor time, memory, and its requests to the server.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const usage = new URL('./usage.mjs', import.meta.url).href;
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs our program as installed. */
export async function runOurs(cluster, folder, args) {
  const report = join(folder, 'usage.json');
  const env = {KUBECONFIG: cluster.kubeconfig, NODE_OPTIONS: `--import=${usage}`, BENCH_USAGE: report};
  const took = await measure(cluster, [process.execPath, join(root, 'dist/kubectl-win.js'), ...args], env, 1);
  const {kib, processorMs} = JSON.parse(readFileSync(report, 'utf8'));
  return {...took, mib: kib / 1024, processorMs};
}

/** Runs the script. Its memory is the peak sum over its processes, sampled while they run. */
export async function runScript(cluster, args) {
  return measure(cluster, ['bash', ...args], {KUBECONFIG: cluster.kubeconfig}, 0);
}

async function measure(cluster, command, env, most) {
  const before = await cluster.seen();
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null';
  const began = performance.now();
  const child = spawn('bash', ['-c', script, 'bash', ...command], {
    env: {...process.env, ...env},
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr.on('data', text => {
    said += text;
  });
  let mib = 0;
  const looking = setInterval(() => {
    mib = Math.max(mib, memoryOf(child.pid));
  }, 500);
  const [code] = await once(child, 'close');
  clearInterval(looking);
  const ms = performance.now() - began;
  const after = await cluster.seen();
  const [user, system] = said.trim().split('\n').at(-1).split(' ').map(Number);
  if (code > most) throw new Error(`${command.join(' ')} exited with ${code}: ${said.slice(-2000)}`);
  return {
    ms,
    code,
    mib,
    processorMs: (user + system) * 1000,
    ...after,
    serverMs: after.processorMs - before.processorMs,
  };
}

/** The current memory of the processes of a group. */
function memoryOf(group) {
  let pages = 0;
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      if (Number(fields[2]) === group) pages += Number(fields[21]);
    } catch {
      // It has exited in the meantime.
    }
  }
  return (pages * 4096) / 1024 / 1024;
}
