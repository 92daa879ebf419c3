import {spawnSync} from 'node:child_process';
import {globSync, readFileSync} from 'node:fs';
import {gunzipSync} from 'node:zlib';
import {unzipSync} from 'fflate';
import {load} from 'js-yaml';
import {expect, test} from 'vitest';
import packageJson from '../../package.json' with {type: 'json'};
import {tarGz, zip} from '../../scripts/package/archive.mjs';
import {seaConfig} from '../../scripts/package/executable.mjs';
import {brokenRules, releaseManifest} from '../../scripts/package/krew.mjs';
import {adHocSigned, hasValidSignature} from '../../scripts/package/mach-o.mjs';
import {archiveOf, platforms} from '../../scripts/package/platforms.mjs';

const manifest = readFileSync('krew.yaml', 'utf8');

test('krew accepts the manifest, and it lists every platform of this version', () => {
  expect(brokenRules(manifest)).toEqual([]);
  const none = Object.fromEntries(platforms.map(platform => [archiveOf(platform), '0'.repeat(64)]));
  expect(load(manifest)).toEqual(load(releaseManifest(manifest, packageJson.version, none)));
});

test('the manifest of a release has its hashes, and only the built platforms', () => {
  const text = releaseManifest(manifest, '1.2.3', {'kubectl-win_linux_arm64.tar.gz': 'ab'.repeat(32)});
  const {spec} = load(text) as {spec: {version: string; platforms: {uri: string; sha256: string}[]}};
  expect(spec.version).toBe('v1.2.3');
  expect(spec.platforms).toHaveLength(1);
  expect(spec.platforms[0]?.uri).toMatch(/\/v1\.2\.3\/kubectl-win_linux_arm64\.tar\.gz$/);
  expect(spec.platforms[0]?.sha256).toBe('ab'.repeat(32));
});

test.each([
  ['an upper-case hash', /sha256: "0/g, 'sha256: "A', 'linux/amd64: sha256 is not 64 lower-case hexadecimal digits'],
  ['a duplicate platform', 'arch: arm64', 'arch: amd64', 'two platforms have the same selector'],
  ['a long summary', 'Diagnose and', 'Diagnose, explain, draw, watch and', 'shortDescription is over 50 characters'],
  ['a script for Windows', 'kubectl-win.exe', 'kubectl-win.ps1', 'windows/amd64: bin is invalid'],
])('the krew rules reject %s', (_, search, replacement, rule) => {
  expect(brokenRules(manifest.replace(search, replacement))).toContain(rule);
});

test('the workflows run only existing scripts', () => {
  const workflows = globSync('.github/workflows/*.yml').map(path => readFileSync(path, 'utf8'));
  const asked = workflows.flatMap(text => [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name));
  expect(asked).toContain('test:package');
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(asked));
});

test('the executable ignores NODE_OPTIONS', () => {
  const config = seaConfig({runtime: 'node', output: 'kubectl-win', codeCache: false, bundle: ['kubectl-win.js']});
  expect(config).toMatchObject({
    mainFormat: 'module',
    execArgvExtension: 'none',
    useCodeCache: false,
    assets: {'kubectl-win.js': 'kubectl-win.js'},
  });
});

const entries = [
  {name: 'kubectl-win', bytes: Buffer.from('program'), executable: true},
  {name: 'LICENSE', bytes: Buffer.from('licence')},
];

test('archives are byte-identical in any order, and contain the files', () => {
  expect(tarGz(entries, 1e9).equals(tarGz(entries.toReversed(), 1e9))).toBe(true);
  expect(zip(entries, 1e9).equals(zip(entries.toReversed(), 1e9))).toBe(true);
  expect(Object.keys(unzipSync(zip(entries, 1e9)))).toEqual(['LICENSE', 'kubectl-win']);
  const tar = gunzipSync(tarGz(entries, 1e9));
  expect(tar.toString('latin1', 1024, 1035)).toBe('kubectl-win');
  expect(tar.toString('latin1', 1124, 1131)).toBe('0000755');
});

test('a signed Mach-O is valid, stays valid when signed again, and is invalid after a byte changes', () => {
  const signed = adHocSigned(machO(), 'kubectl-win');
  expect(hasValidSignature(machO())).toBe(false);
  expect(hasValidSignature(signed)).toBe(true);
  expect(adHocSigned(signed, 'kubectl-win').equals(signed)).toBe(true);
  const changed = Buffer.from(signed);
  changed.writeUInt8(1, 5000);
  expect(hasValidSignature(changed)).toBe(false);
});

/** A 64-bit header, a __TEXT segment with one section at 4096, and __LINKEDIT after it. */
function machO(): Buffer {
  const file = Buffer.alloc(3 * 4096 + 40);
  const words = (at: number, ...values: number[]) =>
    values.forEach((value, i) => void file.writeUInt32LE(value, at + 4 * i));
  words(0, 0xfeedfacf, 0x0100000c, 0, 2, 2, 72 + 80 + 72);
  segment(32, '__TEXT', 0, 8192, 1);
  words(32 + 72 + 48, 4096);
  segment(32 + 152, '__LINKEDIT', 8192, 4096 + 40, 0);
  return file;

  function segment(at: number, name: string, offset: number, size: number, sections: number) {
    words(at, 0x19, 72 + 80 * sections);
    file.write(name, at + 8, 'latin1');
    words(at + 40, offset, 0, size, 0);
    words(at + 64, sections);
  }
}

test("the template for krew's release bot differs from the manifest only in version, addresses and hashes", () => {
  const filled = readFileSync('.krew.yaml', 'utf8')
    .replaceAll(/\{\{addURIAndSha "(.*)" \.TagName \}\}/g, (_, uri) => `uri: ${uri}\n      sha256: "${'0'.repeat(64)}"`)
    .replaceAll('{{ .TagName }}', `v${packageJson.version}`);
  expect(load(filled)).toEqual(load(manifest));
});

test('npx starts a Node program, which npm can also start on Windows', () => {
  const [entry = ''] = Object.values(packageJson.bin);
  expect(readFileSync(entry, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(packageJson.files).toEqual(expect.arrayContaining(['bin', 'dist/kubectl-win.js', 'dist/chunks']));
  const {status, stdout} = spawnSync(process.execPath, [entry, 'version', '--client'], {encoding: 'utf8'});
  expect([status, stdout]).toEqual([0, expect.stringContaining(`kubectl win ${packageJson.version}`)]);
});
