import {PassThrough, Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {createGzip, gunzipSync, gzipSync} from 'node:zlib';
import {pack} from 'tar-stream';
import {describe, expect, test} from 'vitest';
import {BundleWriter} from '../../src/services/bundle/bundle-writer.js';
import {bundleLimits, readBundle} from '../../src/session/bundle-file.js';

const at = new Date('2026-03-02T09:12:50Z');

async function bundle(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const target = new PassThrough();
  const written = buffer(target);
  const writer = new BundleWriter(target, at);
  for (const [path, text] of Object.entries(files)) await writer.add(path, text);
  writer.miss('win-2', 'it did not answer');
  await writer.end({version: '1.2.3', replaced: {}});
  return written;
}

const read = (bytes: Buffer) => readBundle(Readable.from([bytes]), 'b.tar.gz');

const files = {
  'cluster.json': JSON.stringify({version: 'v1.31.4', objects: []}),
  'nodes/win-1/node.json': JSON.stringify({name: 'win-1', sections: {os: {BuildNumber: 20348}}, errors: {}}),
  'nodes/win-1/logs/kubelet.log': 'a line\n',
  'report.txt': 'all is well\n',
};

test('a written bundle can be read again', async () => {
  expect(await read(await bundle(files))).toMatchObject({
    kind: 'Snapshot',
    collectedAt: '2026-03-02T09:12:50.000Z',
    cluster: {version: 'v1.31.4'},
    nodes: {'win-1': {sections: {os: {BuildNumber: 20348}}}},
  });
});

test('parts that are added concurrently are written one after the other', async () => {
  const target = new PassThrough();
  const written = buffer(target);
  const writer = new BundleWriter(target, at);
  const names = Array.from({length: 50}, (_, i) => `win-${i}`);
  await Promise.all(
    names.map(name => writer.add(`nodes/${name}/node.json`, JSON.stringify({name, sections: {}, errors: {}}))),
  );
  await writer.end({version: '1.2.3', replaced: {}});
  expect(Object.keys((await read(await written)).nodes).sort()).toEqual(names.sort());
});

describe('an invalid bundle is rejected with a reason', () => {
  test('cut in half', async () => {
    const whole = await bundle({...files, 'cluster.json': JSON.stringify({objects: Array(2000).fill(Math.random())})});
    await expect(read(whole.subarray(0, whole.length / 2))).rejects.toThrow(/not a valid bundle: it is truncated/);
  });

  test('modified after it was written', async () => {
    const tar = gunzipSync(await bundle(files));
    const changed = Buffer.from(tar.toString('latin1').replace('20348', '17763'), 'latin1');
    await expect(read(gzipSync(changed))).rejects.toThrow(/nodes\/win-1\/node\.json does not match the hash/);
  });

  test('another version', async () => {
    const manifest = {apiVersion: 'kubectl-win/v9', kind: 'Bundle'};
    await expect(read(await tarOf([['manifest.json', JSON.stringify(manifest)]]))).rejects.toThrow(
      /written by a newer kubectl win \(kubectl-win\/v9\)/,
    );
  });

  test('another tar file', async () => {
    await expect(read(await tarOf([['README.md', 'hello']]))).rejects.toThrow(/it has no manifest\.json/);
  });

  test.each(['../evil', 'nodes/../../evil', '/etc/passwd', 'C:\\evil', 'a//b'])('the path %s', async path => {
    await expect(read(await tarOf([[path, 'x']]))).rejects.toThrow(/is not a safe path/);
  });

  test('a link', async () => {
    const entries = pack();
    entries.entry({name: 'nodes', type: 'symlink', linkname: '/etc'});
    entries.finalize();
    await expect(read(await buffer(entries.pipe(createGzip())))).rejects.toThrow(
      /nodes is not a regular file \(type: symlink\)/,
    );
  });

  test('a file that is too large', async () => {
    const bytes = await tarOf([['cluster.json', '0'.repeat(2000)]]);
    const limits = {...bundleLimits, bytesOfOneFile: 1000};
    await expect(readBundle(Readable.from([bytes]), 'b', limits)).rejects.toThrow(/cluster\.json is too large/);
  });

  test.each(['bytesOfAll', 'bytesKept'] as const)('files that unpack to more than %s', async limit => {
    const bytes = await tarOf([
      ['cluster.json', '0'.repeat(50_000)],
      ['nodes/a/node.json', '0'.repeat(60_000)],
    ]);
    const limits = {...bundleLimits, [limit]: 100_000};
    await expect(readBundle(Readable.from([bytes]), 'b', limits)).rejects.toThrow(/it is too large/);
  });

  test('too many files', async () => {
    const bytes = await tarOf(Array.from({length: 11}, (_, i) => [`${i}.txt`, 'x']));
    const limits = {...bundleLimits, files: 10};
    await expect(readBundle(Readable.from([bytes]), 'b', limits)).rejects.toThrow(/it has too many files/);
  });
});

async function tarOf(entries: readonly (readonly [string, string])[]): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of entries) tar.entry({name}, text);
  tar.finalize();
  return buffer(tar.pipe(createGzip()));
}
