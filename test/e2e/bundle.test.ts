import {randomBytes} from 'node:crypto';
import {createReadStream, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {buffer} from 'node:stream/consumers';
import {createGunzip, gunzipSync, gzipSync} from 'node:zlib';
import {extract} from 'tar-stream';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Cluster, startCluster, win} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
  await plant();
});
afterAll(() => cluster.close());

/** A secret that no rule can recognise by its value, only by its place. */
const secrets: string[] = [];
function secret(): string {
  const one = `Zq${randomBytes(9).toString('hex')}Xw`;
  secrets.push(one);
  return one;
}
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Every kind of place that contains secrets, five of each. */
const kinds: readonly (() => string)[] = [
  () => `kubelet.exe --token=${secret()} --v=2`,
  () => `agent.exe --client-secret "${secret()}"`,
  () => `DB_PASSWORD=${secret()}`,
  () => `{"clientSecret": "${secret()}", "name": "x"}`,
  () => `password: ${secret()}`,
  () => `access_key = "${secret()}"`,
  () => `https://user:${secret()}@registry.example.com/v2/`,
  () => `https://store.example.com/a?sv=1&sig=${secret()}&se=2`,
  () => `Authorization: Bearer ${secret()}`,
  () => `-----BEGIN PRIVATE KEY-----\n${secret()}\n-----END PRIVATE KEY-----`,
  () => `    client-key-data: ${base64(secret())}`,
  () => `state ${gzipSync(`password=${secret()}`).toString('base64')}`,
];

async function plant(): Promise<void> {
  const texts = kinds.flatMap(kind => Array.from({length: 5}, kind));
  const node = cluster.simulation.nodes.get('win-1');
  node?.change(({sections}) => {
    const rows = sections as Record<string, Record<string, unknown>[]>;
    const {logs, files, services, events, environment} = rows;
    texts.forEach((text, i) => {
      const place = i % 6;
      if (place === 0) logs?.push({Path: `C:\\k\\planted-${i}.log`, Length: text.length, Tail: text});
      if (place === 1)
        files?.push({Path: `C:\\k\\planted-${i}.conf`, Exists: true, Length: text.length, Content: text});
      if (place === 2) services?.push({Name: `planted-${i}`, State: 'Running', StartMode: 'Auto', PathName: text});
      if (place === 3)
        events?.push({TimeCreated: '2026-11-17T18:00:00Z', ProviderName: 'Planted', Id: i, Message: text});
      if (place === 4) environment?.push({Name: 'CONTAINER_RUNTIME_ENDPOINT', Value: text});
    });
  });
  const items = texts.filter((_, i) => i % 6 === 5).flatMap(objectsWith);
  const file = join(cluster.folder, 'planted.json');
  writeFileSync(file, JSON.stringify({apiVersion: 'v1', kind: 'List', items}));
  expect(await cluster.kubectl('create', '--validate=false', '-f', file)).toMatchObject({code: 0, stderr: ''});
}

/** Objects that a bundle keeps, with a text in every free-form field. */
function objectsWith(text: string, index: number): object[] {
  const meta = {name: `planted-${index}`, namespace: 'kube-system', annotations: {note: text}};
  const container = {name: 'main', image: 'example.com/app:1', args: [text], env: [{name: 'NODE_NAME', value: text}]};
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: meta,
      data: {'antrea-agent.conf': text, services: text, other: text},
    },
    {apiVersion: 'v1', kind: 'Pod', metadata: meta, spec: {nodeName: 'win-1', containers: [container]}},
  ];
}

async function unpacked(file: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const tar = createReadStream(file).pipe(createGunzip()).pipe(extract());
  for await (const entry of tar) files.set(entry.header.name, (await buffer(entry)).toString('utf8'));
  return files;
}

/** The content of a file, also where it is encoded or compressed. */
function said(text: string): string {
  const blobs = (text.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []).map(blob => Buffer.from(blob, 'base64'));
  const decoded = blobs.map(bytes => {
    try {
      return gunzipSync(bytes).toString('utf8');
    } catch {
      return bytes.toString('utf8');
    }
  });
  return [text, ...decoded].join('\n');
}

test('none of 60 secrets of 12 kinds is in a bundle, and doctor finds the same in it as on the cluster', async () => {
  expect(secrets).toHaveLength(60);
  const file = join(cluster.folder, 'bundle.tar.gz');
  const {code, stderr} = await cluster.win('collect', '-f', file);
  expect({code, stderr}).toMatchObject({code: 0});
  expect(stderr).toMatch(/Wrote \S+bundle\.tar\.gz\. It contains \d+ files/);
  expect(stderr).toMatch(/^Replaced: .*private key \(\d+\)/m);
  // Only its owner may read it.
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const files = await unpacked(file);
  const everything = [...files.values()].map(said).join('\n');
  expect(secrets.filter(one => everything.includes(one))).toEqual([]);
  expect(files.get('cluster.json')).toContain('planted-');
  expect(files.get('nodes/win-1/node.json')).toMatch(/planted-[\s\S]*CONTAINER_RUNTIME_ENDPOINT/);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['cluster.json', 'nodes/win-1/node.json', 'report.html', 'report.txt', 'manifest.json']),
  );

  const [live, later] = await Promise.all([
    cluster.win('doctor', '-o', 'json'),
    win(['doctor', '--from', file, '-o', 'json']),
  ]);
  expect(findings(later.stdout)).toEqual(findings(live.stdout));
});

