// Measures the time from the start of a command's own code to its first frame, and to its first whole frame, in a
// terminal.
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {spawn} from '@lydell/node-pty';

const rounds = 10;
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-bench-'));
const kubeconfig = join(folder, 'kubeconfig');
const watcher = join(folder, 'watcher.mjs');
const times = join(folder, 'times');

const commands = [
  {name: '`doctor`', args: ['doctor'], whole: /⠋/},
  {name: '`dashboard`', args: ['dashboard'], whole: /\[1 Findings\]/},
];

/** Runs in the program: records when text is written to the terminal, relative to the start of the command. */
const watching = `
import {appendFileSync} from 'node:fs';
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = (text, ...rest) => {
    const [begin] = performance.getEntriesByName('command');
    if (begin) appendFileSync(${JSON.stringify(times)}, JSON.stringify([performance.now() - begin.startTime, String(text)]) + '\\n');
    return write(text, ...rest);
  };
}`;

/** An API server that does not respond: the first frame must not depend on it. */
const server = createServer(() => {});
try {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  writeFileSync(watcher, watching);
  writeFileSync(kubeconfig, kubeconfigFor(`http://127.0.0.1:${server.address().port}`));
  const rows = [];
  for (const command of commands) rows.push(rowOf(command.name, await measured(command)));
  const head = '| | first frame: median, ms | most, ms | whole frame: median, ms | most, ms |\n|---|---|---|---|---|';
  process.stdout.write(`${head}\n${rows.join('\n')}\n`);
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(folder, {recursive: true, force: true});
}

async function measured({args, whole}) {
  const found = [];
  for (let round = 0; round < rounds; round++) found.push(await started(args, whole));
  return found;
}

async function started(args, whole) {
  writeFileSync(times, '');
  const {NO_COLOR: _, CI: __, ...env} = process.env;
  const pty = spawn(join(root, 'bin/kubectl-win'), args, {
    cols: 80,
    rows: 24,
    name: 'xterm-256color',
    env: {...env, TERM: 'xterm-256color', KUBECONFIG: kubeconfig, NODE_OPTIONS: `--import=${watcher}`},
  });
  const ended = new Promise(done => pty.onExit(done));
  let output = '';
  await new Promise(done =>
    pty.onData(data => {
      output += data;
      if (whole.test(output)) done();
    }),
  );
  pty.kill('SIGTERM');
  await ended;
  const written = readFileSync(times, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  return {first: written[0][0], whole: written.find(([, text]) => whole.test(text))[0]};
}

function rowOf(name, found) {
  const cells = ['first', 'whole'].flatMap(key => {
    const sorted = found.map(one => one[key]).toSorted((a, b) => a - b);
    return [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(ms => ms.toFixed(0));
  });
  return `| ${[name, ...cells].join(' | ')} |`;
}

function kubeconfigFor(address) {
  const cluster = {name: 'held', cluster: {server: address}};
  const user = {name: 'held', user: {token: 'x'}};
  const context = {name: 'held', context: {cluster: 'held', user: 'held'}};
  const rest = {clusters: [cluster], users: [user], contexts: [context]};
  return JSON.stringify({apiVersion: 'v1', kind: 'Config', 'current-context': 'held', ...rest});
}
