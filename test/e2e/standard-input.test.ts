import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {gzipSync} from 'node:zlib';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {describedCommands} from '../../scripts/commands.mjs';
import type {Facts} from '../../src/cli/command-facts.js';
import type {DoctorReport} from '../../src/diagnose/report.js';
import {type Cluster, startCluster, win} from './support.js';

const caseFile = (name: string) => `test/fixtures/cases/${name}.json`;
const antrea = caseFile('02-antrea-after-reboot');

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('kube-ovn');
});
afterAll(() => cluster.close());

/** A shell command line with the program on its PATH. */
async function shell(line: string): Promise<string> {
  const child = spawn('sh', ['-c', line], {env: cluster.env, stdio: ['ignore', 'pipe', 'inherit']});
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return stdout;
}

test('piped input names no node: doctor inspects all of them', async () => {
  const {stdout} = await win(['doctor', '-o', 'json'], cluster.env, 'kovn-win-2\n');
  const {nodes} = JSON.parse(stdout) as DoctorReport;
  expect(nodes.map(({name}) => name)).toEqual(['kovn-win-1', 'kovn-win-2']);
});

test('a loop that reads a list keeps its input', async () => {
  const list = join(cluster.folder, 'list');
  writeFileSync(list, 'one\ntwo\nthree\n');
  const inside = ['nodes', `doctor --from ${antrea}`, 'explain', 'helper script'];
  for (const command of inside) {
    const told = await shell(`while read word; do kubectl-win ${command} >/dev/null; echo $word; done < ${list}`);
    expect(told, command).toBe('one\ntwo\nthree\n');
  }
});

test.each([
  ['doctor', '--from'],
  ['inspect', '--from'],
  ['preflight', 'antrea', '--from'],
])('%s %s - reads a snapshot from standard input', async (...words) => {
  const fromFile = await win([...words, antrea]);
  const piped = await win([...words, '-'], {}, readFileSync(antrea, 'utf8'));
  expect(piped.stdout).toBe(fromFile.stdout);
  expect([piped.stderr, piped.code]).toEqual([fromFile.stderr, fromFile.code]);
});

test('large input that arrives slowly and gzipped is read completely', async () => {
  const document = JSON.parse(readFileSync(antrea, 'utf8'));
  const padding = Array.from({length: 40_000}, (_, i) => `padding ${i} ${Math.sin(i)}`);
  const bytes = gzipSync(JSON.stringify({padding, ...document}));
  const child = spawn(join('bin', 'kubectl-win'), ['doctor', '--from', '-', '-o', 'name'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const stdout = text(child.stdout);
  const size = Math.ceil(bytes.length / 5);
  for (let at = 0; at < bytes.length; at += size) {
    child.stdin.write(bytes.subarray(at, at + size));
    await sleep(100);
  }
  child.stdin.end();
  expect(await stdout).toBe((await win(['doctor', '--from', antrea, '-o', 'name'])).stdout);
});

test('annotate-tunnel reads its list and its snapshot from stdin', async () => {
  const dryRun = ['annotate-tunnel', '--dry-run=client', '--overwrite'];
  const list = await win([...dryRun, '--from-file', '-'], cluster.env, 'kovn-win-1 Ethernet1\n');
  expect(list.stdout).toMatch(/^node\/kovn-win-1 (annotated|unchanged)/);
  const {stdout: snapshot} = await cluster.win('collect', 'kovn-win-1');
  const replayed = await win([...dryRun, 'kovn-win-1', 'Ethernet1', '--snapshot', '-'], cluster.env, snapshot);
  expect(replayed.stdout).toBe(list.stdout);
});

test('cleanup reads a plan, and doctor its suppressions, from stdin', async () => {
  const refused = await win(['cleanup', '--plan', '-'], cluster.env, 'kind: Nothing\n');
  expect(refused.stderr).toMatch(/^error: --plan=-: standard input is not a repair plan/);
  const config = 'apiVersion: kubectl-win/v1\nkind: Config\nsuppress: [{check: ovs, reason: Known.}]\n';
  const {stdout} = await win(['doctor', '--from', antrea, '--config', '-', '-o', 'wide'], {}, config);
  expect(stdout).toContain('suppressed: Known.');
});

test('every flag that reads one of our files documents it', async () => {
  const {commandFacts: facts} = (await describedCommands()) as {commandFacts: Facts};
  const flags = Object.values(facts).flatMap(({flags: all}) => Object.values(all));
  const files = flags.filter(({value, group}) => value === '<file>' && group !== 'Cluster');
  expect(files.length).toBeGreaterThan(5);
  for (const {summary} of files) expect(summary).toMatch(/- (is|reads|writes) .*\b(standard (in|out)put|std(in|out))/);
});

test.runIf(process.platform !== 'win32')(
  'a named pipe without a writer does not keep a signal from ending the command',
  async () => {
    const pipe = join(cluster.folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const waiting = cluster.start('doctor', '--from', pipe);
    await sleep(1500);
    waiting.child.kill('SIGTERM');
    expect((await waiting.ended).code).toBe(143);
    const reading = cluster.start('doctor', '--from', pipe, '-o', 'json');
    writeFileSync(pipe, readFileSync(antrea));
    expect(JSON.parse((await reading.ended).stdout)).toMatchObject({kind: 'DoctorReport'});
  },
);
