import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Cluster, startCluster, win} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-healthy');
});
afterAll(() => cluster.close());

test.each([
  [
    ['doctor', '--conucrrency', '3'],
    'unknown flag --conucrrency for kubectl win doctor.\n  Did you mean --concurrency?',
  ],
  [['doctor', '--concurrency', '0'], 'error: --concurrency: '],
  [['doctor', '--only', 'ovss'], 'error: --only: unknown check "ovss".\n  Did you mean "ovs"?'],
  [['nodes', '-l', 'a in (b'], 'error: --selector=a in (b is not a valid label selector'],
  [['doctor', '-l', 'a=('], 'error: --selector=a=( is not a valid label selector'],
  [['doctor', '-l', '=b'], 'error: --selector==b is not a valid label selector'],
  [['cleanup', '--plan', 'package.json'], 'error: --plan=package.json: package.json is not a repair plan.'],
  [['cleanup', '--plan', 'README.md'], 'error: --plan=README.md: '],
])('%s exits with 2 and one sentence that names the flag', async (args, said) => {
  const {code, stdout, stderr} = await cluster.win(...args);
  expect({code, stdout}).toEqual({code: 2, stdout: ''});
  expect(stderr).toContain(said);
  expect(stderr.split('\n').length).toBeLessThan(6);
});

test.each([
  [['constructor'], 'error: unknown command "constructor".'],
  [['toString', 'valueOf'], 'error: unknown command "toString".'],
  [['helper', 'constructor'], 'error: unknown command "helper constructor".'],
  [['doctor', '--fix=constructor'], 'error: '],
  [['demo', '--scenario', 'constructor'], 'error: Unknown scenario constructor.'],
])('%s is rejected, although every JavaScript object has that property', async (args, said) => {
  const {code, stdout, stderr} = await win(args);
  expect({code, stdout}).toEqual({code: 2, stdout: ''});
  expect(stderr).toContain(said);
});

test('a mistyped flag names the help of its own command', async () => {
  expect((await win(['helper', 'prune', '--al'])).stderr).toContain('See: kubectl win helper prune --help');
});

async function inShell(command: string): Promise<{code: number; stderr: string}> {
  const child = spawn('bash', ['-c', command], {env: {...cluster.env, WIN: resolve('bin/kubectl-win')}});
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  return {code: Number(code), stderr};
}

test('a full disk gives one line and an exit code above 1', async () => {
  const {code, stderr} = await inShell('"$WIN" explain > /dev/full');
  expect({code, stderr}).toEqual({
    code: 4,
    stderr: 'error: cannot write to stdout: no space left on device.\n',
  });
});

test.each([
  ['collect -f', 'bundle.tar.gz'],
  ['collect -f', 'snapshot.json'],
  ['collect -f', 'snapshot.json.gz'],
  ['helper selftest win-1 -f', 'selftest.json'],
])(
  '%s %s on a full disk gives one line and exit code 4, and leaves neither a partial file nor a helper',
  async (command, name) => {
    const folder = mkdtempSync(join(cluster.folder, 'full-'));
    const file = join(folder, name);
    // A limit of 4 KiB per file simulates a full disk.
    const limited = `trap '' XFSZ; ulimit -f 4; "$WIN" ${command} '${file}' > /dev/null`;
    const {code, stderr} = await inShell(limited);
    expect(code).toBe(4);
    expect(stderr.split('\n').filter(line => !/^(Inspecting|win-\d: read in) /.test(line))).toEqual([
      `error: cannot write ${file}: file too large.`,
      '',
    ]);
    expect(readdirSync(folder)).toEqual([]);
    expect(await cluster.leftovers()).toBe('');
  },
);

test('helper selftest reports an unwritable file before it contacts a node', async () => {
  const {code, stderr} = await cluster.win('helper', 'selftest', 'win-1', '-f', 'nowhere/selftest.json');
  expect({code, stderr}).toEqual({
    code: 2,
    stderr: 'error: cannot write nowhere/selftest.json: no such file or directory.\n',
  });
});

test('a reader that closes both outputs leaves no helper behind', async () => {
  expect((await inShell(`set -o pipefail; "$WIN" doctor 2>&1 | head -1`)).code).toBe(0);
  expect(await cluster.leftovers()).toBe('');
});
