import {lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Cluster, startCluster, win} from './support.js';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
});

afterAll(() => cluster.close());

const userPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'shop',
    namespace: 'default',
    labels: {app: 'shop'},
    annotations: {'vault.example/token': 'SECRET-annotation'},
  },
  spec: {
    nodeName: 'win-1',
    nodeSelector: {'kubernetes.io/os': 'windows'},
    containers: [
      {
        name: 'shop',
        image: 'shop:1',
        command: ['shop.exe', 'SECRET-command'],
        args: ['--password=SECRET-argument'],
        env: [{name: 'DB_PASSWORD', value: 'SECRET-environment'}],
      },
    ],
  },
};

const userConfig = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name: 'backup', namespace: 'kube-system'},
  data: {'backup.conf': 'key=SECRET-configuration'},
};

describe('collect', () => {
  test('keeps no private data of pods and ConfigMaps, reports what it left out, and finds the same', async () => {
    const manifest = join(cluster.folder, 'shop.json');
    writeFileSync(manifest, JSON.stringify({apiVersion: 'v1', kind: 'List', items: [userPod, userConfig]}));
    expect(await cluster.kubectl('create', '--validate=false', '-f', manifest)).toMatchObject({code: 0, stderr: ''});
    const file = join(cluster.folder, 'snapshot.json');
    const {code, stderr} = await cluster.win('collect', '-f', file);
    expect({code, stderr}).toMatchObject({code: 0});
    const written = readFileSync(file, 'utf8');
    expect(written).toContain('"name": "shop"');
    expect(written).not.toMatch(/SECRET-\w+/);
    expect(stderr).toMatch(/Wrote \S+snapshot\.json \(\d+ kB\)\./);
    expect(stderr).toMatch(/Snapshot of 2 of 2 nodes and \d+ cluster objects\./);
    expect(stderr).toMatch(
      /Left out.*annotations \(\d+\).*arguments \(\d+\).*ConfigMap data \(\d+\).*environment variables \(\d+\)/,
    );
    expect(JSON.parse(written).cluster.leftOut).toMatchObject({annotations: expect.any(Number)});

    const live = await cluster.win('doctor', '-o', 'json');
    const later = await win(['doctor', '--from', file, '-o', 'json']);
    expect(live.stdout).not.toMatch(/SECRET-\w+/);
    const findings = (text: string) =>
      JSON.parse(text).nodes.flatMap(({name, results}: {name: string; results: {id: string; outcome: string}[]}) =>
        results.map(({id, outcome}) => `${name} ${id} ${outcome}`),
      );
    expect(findings(later.stdout)).toEqual(findings(live.stdout));
  });

  test('reports what was left out on stderr if the snapshot goes to stdout', async () => {
    const {stdout, stderr} = await cluster.win('collect', 'win-1');
    expect(JSON.parse(stdout).kind).toBe('Snapshot');
    expect(stderr).toContain('Snapshot of 1 of 1 nodes');
  });

  test('writes a file that only its owner may read, and follows no link', async () => {
    const file = join(cluster.folder, 'private.json');
    await cluster.win('collect', 'win-1', '-f', file);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const victim = join(cluster.folder, 'victim');
    const link = join(cluster.folder, 'link.json');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, link);
    const {code, stderr} = await cluster.win('collect', 'win-1', '-f', link);
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot write ${link}: it is a symbolic link.`);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test.each([
    ['no/such/folder/snapshot.json', 'no such file or directory'],
    ['taken', 'it is a directory'],
  ])('rejects %s before it reads a node', async (path, reason) => {
    mkdirSync(join(cluster.folder, 'taken'), {recursive: true});
    const {code, stderr} = await cluster.win('collect', '-f', join(cluster.folder, path));
    expect({code, stderr}).toEqual({code: 2, stderr: expect.stringContaining(`cannot write`)});
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('Reading');
    expect(readdirSync(cluster.folder).filter(name => name.endsWith('.tmp'))).toEqual([]);
  });
});
