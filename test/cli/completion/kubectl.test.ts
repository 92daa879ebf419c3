import {existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {delimiter, join, resolve} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {kubectl} from '../../../scripts/kubectl.mjs';
import {type Cluster, Running, startCluster, win} from '../../e2e/support.js';

let cluster: Cluster;
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
  folder = join(cluster.folder, 'bin');
  mkdirSync(folder);
  symlinkSync(resolve('bin/kubectl-win'), join(folder, 'kubectl-win'));
  env = {
    ...cluster.env,
    XDG_CACHE_HOME: join(cluster.folder, 'cache'),
    PATH: [folder, process.env.PATH].join(delimiter),
  };
});
afterAll(() => cluster.close());

const run = (program: string, ...args: string[]) => new Running(program, args, env).ended;
const plugin = (...args: string[]) => run(join(folder, 'kubectl-win'), ...args);

test('after completion install, the real kubectl completes commands and nodes', async () => {
  const path = join(folder, 'kubectl_complete-win');
  expect((await plugin('completion', 'install')).stdout).toBe(`${path}\n`);
  const {stdout} = await run(kubectl(), '__complete', 'win', 'doc');
  expect(stdout).toMatch(/^doctor\t/);
  const nodes = await run(kubectl(), '__complete', 'win', 'doctor', '');
  expect(nodes.stdout).toBe('win-1\nwin-2\n:4\n');
  expect((await run(kubectl(), 'plugin', 'list')).code).toBe(0);
});

test('bash completes kubectl-win like kubectl win', async () => {
  const script = `source <(kubectl-win completion script bash)
    COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _kubectl_win; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const completed = async (...words: string[]) =>
    (await run('bash', '-c', script, 'bash', 'kubectl-win', ...words)).stdout.trim().split('\n');
  expect(await completed('doc')).toEqual(['doctor']);
  expect(await completed('doctor', '')).toEqual(['win-1', 'win-2']);
  expect(await completed('helper', 'pr')).toEqual(['prune']);
});

test('contexts, clusters and users come from the kubeconfig', async () => {
  const context = (await run(kubectl(), 'config', 'current-context')).stdout.trim();
  expect((await plugin('__complete', 'doctor', '--context', '')).stdout).toBe(`${context}\n:4\n`);
  expect((await plugin('__complete', 'doctor', '--context=')).stdout).toBe(`--context=${context}\n:4\n`);
});

test('preflight offers the known plugins, and its help lists them', async () => {
  const offered = (await plugin('__complete', 'preflight', '')).stdout.match(/^[\w-]+(?=\t)/gm) ?? [];
  expect(offered).toContain('antrea');
  const {stderr} = await plugin('preflight', 'no-such-plugin');
  expect(stderr).toContain(`Plugins: ${offered.join(', ')}.`);
  expect((await plugin('preflight', '--help')).stdout.replace(/\s+/g, ' ')).toContain(
    `Plugins: ${offered.join(', ')}.`,
  );
});

test('node names are cached: the next completion needs no cluster', async () => {
  await plugin('__complete', 'inspect', '');
  expect(readdirSync(join(cluster.folder, 'cache/kubectl-win'))).toHaveLength(1);
  writeFileSync(cluster.kubeconfig, 'there is no cluster any more');
  const {stdout} = await plugin('__complete', 'inspect', 'win-2');
  expect(stdout).toBe('win-2\n:4\n');
});

test('completion prints nothing without a cluster, and completes --help like other words', async () => {
  const nowhere = {XDG_CACHE_HOME: join(cluster.folder, 'other-cache')};
  expect(await win(['__complete', 'doctor', ''], nowhere)).toMatchObject({code: 0, stdout: ':4\n', stderr: ''});
  expect((await win(['__complete', 'nodes', '--help'], nowhere)).stdout).toBe('--help\tShow help\n:4\n');
});

test('completion uninstall removes both, and never overwrites a file that is not ours', async () => {
  await plugin('completion', 'install');
  await plugin('completion', 'uninstall');
  expect(existsSync(join(folder, 'kubectl_complete-win'))).toBe(false);
  expect(existsSync(join(cluster.folder, 'cache/kubectl-win'))).toBe(false);
  writeFileSync(join(folder, 'kubectl_complete-win'), '#!/bin/sh\n');
  const {code, stderr} = await plugin('completion', 'install');
  expect(code).toBe(2);
  expect(stderr).toContain('already exists');
});
