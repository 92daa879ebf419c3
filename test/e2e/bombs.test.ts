import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {afterAll, expect, test} from 'vitest';
import {win} from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-bombs-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

/** Prints the peak memory of the program; on Linux maxRSS includes that of the process before it. */
const hook = join(folder, 'memory.cjs');
writeFileSync(
  hook,
  `process.on('exit', () => {
     let peak = process.resourceUsage().maxRSS;
     try { peak = /VmHWM:\\s*(\\d+)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1]; } catch {}
     process.stderr.write('\\nkilobytes=' + peak);
   });`,
);

const head = '"apiVersion":"kubectl-win/v1","kind":"Snapshot"';
const snapshot = (plans: string) => `{${head},"nodes":{"win-1":{"sections":{"plans":${plans}}}}}`;
const mebibytes = (count: number) => count * 1024 * 1024;
const levels = Array.from({length: 30}, (_, at) => `l${at + 1}: &l${at + 1} [${Array(10).fill(`*l${at}`).join(', ')}]`);

test.each([
  ['one line of 200 MiB', () => Buffer.from(snapshot(`"${'x'.repeat(mebibytes(200))}"`)), /contains more than 192 MiB/],
  [
    'gzip of 1 GiB',
    () => Buffer.concat(Array(64).fill(gzipSync(Buffer.alloc(mebibytes(16), '{')))),
    /contains more than 192 MiB/,
  ],
  [
    'lists nested 100,000 times',
    () => Buffer.from(snapshot(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)),
    /nested deeper than 100 levels/,
  ],
  [
    'ten million objects',
    () => Buffer.from(snapshot(`[${'{},'.repeat(10_000_000)}{}]`)),
    /contains more than 8000000 values/,
  ],
  [
    'YAML aliases that expand to 10^30 values',
    () => Buffer.from(`apiVersion: kubectl-win/v1\nkind: Snapshot\nl0: &l0 [x]\n${levels.join('\n')}\n`),
    /contains more than 8000000 values/,
  ],
])('a file with %s is rejected with a message, below 500 MB', async (_, content, why) => {
  const file = join(folder, 'bomb');
  writeFileSync(file, content());
  const {code, stdout, stderr} = await win(['doctor', '--from', file], {NODE_OPTIONS: `--require=${hook}`});
  expect(stderr).toMatch(why);
  expect(stderr).toMatch(/^error: [^\n]+ is too large: /m);
  expect(stdout).toBe('');
  expect(code).toBe(2);
  expect(Number(/kilobytes=(\d+)/.exec(stderr)?.[1])).toBeLessThan(500_000);
});