test('collect reports at its end what a bundle omits, as for a snapshot', async () => {
  const notes = async (name: string) => (await cluster.win('collect', '-f', join(cluster.folder, name))).stderr;
  const leftOut = /^Left out \(number of objects\): .*annotations \(\d+\).*$/m;
  const [ofSnapshot] = leftOut.exec(await notes('said.json')) ?? [];
  expect(ofSnapshot).toBeDefined();
  expect(leftOut.exec(await notes('said.tar.gz'))?.[0]).toBe(ofSnapshot);
});

test('addresses and names are replaced throughout a bundle, and doctor still finds the same', async () => {
  const file = join(cluster.folder, 'unnamed.tar.gz');
  expect(await cluster.win('collect', '-f', file, '--redact=ips,names')).toMatchObject({code: 0});
  const everything = [...(await unpacked(file))].flat().join('\n');
  expect(everything).not.toMatch(/\bwin-[12]\b/);
  expect(everything).not.toContain('10.21.40.61');
  const [live, later] = await Promise.all([
    cluster.win('doctor', '-o', 'json'),
    win(['doctor', '--from', file, '-o', 'json']),
  ]);
  const ids = (text: string) =>
    findings(text)
      .map(line => line.replace(/^\S+ /, ''))
      .sort();
  expect(ids(later.stdout)).toEqual(ids(live.stdout));
});

test('logs have the requested age and length, and doctor reads the same part of them', async () => {
  const hour = 3_600_000;
  const now = Date.now();
  const lines = Array.from(
    {length: 3600},
    (_, i) => `${new Date(now - 10 * hour + i * 10_000).toISOString()}|line ${i}`,
  );
  const text = `${lines.join('\n')}\n`;
  cluster.simulation.nodes.get('win-2')?.change(({sections}) => {
    const logs = sections.logs as Record<string, unknown>[];
    logs.push({Path: 'C:\\k\\long.log', Length: text.length, Tail: text});
  });
  const collected = async (...flags: string[]) => {
    const file = join(cluster.folder, 'logs.tar.gz');
    expect(await cluster.win('collect', 'win-2', '-f', file, ...flags)).toMatchObject({code: 0});
    const files = await unpacked(file);
    const node = JSON.parse(files.get('nodes/win-2/node.json') ?? '') as {
      sections: {logs: {Path: string; Tail: string}[]};
    };
    const [head = '', ...said] = files.get('nodes/win-2/logs/long.log')?.trimEnd().split('\n') ?? [];
    return {head, said, tail: node.sections.logs.find(({Path}) => Path === 'C:\\k\\long.log')?.Tail.length};
  };
  const [whole, late, short, few] = [
    await collected(),
    await collected('--since=1h'),
    await collected('--limit-bytes=64Ki'),
    await collected('--limit-bytes-total=4Ki'),
  ];
  expect(whole).toEqual({head: '# C:\\k\\long.log', said: lines, tail: 16_384});
  expect(late.said.at(-1)).toBe(lines.at(-1));
  expect(Date.parse(late.said[0]?.split('|')[0] ?? '')).toBeGreaterThan(now - 1.1 * hour);
  expect(late.said.length).toBeGreaterThan(350);
  expect(short.head).toBe(`# C:\\k\\long.log, the last 65536 of ${text.length} bytes`);
  expect(short.said.at(-1)).toBe(lines.at(-1));
  expect(few.said.join('\n').length).toBeLessThan(4096);
});

test.each([
  [['--since=1h'], /--since requires a bundle/],
  [['-f', 'x.json', '--limit-bytes=64Ki'], /--limit-bytes requires a bundle/],
  [['-f', 'x.tar.gz', '--limit-bytes=1Gi'], /--limit-bytes=1Gi is not a size from 1Ki to 1Mi/],
  [['-f', 'x.tar.gz', '--limit-bytes-total=some'], /--limit-bytes-total=some is not a size/],
])('collect %j is rejected', async (flags, reason) => {
  expect(await cluster.win('collect', ...flags)).toMatchObject({code: 2, stderr: expect.stringMatching(reason)});
});

test('what could not be read is in the manifest, and the exit code shows it', async () => {
  cluster.simulation.nodes.get('win-2')?.fault({kubeletDown: true});
  const file = join(cluster.folder, 'partial.tar.gz');
  const {code, stderr} = await cluster.win('collect', '-f', file, '--helper-timeout=3s');
  expect(code).toBe(4);
  expect(stderr).toMatch(/^Missing: win-2: /m);
  const manifest = JSON.parse((await unpacked(file)).get('manifest.json') ?? '');
  expect(manifest.missing).toEqual([expect.objectContaining({what: 'win-2'})]);
  expect(manifest.files.map(({path}: {path: string}) => path)).toContain('nodes/win-1/node.json');
});

interface Listed {
  readonly nodes: readonly {name: string; results: readonly {id: string; outcome: string}[]}[];
}

function findings(text: string): string[] {
  return (JSON.parse(text) as Listed).nodes.flatMap(({name, results}) =>
    results.map(({id, outcome}) => `${name} ${id} ${outcome}`),
  );
}
